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
const RETELL_MS = 200;
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

/** A server that follows a feed, dies, and comes again; every market that it shows is checked. */
export class SimulatedServer {
  readonly name: string;
  readonly link: Link = { isCut: false, seesFormer: false, isPaused: false, lostAnswers: 0 };
  feed: MarketFeed | undefined;
  /** Swaps that stand, by the hash of their block, since this life began. */
  readonly ledger = new Map<string, number>();
  problems: string[] = [];
  firstBlock: number | undefined;
  checkedBlocks = 0;
  readonly #world: World;
  readonly #lead: "never" | "whenFree" | "standby";
  #lives = 0;
  #scope: Scope.Closeable | undefined;
  #market: OpenMarket | undefined;

  constructor(name: string, world: World, leads: "never" | "whenFree" | "standby") {
    this.name = name;
    this.#world = world;
    this.#lead = leads;
  }

  get stamp() {
    return this.#market?.graph.stamp;
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

  /** Without any farewell: what it would still say reaches nobody. */
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
    for (const orphan of block.orphaned ?? []) this.ledger.delete(orphan);
    const told = [{ stamp: block.stamp, swaps: block.swaps }, ...(block.history ?? [])];
    for (const { stamp, swaps } of told) {
      if (swaps.length > 0) this.ledger.set(stamp.hash, swaps.length);
    }
  }

  /** A source that is a little late, and tells the past again where it is asked to. */
  #ownSource() {
    const { chain, random } = this.#world;
    const { link } = this;
    return Effect.sync(() => {
      let at: TrueBlock | undefined;
      let retelling = 0;
      const asked: BlockRange[] = [];
      const look = Effect.fnUntraced(function* (blocks: Queue.Enqueue<MarketBlock>) {
        yield* Effect.sleep(LOOK_MS + random.integer(LOOK_MS));
        if (link.isPaused) return;
        const { head } = chain;
        if (at === undefined) {
          at = head;
          yield* Queue.offer(blocks, wholeMarket(head));
          // The swaps of the block it begins with, and of some before, come as those of the past.
          retelling++;
          asked.push({ fromBlock: head.stamp.number - PAST_BLOCKS, toBlock: head.stamp.number });
        }
        for (const message of messagesBetween(at, head)) yield* Queue.offer(blocks, message);
        at = head;
      });
      const retell = Effect.fnUntraced(function* (blocks: Queue.Enqueue<MarketBlock>) {
        yield* Effect.sleep(RETELL_MS);
        if (at === undefined || asked.length === 0) return;
        const { fromBlock, toBlock } = asked.shift()!;
        const history = [];
        for (let block: TrueBlock | undefined = at; block !== undefined; block = block.parent) {
          const { number } = block.stamp;
          if (number >= fromBlock && number <= toBlock) history.push(block);
        }
        const told = history.map(({ stamp, swaps }) => ({ stamp, swaps }));
        yield* Queue.offer(blocks, { ...nothing(at), history: told });
        retelling--;
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
          isComplete: retelling === 0,
        }),
      };
      return {
        source,
        retell: (range: BlockRange) => {
          retelling++;
          asked.push(range);
        },
      };
    });
  }
}

const nothing = ({ stamp }: TrueBlock): MarketBlock => ({
  ...{ stamp, dexes: [], tokens: [], pools: [], removedPools: [] },
  ...{ states: [], swaps: [], supplies: [] },
});
