import type { MarketBlock, MarketSourceError } from "@millrace/core";
import { Deferred, Effect, type Scope, Stream } from "effect";
import { MarketReplica } from "../market/MarketReplica.ts";
import type { LeadingSource, OwnSource } from "./FeedOptions.ts";

/**
 * The market as a source of this server's own tells it, whoever leads: what a leader publishes, and
 * what its first entry is compared with.
 */
export class LeaderMarket {
  readonly replica = new MarketReplica();
  readonly leading: LeadingSource;
  #collect: ((block: MarketBlock) => void) | undefined;
  #isOpen = false;

  private constructor(leading: LeadingSource) {
    this.leading = leading;
  }

  /** Follows the source until the scope closes; fails where that ends. */
  static readonly open = Effect.fnUntraced(function* (
    { open }: OwnSource,
    failure: Deferred.Deferred<never, MarketSourceError>,
  ): Effect.fn.Return<LeaderMarket, never, Scope.Scope> {
    const opened = yield* Deferred.make<LeaderMarket>();
    const run = Effect.gen(function* () {
      const market = new LeaderMarket(yield* open);
      yield* Deferred.succeed(opened, market);
      yield* Stream.runForEach(market.leading.source.blocks, (block) =>
        Effect.sync(() => market.#take(block)),
      );
    });
    yield* run.pipe(
      Effect.scoped,
      Effect.catchCause((cause) => Deferred.failCause(failure, cause)),
      Effect.forkScoped,
    );
    return yield* Deferred.await(opened);
  });

  /** Why nothing can be published now. */
  obstacle(): string | undefined {
    if (!this.#isOpen) return "starting";
    const { source } = this.leading;
    return source.obstacle?.() ?? source.diagnosis?.();
  }

  /**
   * Whether what was published goes on from the block that the source stands at, or the source is
   * too far behind to know. A chain that goes back has another block there.
   */
  isBehind(published: MarketReplica | undefined): boolean {
    const { number, hash } = this.replica.stamp;
    if (published === undefined || number >= published.stamp.number) return false;
    const { line } = published;
    return number < line[0]!.number || line.some((block) => block.hash === hash);
  }

  /** From now on whatever it tells comes here as well. */
  collect(take: ((block: MarketBlock) => void) | undefined): void {
    this.#collect = take;
  }

  #take(block: MarketBlock): void {
    this.replica.commit(this.replica.plan(block));
    this.#isOpen = true;
    this.#collect?.(block);
  }
}
