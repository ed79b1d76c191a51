import { type HistoryStatus, type MarketBlock, type OpenMarket, openMarket } from "@millrace/core";
import { type BlockRange, type MarketFeed, openFeed } from "@millrace/feed";
import { type RandomSource, weightedCurve } from "@millrace/testing";
import { Effect, Exit, Queue, Scope, Stream } from "effect";
import {
  CHAIN_ID,
  type FeedChain,
  messagesBetween,
  type TrueBlock,
  wholeMarket,
} from "./FeedChain.ts";
import { type Link, type LinkCounts, linkedLog, type SimulatedStore } from "./SimulatedStore.ts";

const LOOK_MS = 100;
/** Time to retell the past; each request in the meantime restarts it. */
const RETELL_MS = 200;
const SLOW_RETELL_MS = 6_000;
const PAST_BLOCKS = 3;
export const LEASE_MS = 1_000;
export const SILENCE_MS = 3_000;

interface World {
  readonly chain: FeedChain;
  readonly store: SimulatedStore;
  readonly random: RandomSource;
  readonly counts: LinkCounts;
  readonly trace: (event: string) => void;
}

/** A server that follows a feed, dies, and returns; every market that it shows is checked. */
export class SimulatedServer {
  readonly name: string;
  /** With a fault its source emits nothing; the server does not notice "lagging". */
  sourceFault: "none" | "obstacle" | "diagnosis" | "lagging" = "none";
  /** Blocks that came after one of their descendants. */
  wentBack = 0;
  readonly link: Link = { isCut: false, seesFormer: false, isPaused: false, lostAnswers: 0 };
  feed: MarketFeed | undefined;
  /** Swaps that were not reverted, by block hash, since this life began. */
  readonly ledger = new Map<string, number>();
  problems: string[] = [];
  firstBlock: number | undefined;
  checkedBlocks = 0;
  readonly #world: World;
  readonly #lead: "never" | "whenFree" | "standby";
  #lives = 0;
  #scope: Scope.Closeable | undefined;
  #market: OpenMarket | undefined;
  #shown: TrueBlock | undefined;

  constructor(name: string, world: World, leads: "never" | "whenFree" | "standby") {
    this.name = name;
    this.#world = world;
    this.#lead = leads;
  }

  get stamp() {
    return this.#market?.graph.stamp;
  }

  get hasSource(): boolean {
    return this.#lead !== "never";
  }

  get isAlive(): boolean {
    return this.#scope !== undefined;
  }

  get isLeader(): boolean {
    return this.feed?.status().role === "leader";
  }

  snapshot(): Uint8Array | undefined {
    return this.#market?.snapshot();
  }

  readonly start: Effect.Effect<void> = Effect.gen(
    { self: this },
    function* (this: SimulatedServer) {
      const { store, random, counts, trace } = this.#world;
      const scope = yield* Scope.make();
      this.#scope = scope;
      this.#market = undefined;
      this.#shown = undefined;
      this.ledger.clear();
      this.firstBlock = undefined;
      Object.assign(this.link, { isCut: false, seesFormer: false, isPaused: false });
      const holder = `${this.name}#${++this.#lives}`;
      trace(`${holder} starts`);
      const open = openFeed({
        log: linkedLog(store, this.link, random, counts),
        chainId: CHAIN_ID,
        holder,
        ...{ leaseMs: LEASE_MS, silenceMs: SILENCE_MS, snapshotEntries: 10 },
        ...(this.#lead !== "never" && {
          own: { isStandby: this.#lead === "standby", open: this.#ownSource() },
        }),
      });
      const run = Effect.gen({ self: this }, function* (this: SimulatedServer) {
        const feed = yield* open;
        this.feed = feed;
        yield* Stream.runForEach(feed.source.blocks, (block) =>
          Effect.sync(() => this.#apply(block)),
        );
      });
      yield* Effect.forkIn(Effect.provideService(run, Scope.Scope, scope), scope);
    },
  );

  /** Ends without a farewell: its last messages reach nobody. */
  readonly die: Effect.Effect<void> = Effect.gen({ self: this }, function* (this: SimulatedServer) {
    this.#world.trace(`${this.name} dies`);
    const scope = this.#scope!;
    this.#scope = undefined;
    this.feed = undefined;
    this.link.isPaused = false;
    this.link.isCut = true;
    yield* Scope.close(scope, Exit.void);
  });

  #apply(block: MarketBlock): void {
    const { chain, trace } = this.#world;
    this.#market ??= openMarket(CHAIN_ID, [weightedCurve]);
    const market = this.#market;
    this.firstBlock ??= block.stamp.number;
    const { rejected } = market.writer.applyChanges(block);
    const { number, hash } = block.stamp;
    trace(`${this.name} ${number} ${hash.slice(2, 8)} ${block.states.length}`);
    if (rejected.length > 0)
      this.problems.push(`${this.name} ${number}: ${JSON.stringify(rejected)}`);
    this.checkedBlocks++;
    if (Buffer.compare(market.snapshot(), chain.snapshotAt(hash)) !== 0) {
      this.problems.push(`${this.name}: block ${number} is not what it is built from scratch`);
    }
    const shown = chain.find(hash)!;
    for (let at = this.#shown?.parent; at !== undefined; at = at.parent) {
      if (at === shown) this.wentBack++;
    }
    this.#shown = shown;
    for (const orphan of block.orphaned ?? []) this.ledger.delete(orphan);
    const told = [{ stamp: block.stamp, swaps: block.swaps }, ...(block.history ?? [])];
    for (const { stamp, swaps } of told) {
      if (swaps.length > 0) this.ledger.set(stamp.hash, swaps.length);
    }
  }

  /** A source that is a little late, and retells the past on request. */
  #ownSource() {
    const { chain, random } = this.#world;
    const { link } = this;
    const retellMs = random.chance(0.2) ? SLOW_RETELL_MS : RETELL_MS;
    const isTelling = () => !link.isPaused && this.sourceFault === "none";
    const faultIs = (fault: SimulatedServer["sourceFault"]) =>
      this.sourceFault === fault ? "no node answers" : undefined;
    return Effect.sync(() => {
      let at: TrueBlock | undefined;
      let waitedMs = 0;
      let asked: BlockRange[] = [];
      const ask = (range: BlockRange) => {
        asked.push(range);
        waitedMs = 0;
      };
      const look = Effect.fnUntraced(function* (blocks: Queue.Enqueue<MarketBlock>) {
        yield* Effect.sleep(LOOK_MS + random.integer(LOOK_MS));
        if (!isTelling()) return;
        const { head } = chain;
        if (at === undefined) {
          at = head;
          yield* Queue.offer(blocks, wholeMarket(head));
          // The swaps of its first block, and of some before, come as those of the past.
          ask({ fromBlock: head.stamp.number - PAST_BLOCKS, toBlock: head.stamp.number });
        }
        for (const message of messagesBetween(at, head)) yield* Queue.offer(blocks, message);
        at = head;
      });
      const retell = Effect.fnUntraced(function* (blocks: Queue.Enqueue<MarketBlock>) {
        yield* Effect.sleep(RETELL_MS);
        waitedMs += RETELL_MS;
        if (at === undefined || asked.length === 0 || waitedMs < retellMs) return;
        if (!isTelling()) return;
        const fromBlock = Math.min(...asked.map((range) => range.fromBlock));
        const toBlock = Math.max(...asked.map((range) => range.toBlock));
        const history = [];
        for (let block: TrueBlock | undefined = at; block !== undefined; block = block.parent) {
          const { number } = block.stamp;
          if (number >= fromBlock && number <= toBlock) history.push(block);
        }
        const told = history.map(({ stamp, swaps }) => ({ stamp, swaps }));
        yield* Queue.offer(blocks, { ...nothing(at), history: told });
        asked = [];
      });
      const source = {
        chainId: CHAIN_ID,
        blocks: Stream.callback<MarketBlock>(
          Effect.fnUntraced(function* (blocks) {
            yield* Effect.forkScoped(Effect.forever(retell(blocks)));
            yield* Effect.forever(look(blocks));
          }),
        ),
        history: (): HistoryStatus => ({
          sinceMs: at?.stamp.timestampMs,
          isComplete: asked.length === 0,
        }),
        obstacle: () => faultIs("obstacle"),
        diagnosis: () => faultIs("diagnosis"),
      };
      return { source, retell: ask };
    });
  }
}

const nothing = ({ stamp }: TrueBlock): MarketBlock => ({
  ...{ stamp, dexes: [], tokens: [], pools: [], removedPools: [] },
  ...{ states: [], swaps: [], supplies: [] },
});
