/**
 * A bot that holds the market in its own process, on a devnet that it starts. After every block it
 * looks for round trips that end with more than they began with, and sends the best one that pays
 * for its gas:
 *
 *     node apps/examples/src/roundTripBot.ts
 *
 * Where money is real it takes other endpoints, DEXes and addresses, a wallet that signs, and a
 * private way to those who build blocks: who sees a transaction can send it first.
 */
import { chainSource } from "@millrace/chain";
import { type Address, type Cycle, Engine } from "@millrace/core";
import { type Devnet, startDevnet } from "@millrace/devnet";
import type { RouterTable } from "@millrace/execution";
import { curves } from "@millrace/protocols";
import { Effect, Stream } from "effect";
import {
  createWalletClient,
  erc20Abi,
  formatEther,
  http,
  isAddressEqual,
  parseEventLogs,
  publicActions,
  type TransactionReceipt,
} from "viem";
import { roundTripWriter } from "./roundTripCall.ts";

const HOPS_MAX = 3;

const bot = Effect.gen(function* () {
  const devnet = yield* startDevnet({ network: "ETH", trafficEveryMs: 500 });
  const engine = yield* follow(devnet);
  const fire = shooter(devnet, engine);
  const weth = engine.graph.findToken(devnet.wrappedNative)!;
  console.log(`watching ${engine.graph.poolCount} pools of ${devnet.rpcUrl}`);
  // Blocks that come while a transaction is under way are not worked through afterwards.
  const newest = Stream.buffer(engine.applied, { capacity: 1, strategy: "sliding" });
  yield* Stream.runForEach(newest, () => Effect.promise(() => fire(engine.cycles(weth, HOPS_MAX))));
});

/** An engine in step with the chain. */
const follow = Effect.fnUntraced(function* (devnet: Devnet) {
  const { chainId, rpcUrl: url, webSocketUrl, dexes, blockTimeMs } = devnet;
  const source = yield* chainSource({
    ...{ chainId, endpoints: [{ url, webSocketUrl }], dexes, blockTimeMs },
    admission: { anchors: devnet.anchors, depthFloorUsd: 0, pools: [] },
    multicall: devnet.contracts.multicall3,
  });
  const engine = yield* Engine.make({ source, curves });
  yield* source.ready;
  return engine;
});

/** Sends the best of some round trips that pays, and tells what came of it. */
function shooter(devnet: Devnet, engine: Engine["Service"]) {
  const { chainId, wrappedNative, contracts, traders } = devnet;
  // The devnet's node signs for its traders, who hold all tokens and have approved the router.
  const account = traders[0]!.address.toLowerCase() as Address;
  const node = createWalletClient({
    ...{ account, transport: http(devnet.rpcUrl), pollingInterval: 100 },
  }).extend(publicActions);
  const universalRouter: RouterTable["universalRouter"] = {
    ...{ address: contracts.universalRouter, permit2: contracts.permit2, version: "2.0" },
    ...{ v2DexId: "UNISWAP_V2", v3DexId: "UNISWAP_V3" },
  };
  const table = { chainId, wrappedNative, universalRouter };
  const write = roundTripWriter({ engine, table, sender: account });
  /** What a transaction's transfers of the token leave the trader, who also trades otherwise. */
  const gainOf = (logs: TransactionReceipt["logs"]): bigint => {
    const ofToken = logs.filter(({ address }) => isAddressEqual(address, wrappedNative));
    return parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: ofToken }).reduce(
      (sum, { args: { from, to, value } }) =>
        sum +
        (isAddressEqual(to, account) ? value : 0n) -
        (isAddressEqual(from, account) ? value : 0n),
      0n,
    );
  };

  return async (cycles: ReadonlyArray<Cycle>): Promise<void> => {
    if (cycles.length === 0) return;
    const weiPerGas = await node.getGasPrice();
    for (const cycle of cycles) {
      // More than it uses. The most profitable come first.
      const cost = BigInt(cycle.gas) * weiPerGas;
      if (cycle.profit <= cost) return;
      const call = write(cycle, cost);
      if (call === undefined) continue;
      // The node tries it: it reverts where somebody was faster.
      const gas = await node.estimateGas({ account, ...call }).catch(() => undefined);
      if (gas === undefined) continue;
      const hash = await node.sendTransaction({ chain: null, ...call, gas: (gas * 6n) / 5n });
      const { status, blockNumber, logs, ...used } = await node.waitForTransactionReceipt({ hash });
      const gained = formatEther(gainOf(logs));
      const paid = formatEther(used.gasUsed * used.effectiveGasPrice);
      console.log(`block ${blockNumber}: ${status}, ${gained} WETH gained for ${paid} of gas`);
      return;
    }
  };
}

await Effect.runPromise(Effect.scoped(bot));
