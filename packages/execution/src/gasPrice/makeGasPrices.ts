import { Clock, Deferred, Effect } from "effect";
import { type ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import { readDataFee } from "./readDataFee.ts";
import { readGasPrice } from "./readGasPrice.ts";

/** What a transaction of the next block costs. */
export interface GasPrice {
  /** Base fee and a usual priority fee together. */
  readonly weiPerGas: bigint;
  /**
   * What an L2 charges to publish an incompressible byte of a transaction on its L1; 0 on other
   * networks.
   */
  readonly dataFeeWeiPerByte: bigint;
  /** The newest block that the price is based on, where the node says so. */
  readonly blockNumber?: number;
}

export interface GasPriceOptions {
  readonly chain: ChainAccess;
  /** How the network charges for data; by default not at all. */
  readonly dataFee?: "op-stack";
  /** How long a price is valid. */
  readonly blockTimeMs?: number;
}

export interface GasPrices {
  readonly current: Effect.Effect<GasPrice, ChainAccessError>;
}

const BLOCK_TIME_MS = 2_000;
/** Longer than a slow node takes for several answers. */
const PATIENCE_MS = 10_000;

/**
 * The gas price of a network, requested when a caller wants it and the last price is older than a
 * block time. Callers that come during a request share its answer; one that leaves does not cancel
 * it.
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
