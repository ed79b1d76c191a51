import type { AppliedBlock, Engine, MarketBlock } from "@millrace/core";
import { Effect, Semaphore, Stream } from "effect";

/** Releases the blocks of a recorded market one at a time, as its owner asks for them. */
export class BlockSteps {
  readonly #leaves = Semaphore.makeUnsafe(0);
  readonly #ended = Promise.withResolvers<undefined>();

  /** The first block passes at once: a market opens with it. */
  through<E>(blocks: Stream.Stream<MarketBlock, E>): Stream.Stream<MarketBlock, E> {
    let isFirst = true;
    return blocks.pipe(
      Stream.rechunk(1),
      Stream.mapEffect((block) => {
        if (!isFirst) return Effect.as(this.#leaves.take(1), block);
        isFirst = false;
        return Effect.succeed(block);
      }),
      Stream.onEnd(Effect.sync(() => this.#ended.resolve(undefined))),
    );
  }

  /**
   * The next block, once the engine has applied it; undefined after the last. Rejects with the
   * reason where the source fails.
   */
  next(engine: Engine["Service"]): Promise<AppliedBlock | undefined> {
    const applied = Promise.withResolvers<AppliedBlock>();
    const stop = engine.onApplied(applied.resolve);
    const over = new AbortController();
    const failure = Effect.runPromise(engine.sourceFailure, { signal: over.signal });
    failure.catch(() => {});
    Effect.runSync(this.#leaves.release(1));
    return Promise.race([applied.promise, this.#ended.promise, failure]).finally(() => {
      stop();
      over.abort();
    });
  }
}
