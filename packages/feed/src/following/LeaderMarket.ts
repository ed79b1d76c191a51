import type { MarketBlock, MarketSourceError } from "@millrace/core";
import { Deferred, Effect, type Scope, Stream } from "effect";
import { MarketReplica } from "../market/MarketReplica.ts";
import type { LeadingSource, OwnSource } from "./FeedOptions.ts";

/**
 * The market of this server's own source, whoever leads. A leader publishes it, and computes its
 * first entry from it.
 */
export class LeaderMarket {
  readonly replica = new MarketReplica();
  readonly leading: LeadingSource;
  #collect: ((block: MarketBlock) => void) | undefined;
  #isOpen = false;

  private constructor(leading: LeadingSource) {
    this.leading = leading;
  }

  /** Follows the source until the scope closes; fails when the source ends. */
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

  /** Why nothing can be published now; undefined if nothing prevents it. */
  obstacle(): string | undefined {
    if (!this.#isOpen) return "starting";
    const { source } = this.leading;
    return source.obstacle?.() ?? source.diagnosis?.();
  }

  /**
   * Whether the source is at an earlier block of the published chain, or too far behind to know.
   * After a reorganisation it has another block at that height.
   */
  isBehind(published: MarketReplica | undefined): boolean {
    const { number, hash } = this.replica.stamp;
    if (published === undefined || number >= published.stamp.number) return false;
    const { line } = published;
    return number < line[0]!.number || line.some((block) => block.hash === hash);
  }

  /** Also passes on all further blocks of the source to `take`. */
  collect(take: ((block: MarketBlock) => void) | undefined): void {
    this.#collect = take;
  }

  #take(block: MarketBlock): void {
    this.replica.commit(this.replica.plan(block));
    this.#isOpen = true;
    this.#collect?.(block);
  }
}
