import { Clock, Deferred, Effect } from "effect";
import { type ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import { readDataFee } from "./readDataFee.ts";
import { readGasPrice } from "./readGasPrice.ts";

/** What a transaction of the next block costs. */
export interface GasPrice {
  /** Base fee and a usual priority fee together. */
  readonly weiPerGas: bigint;
  /**
   * What a network above another charges for publishing a byte of a transaction there, if it does
   * not compress; 0 on the others.
   */
  readonly dataFeeWeiPerByte: bigint;
  /** The newest block it is of, where the node tells. */
  readonly blockNumber?: number;
}

export interface GasPriceOptions {
  readonly chain: ChainAccess;
  /** How the network charges for data; no charge where it is not said. */
  readonly dataFee?: "op-stack";
  /** A price stands so long. */
  readonly blockTimeMs?: number;
}

export interface GasPrices {
  readonly current: Effect.Effect<GasPrice, ChainAccessError>;
}

const BLOCK_TIME_MS = 2_000;
/** More than several answers of a slow node. */
const PATIENCE_MS = 10_000;

/**
 * The gas price of a network, asked for when somebody wants it and nobody has in this block's time.
 * Who comes while it is asked for waits for the same answer, and may leave without ending it.
 */
export function makeGasPrices({
  chain,
  dataFee,
  blockTimeMs = BLOCK_TIME_MS,
}: GasPriceOptions): GasPrices {
  let known: { readonly price: GasPrice; readonly untilMs: number } | undefined;
  let asked: Deferred.Deferred<GasPrice, ChainAccessError> | undefined;

  const read = Effect.gen(function* () {
    const [price, dataFeeWeiPerByte] = yield* Effect.all(
      [readGasPrice(chain), dataFee === undefined ? Effect.succeed(0n) : readDataFee(chain)],
      { concurrency: 2 },
    );
    return { ...price, dataFeeWeiPerByte };
  }).pipe(
    Effect.timeoutOrElse({
      duration: PATIENCE_MS,
      orElse: () =>
        Effect.fail(
          new ChainAccessError({ reason: "Unavailable", detail: "no gas price in time" }),
        ),
    }),
  );

  const ask = (answer: Deferred.Deferred<GasPrice, ChainAccessError>) =>
    read.pipe(
      Effect.tap((price) =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => {
          known = { price, untilMs: nowMs + blockTimeMs };
        }),
      ),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          asked = undefined;
          Deferred.doneUnsafe(answer, exit);
        }),
      ),
      Effect.forkDetach,
    );

  const current = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis;
    if (known !== undefined && nowMs < known.untilMs) return known.price;
    if (asked !== undefined) return yield* Deferred.await(asked);
    const answer = Deferred.makeUnsafe<GasPrice, ChainAccessError>();
    asked = answer;
    yield* ask(answer);
    return yield* Deferred.await(answer);
  });
  return { current };
}
