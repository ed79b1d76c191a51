import { createHash } from "node:crypto";
import { protocols } from "@millrace/protocols";
import { Cause, Effect, Exit, Fiber, Stream } from "effect";
import { type ChainSource, chainSource } from "../../src/index.ts";
import type { FaultKind } from "./Faults.ts";
import { checkDexes, Judge } from "./Judge.ts";
import { type KeptSwaps, Verdict } from "./PublishedSwaps.ts";
import type { HeadMove } from "./SimulatedChain.ts";
import { vaultProtocol } from "./vaultProtocol.ts";
import { World } from "./World.ts";

/** The outcome of a run; a run that fails throws a Verdict. */
export interface Run {
  /** SHA-256 over all requests, with their times, and all blocks emitted. */
  readonly trace: string;
  readonly struck: ReadonlyMap<FaultKind, number>;
  readonly moves: ReadonlyMap<HeadMove, number>;
  readonly requests: number;
  /** Emitted blocks that continued from the one before; those that did not; reverted blocks. */
  readonly followed: number;
  readonly jumps: number;
  readonly orphaned: number;
  /** Blocks whose swaps were published late. */
  readonly past: number;
  /** Blocks that lives took over from earlier ones. */
  readonly kept: number;
  readonly lives: number;
  /** Quotes that the chain was asked for, and pools that were found to lie. */
  readonly quotes: number;
  readonly liars: number;
  /** Virtual ms from the end of all faults until the graph was the head's. */
  readonly settledMs: number;
}

/** After all faults have ended, the graph must be right within this time. */
const SETTLE_MS_MAX = 120_000;
const PROTOCOLS = [...protocols, vaultProtocol];
/** A program that is asked to end has this long. */
const END_MS_MAX = 30_000;

/** One life of a source: from its start until it is killed. */
interface Life {
  readonly judge: Judge;
  readonly source: () => ChainSource | undefined;
  readonly fiber: Fiber.Fiber<void, unknown>;
}

/** Runs one seed to its end. The same seed gives the same run. */
export function runSeed(seed: number): Run {
  const hash = createHash("sha256");
  const events: string[] = [];
  const trace = (event: string) => {
    hash.update(`${event}\n`);
    if (process.env["SIMULATOR_TRACE"] !== undefined) events.push(event);
  };
  const world = new World(seed, trace);
  const run = new Course(world, trace);
  // Thousands of errors are expected: their stacks would cost a tenth of the time.
  const stackTraceLimit = Error.stackTraceLimit;
  if (process.env["SIMULATOR_SEED"] === undefined) Error.stackTraceLimit = 0;
  try {
    const exit = world.time.run(run.all);
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    for (const event of events) process.stderr.write(`${event.slice(0, 300)}\n`);
  }
  const sum = (count: (judge: Judge) => number) =>
    run.judges.reduce((total, judge) => total + count(judge), 0);
  return {
    trace: hash.digest("hex"),
    struck: world.faults.struck,
    moves: world.chain.moves,
    requests: world.network.requests,
    followed: sum(({ followed }) => followed),
    jumps: sum(({ jumps }) => jumps),
    orphaned: sum(({ orphaned }) => orphaned),
    past: sum(({ swaps }) => swaps.pastBlocks),
    kept: sum(({ swaps }) => swaps.keptBlocks),
    lives: run.judges.length,
    quotes: run.quotes,
    liars: run.liars,
    settledMs: run.settledMs,
  };
}

/** The course of one run: lives of a source in a world that gets worse, and then heals. */
class Course {
  readonly judges: Judge[] = [];
  settledMs = 0;
  quotes = 0;
  liars = 0;
  /** The data on the reader's own disk, which is sound. */
  #kept: KeptSwaps = { blocks: [], ranges: [] };
  readonly #world: World;
  readonly #trace: (event: string) => void;

  constructor(world: World, trace: (event: string) => void) {
    this.#world = world;
    this.#trace = trace;
  }

  readonly all: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { dice, disk, network } = this.#world;
    const lives = dice.pick([1, 2, 2, 3, 4]);
    const ticks = dice.between(8, 24);
    const hasDisk = dice.chance(0.85);
    for (let number = 1; number < lives; number++) {
      network.misconfigure();
      const life = yield* this.#start(hasDisk);
      for (let left = Math.ceil(ticks / lives); left > 0; left--) yield* this.#tick(life);
      yield* Effect.sleep(dice.integer(this.#world.blockTimeMs));
      // Stopped at this instant, or asked to end.
      if (dice.chance(0.7)) disk.stop();
      yield* this.#end(life);
      disk.stop();
      const away = dice.pick([0, 0, 1, 3, 12]);
      for (let left = away; left > 0; left--) yield* this.#world.tick;
    }
    network.misconfigure();
    const life = yield* this.#start(hasDisk);
    for (let left = Math.ceil(ticks / lives); left > 0; left--) yield* this.#tick(life);
    yield* this.#settle(life);
    yield* this.#end(life);
  });

  readonly #start = (hasDisk: boolean): Effect.Effect<Life> =>
    Effect.suspend(() => {
      const { chain, network } = this.#world;
      const judge = new Judge(chain, (block) => network.wasCanonical(block));
      const kept = this.#kept;
      let messageCount = 0;
      this.judges.push(judge);
      let source: ChainSource | undefined;
      const living = Effect.scoped(
        Effect.gen({ self: this }, function* () {
          source = yield* chainSource(this.#world.options(hasDisk, kept.ranges), PROTOCOLS);
          const { blocks, published, history, confirmedTo } = source;
          yield* Stream.runForEach(blocks, (block) =>
            Effect.sync(() => {
              this.#trace(`emitted ${block.stamp.number} ${block.stamp.hash}`);
              if (messageCount++ === 0) judge.swaps.restore(kept, confirmedTo() ?? -1);
              judge.hear(block);
              // Only then does the source's claim refer to what the reader knows.
              if (published().messageCount !== messageCount) return;
              const head = chain.blocks.get(block.stamp.hash)!;
              judge.swaps.checkWhole(head, history().sinceMs!);
              if (this.#world.keeping.chance(0.2))
                this.#kept = judge.swaps.kept(published().ranges);
            }),
          );
        }),
      );
      return Effect.map(Effect.forkDetach(living), (fiber) => ({
        judge,
        source: () => source,
        fiber: fiber as Fiber.Fiber<void, unknown>,
      }));
    });

  readonly #tick = (life: Life): Effect.Effect<void> =>
    Effect.map(this.#world.tick, () => mustLive(life));

  readonly #end = (life: Life): Effect.Effect<void> =>
    Effect.gen({ self: this }, function* () {
      mustLive(life);
      const { auditedQuotes = 0, differingQuotes = 0 } = life.source()?.status() ?? {};
      this.quotes += auditedQuotes;
      this.liars += differingQuotes;
      const before = this.#world.time.now;
      yield* Fiber.interrupt(life.fiber);
      const took = this.#world.time.now - before;
      if (took > END_MS_MAX) throw new Verdict(`it took ${took} ms to end`);
    });

  /** No more faults from here on: within a bound, the graph is the head's, and stays so. */
  readonly #settle = (life: Life): Effect.Effect<void> =>
    Effect.gen({ self: this }, function* () {
      const { chain, time, blockTimeMs } = this.#world;
      this.#world.heal();
      const healed = time.now;
      const highest = chain.highest;
      while (chain.head.number < highest + 3) {
        yield* this.#world.quietTick;
        mustLive(life);
      }
      const obstacle = () => life.source()?.obstacle();
      const isDone = () =>
        life.source()?.history().isComplete === true && life.source()?.status().waitingPools === 0;
      while (!life.judge.isWhole(chain.head) || obstacle() !== undefined || !isDone()) {
        if (time.now - healed > SETTLE_MS_MAX + blockTimeMs) {
          const distance = life.judge.distance(chain.head);
          throw new Verdict(
            `after ${time.now - healed} ms without faults ${distance}; ${obstacle() ?? "ready"}; ${isDone() ? "" : "not "}done`,
          );
        }
        yield* Effect.sleep(50);
        mustLive(life);
      }
      this.settledMs = time.now - healed;
      life.judge.checkWhole(chain.head);
      checkDexes(chain.head, life.source()!.status().dexes);
      life.judge.swaps.checkTrue(chain.head);
      const { historyMs } = this.#world;
      if (historyMs === 0) return;
      life.judge.swaps.checkWhole(chain.head, chain.head.timestamp * 1000 - historyMs);
    });
}

/**
 * A source never ends by itself, and never fails: errors of the source or the judge surface here.
 */
function mustLive({ fiber, source }: Life): void {
  const defects = source()?.status().defects ?? 0;
  if (defects > 0) throw new Verdict(`${defects} faults of its own were survived`);
  const exit = fiber.pollUnsafe();
  if (exit === undefined) return;
  if (Exit.isSuccess(exit)) throw new Verdict("the stream ended");
  throw Cause.squash(exit.cause);
}
