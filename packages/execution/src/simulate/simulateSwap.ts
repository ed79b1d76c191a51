import type { Address } from "@millrace/core";
import { Effect } from "effect";
import type { ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import { callContract, type StateOverrides } from "../chain/callContract.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { SwapCall } from "../SwapRouter.ts";
import type { BalanceKey } from "./balanceKeys.ts";
import { findBalance, grantOf } from "./findBalance.ts";
import { type ProbeAnswer, probeCall, probeOverrides, readProbe } from "./probeCall.ts";
import { revertWords } from "./revertWords.ts";

/**
 * The result of a swap that a node tried. `done`: it went through, and gave and took what the
 * intent allows. `failed`: it reverted, or gave less than the minimum or took more than the
 * maximum. `untested`: the node cannot say.
 */
export type Simulation =
  | {
      readonly kind: "done";
      readonly amountIn: bigint;
      readonly amountOut: bigint;
      /** Of the router's call, with its tokens warm; without the transaction's intrinsic gas. */
      readonly gas: bigint;
    }
  | {
      readonly kind: "failed";
      readonly detail: string;
      /**
       * The router gave nothing or reverted without a reason, as where its code or Permit2's is
       * gone.
       */
      readonly isSilent: boolean;
    }
  | { readonly kind: "untested"; readonly detail: string };

/** Longer than a slow node takes for several answers. */
const PATIENCE_MS = 10_000;
/** Of a node's own words. */
const DETAIL_LENGTH_MAX = 200;

/**
 * Tries approvals and swap on the newest block in one `eth_call`, as the sender. State overrides
 * give the sender plenty of native currency and, in a second call, the input that it lacks.
 * Allowances need no override: the approvals are executed. Amounts are changes of balances: what
 * the sender paid, what the recipient gained. In the call the sender's address has the code of
 * `contracts/SwapProbe.sol`. So where the sender is a contract, its own code neither answers
 * callbacks nor checks signatures: they are checked against the key of the address, as for any
 * account. Changes nothing on the chain; never fails.
 */
export const simulateSwap: (
  intent: SwapIntent,
  approvals: ReadonlyArray<SwapCall>,
  swap: SwapCall,
  chain: ChainAccess,
) => Effect.Effect<Simulation> = (intent, approvals, swap, chain) =>
  trySwap(intent, [...approvals, swap], chain).pipe(
    Effect.catchTag("ChainAccessError", ({ detail }) =>
      Effect.succeed(untested(detail.slice(0, DETAIL_LENGTH_MAX))),
    ),
    Effect.timeoutOrElse({
      duration: PATIENCE_MS,
      orElse: () => Effect.succeed(untested(`no answer in ${PATIENCE_MS} ms`)),
    }),
  );

const trySwap = Effect.fnUntraced(function* (
  intent: SwapIntent,
  calls: ReadonlyArray<SwapCall>,
  chain: ChainAccess,
) {
  if (isCalled(intent, calls)) return untested("the sender is a contract of the swap itself");
  const first = yield* probe(chain, intent, calls);
  if (first === undefined) return untested(NO_OVERRIDES);
  const balance = first.inputBefore;
  const isLacking = !intent.isNativeIn && balance !== undefined && balance < intent.amountInMax;
  if (first.callsDone === calls.length || !isLacking) return judge(intent, calls, first);
  const grant = yield* grantInput(chain, intent);
  if (grant === undefined) return untested(cannotGrant(balance));
  const second = yield* probe(chain, intent, calls, grant);
  if (second === undefined) return untested(NO_OVERRIDES);
  if (second.inputBefore === undefined || second.inputBefore < intent.amountInMax) {
    layoutsOf(chain).delete(intent.tokenIn);
    return untested(cannotGrant(balance));
  }
  return judge(intent, calls, second);
});

const NO_OVERRIDES = "the node does not run a call with state overrides";

const cannotGrant = (balance: bigint) =>
  `the sender has ${balance} of the input, and more cannot be given to try`;

/** The probe's code would replace a contract that the swap calls at the sender's address. */
const isCalled = (
  { sender, tokenIn, tokenOut, paths }: SwapIntent,
  calls: ReadonlyArray<SwapCall>,
) =>
  [
    ...[tokenIn, tokenOut, ...calls.map(({ to }) => to)],
    ...paths.flatMap(({ legs }) => legs.flatMap(({ pool, tokenOut }) => [pool, tokenOut])),
  ].includes(sender);

const probe: (
  chain: ChainAccess,
  intent: SwapIntent,
  calls: ReadonlyArray<SwapCall>,
  grant?: StateOverrides,
) => Effect.Effect<ProbeAnswer | undefined, ChainAccessError> = (chain, intent, calls, grant) => {
  // The sender is neither a token nor the keeper of its balances: see `isCalled` and `grantInput`.
  const overrides = { ...grant, ...probeOverrides(intent.sender, calls) };
  return Effect.map(callContract(chain, probeCall(intent, calls), overrides), readProbe);
};

/** Where tokens keep balances, as found before; forgotten with the node. */
const layouts = new WeakMap<ChainAccess, Map<Address, { account: Address; keyOf: BalanceKey }>>();
const LAYOUTS_MAX = 1_000;

function layoutsOf(chain: ChainAccess) {
  const known = layouts.get(chain) ?? new Map<Address, { account: Address; keyOf: BalanceKey }>();
  layouts.set(chain, known);
  return known;
}

/** `findBalance` takes only amounts below this; no token has as much. */
const GRANT_END = 2n ** 250n;

/** The override that gives the sender the maximum input; undefined where none is found. */
const grantInput = Effect.fnUntraced(function* (
  chain: ChainAccess,
  { tokenIn, sender, amountInMax, paths }: SwapIntent,
) {
  const known = layoutsOf(chain);
  const layout = known.get(tokenIn);
  if (amountInMax >= GRANT_END) return undefined;
  if (layout !== undefined)
    return grantOf({ account: layout.account, key: layout.keyOf(sender) }, amountInMax);
  const found = yield* findBalance(chain, {
    ...{ token: tokenIn, owner: sender, amount: amountInMax },
    bystander: paths[0]?.legs[0]?.pool,
  });
  if (found === undefined || found.account === sender) return undefined;
  const { account, keyOf } = found;
  if (keyOf !== undefined && known.size < LAYOUTS_MAX) known.set(tokenIn, { account, keyOf });
  return grantOf(found, amountInMax);
});

/** Compares what the probe saw with what the intent allows. */
function judge(
  { amountInMax, amountOutMin }: SwapIntent,
  calls: ReadonlyArray<SwapCall>,
  answer: ProbeAnswer,
): Simulation {
  const { callsDone, inputBefore, inputAfter, outputBefore, outputAfter } = answer;
  if (callsDone !== calls.length) {
    const isSwap = callsDone === calls.length - 1;
    const what = isSwap ? "the swap" : `approval ${callsDone + 1} of ${calls.length - 1}`;
    const isSilent = isSwap && answer.revertData === "0x";
    return failed(`${what} reverts: ${revertWords(answer.revertData)}`, isSilent);
  }
  if (inputBefore === undefined || inputAfter === undefined) return untested(noBalance("input"));
  if (outputBefore === undefined || outputAfter === undefined) return untested(noBalance("output"));
  const amountIn = inputBefore - inputAfter;
  const amountOut = outputAfter - outputBefore;
  if (amountIn > amountInMax) return failed(`it takes ${amountIn}, more than ${amountInMax}`);
  if (amountOut < amountOutMin) {
    return failed(`it gives ${amountOut}, less than ${amountOutMin}`, amountOut === 0n);
  }
  return { kind: "done", amountIn, amountOut, gas: answer.gasUsed };
}

const noBalance = (which: string) => `the ${which} token tells no balance`;

const failed = (detail: string, isSilent = false): Simulation => ({
  kind: "failed",
  detail,
  isSilent,
});

const untested = (detail: string): Simulation => ({ kind: "untested", detail });
