import type { GasPrice, GasPrices } from "@millrace/execution";
import { Effect } from "effect";
import type { NetworkFeed } from "./openNetworkFeed.ts";

const NOTE = "gas price";

/** The gas price: the leader asks for it once a block, and all other servers take the leader's. */
export function sharedGasPrices(own: GasPrices, feed: NetworkFeed, blockTimeMs: number) {
  const current: GasPrices["current"] = Effect.suspend(() => {
    const shared = feed.status().role === "leader" ? undefined : priceIn(feed.notes().get(NOTE));
    return shared === undefined ? own.current : Effect.succeed(shared);
  });
  const publish = Effect.gen(function* () {
    if (feed.status().role === "leader") {
      const price = yield* own.current;
      const { weiPerGas, dataFeeWeiPerByte, blockNumber } = price;
      const text = [weiPerGas, dataFeeWeiPerByte, blockNumber ?? ""].join();
      if (feed.notes().get(NOTE) !== text) feed.note(NOTE, text);
    }
  }).pipe(Effect.ignore, Effect.andThen(Effect.sleep(blockTimeMs)));
  return { current, run: Effect.forever(publish) };
}

function priceIn(text: string | undefined): GasPrice | undefined {
  const [, weiPerGas, dataFee, block] = /^(\d{1,40}),(\d{1,40}),(\d{0,15})$/.exec(text ?? "") ?? [];
  if (weiPerGas === undefined || dataFee === undefined) return undefined;
  return {
    weiPerGas: BigInt(weiPerGas),
    dataFeeWeiPerByte: BigInt(dataFee),
    ...(block !== "" && { blockNumber: Number(block) }),
  };
}
