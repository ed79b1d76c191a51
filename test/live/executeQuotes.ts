import type { Address, Quote } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import type { Hex } from "@millrace/protocols";
import { encodeFunctionData, numberToHex } from "viem";
import type { Sending } from "./Act.ts";
import { erc20Abi, NO_DEADLINE, swapRouterAbi, v2RouterAbi } from "./abis.ts";
import type { Chain } from "./Chain.ts";

import { type Hop, tokenInOf, tokensOf } from "./paths.ts";
import { v2PairAbi } from "./readPools.ts";
import { feeOf, packPath, pay, together } from "./scene.ts";

/** A quote, and the hops of its steps. */
export interface Execution {
  readonly quote: Quote;
  readonly kind: "exactIn" | "exactOut";
  readonly hops: ReadonlyArray<Hop>;
}

/** The changes of the trader's balances along the path; undefined where it reverted. */
export type Outcome = ReadonlyArray<bigint> | undefined;

/** Several times the gas of a transaction on a real chain: a path may walk several empty books. */
const GAS = numberToHex(55_000_000);

/**
 * Sends each quote's swap through the real routers: in one transaction where one router can execute
 * all of it, otherwise hop by hop. Resets the chain afterwards.
 */
export async function executeQuotes(
  chain: Chain,
  devnet: Devnet,
  executions: ReadonlyArray<Execution>,
): Promise<ReadonlyArray<Outcome>> {
  const [{ address: trader } = { address: undefined }] = devnet.traders;
  const outcomes: Outcome[] = [];
  for (const execution of executions) {
    const tokens = tokensOf(execution.hops);
    const before = await balances(chain, trader!, tokens);
    const snapshot = await chain.request<Hex>("evm_snapshot");
    let succeeded = true;
    for (const { from, to, data } of sendingsOf(devnet, trader!, execution)) {
      const { status } = await chain.request<{ readonly status: Hex }>("eth_sendTransactionSync", [
        { from, to, data, gas: GAS },
      ]);
      succeeded &&= status === "0x1";
    }
    const after = await balances(chain, trader!, tokens);
    await chain.request("evm_revert", [snapshot]);
    // The node's pool may still hold a mined transaction, and would mine it again.
    await chain.request("anvil_dropAllTransactions");
    outcomes.push(succeeded ? after.map((balance, index) => balance - before[index]!) : undefined);
  }
  return outcomes;
}

async function balances(chain: Chain, holder: Address, tokens: ReadonlyArray<Address>) {
  const balanceOf = { functionName: "balanceOf", args: [holder] } as const;
  const data = encodeFunctionData({ abi: erc20Abi, ...balanceOf });
  const answers = await chain.callAll(tokens.map((to) => ({ to, data })));
  return answers.map((answer) => BigInt(answer!));
}

function sendingsOf(devnet: Devnet, from: Address, execution: Execution): ReadonlyArray<Sending> {
  const { hops, kind, quote } = execution;
  const deployments = new Set(hops.map(({ pool }) => pool.deployment));
  if (deployments.size === 1 && !deployments.has("v2Fork")) {
    return [{ from, ...swapPath(devnet, from, hops, kind, quote.amountIn, quote.amountOut) }];
  }
  return hops.map((hop, index) => {
    const { amountIn, amountOut } = quote.steps[index]!;
    if (hop.pool.deployment === "v2Fork") return swapAtPair(devnet, from, hop, amountIn, amountOut);
    return { from, ...swapPath(devnet, from, [hop], kind, amountIn, amountOut) };
  });
}

/** One transaction, which the router refuses if it gives any less or needs any more. */
function swapPath(
  { contracts }: Devnet,
  recipient: Address,
  hops: ReadonlyArray<Hop>,
  kind: Execution["kind"],
  amountIn: bigint,
  amountOut: bigint,
): Omit<Sending, "from"> {
  const tokens = tokensOf(hops);
  const { deployment } = hops[0]!.pool;
  if (deployment !== "v3") {
    const abi = v2RouterAbi;
    const rest = [tokens, recipient, NO_DEADLINE] as const;
    const data =
      kind === "exactIn"
        ? encodeFunctionData({
            ...{ abi, functionName: "swapExactTokensForTokens" },
            args: [amountIn, amountOut, ...rest],
          })
        : encodeFunctionData({
            ...{ abi, functionName: "swapTokensForExactTokens" },
            args: [amountOut, amountIn, ...rest],
          });
    return { to: deployment === "v2" ? contracts.v2Router : contracts.v2SisterRouter, data };
  }
  const abi = swapRouterAbi;
  const fees = hops.map(({ pool }) => feeOf(pool));
  const data =
    kind === "exactIn"
      ? encodeFunctionData({
          ...{ abi, functionName: "exactInput" },
          args: [
            { path: packPath(tokens, fees), recipient, amountIn, amountOutMinimum: amountOut },
          ],
        })
      : encodeFunctionData({
          ...{ abi, functionName: "exactOutput" },
          args: [
            {
              path: packPath([...tokens].reverse(), [...fees].reverse()),
              ...{ recipient, amountOut, amountInMaximum: amountIn },
            },
          ],
        });
  return { to: contracts.swapRouter02, data };
}

function swapAtPair(
  devnet: Devnet,
  from: Address,
  hop: Hop,
  amountIn: bigint,
  amountOut: bigint,
): Sending {
  const { pool, positionIn } = hop;
  const outs = positionIn === 0 ? [0n, amountOut] : [amountOut, 0n];
  const swap = { functionName: "swap", args: [outs[0]!, outs[1]!, from, "0x"] } as const;
  return together(devnet, from, [
    pay(tokenInOf(hop), from, pool.address, amountIn),
    [pool.address, encodeFunctionData({ abi: v2PairAbi, ...swap })],
  ]);
}
