import { RandomSource, VirtualTime } from "@millrace/testing";
import { Effect } from "effect";
import type { ChainOptions, Completeness } from "../../src/ChainOptions.ts";
import type { KnownRange } from "../../src/index.ts";
import { CHAIN_ID, DEXES, TOKENS } from "./contracts.ts";
import { Faults } from "./Faults.ts";
import { SimulatedChain } from "./SimulatedChain.ts";
import { SimulatedDisk } from "./SimulatedDisk.ts";
import { SimulatedNetwork } from "./SimulatedNetwork.ts";

const START_MS = Date.UTC(2026, 0, 1);

/** Chances of each tick. */
interface Restlessness {
  readonly reorganisation: number;
  readonly deep: number;
  readonly back: number;
  readonly burst: number;
  readonly pause: number;
}

/** The world of a source: chain, nodes, disk and time, all drawn from one seed. */
export class World {
  readonly dice: RandomSource;
  /** Separate dice for the reader's kept data, so that it changes no other draws. */
  readonly keeping: RandomSource;
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly chain: SimulatedChain;
  readonly network: SimulatedNetwork;
  readonly disk: SimulatedDisk;
  readonly journalDepth: number;
  readonly blockTimeMs: number;
  readonly completeness: Completeness;
  readonly historyMs: number;
  readonly #restlessness: Restlessness;
  readonly #trace: (event: string) => void;
  readonly #settings: Pick<
    ChainOptions,
    "journalDepth" | "catchUpBlocks" | "auditedPools" | "auditedQuotes" | "snapshotBlocks"
  >;

  constructor(seed: number, trace: (event: string) => void) {
    const dice = new RandomSource(seed);
    this.#trace = trace;
    this.dice = dice;
    this.keeping = new RandomSource(seed ^ 0x5a7e);
    this.time = new VirtualTime(START_MS + dice.integer(1000), seed ^ 0x5eed);
    this.faults = new Faults(dice);
    this.journalDepth = dice.between(4, 16);
    this.blockTimeMs = dice.pick([1_000, 2_000, 12_000]);
    this.completeness = dice.pick(["always", "always", "always", "sampled", "suspicion", "never"]);
    // Uses other dice, so that these draws change no other draws.
    const past = new RandomSource(seed ^ 0xba5e);
    this.historyMs = past.pick([0, 3, 10, 40, 100_000]) * this.blockTimeMs;
    this.chain = new SimulatedChain(dice, this.time.now, this.blockTimeMs, past.chance(0.7));
    for (let made = dice.pick([0, 3, 8, 20]); made > 0; made--) this.chain.mine(this.time.now);
    this.network = new SimulatedNetwork({
      chain: this.chain,
      time: this.time,
      faults: this.faults,
      dice,
      journalDepth: this.journalDepth,
      isProved: this.completeness === "always",
      trace,
    });
    this.disk = new SimulatedDisk(this.faults, dice);
    this.#restlessness = {
      reorganisation: dice.pick([0, 0.05, 0.2]),
      deep: dice.pick([0, 0.01, 0.04]),
      back: dice.pick([0, 0.05, 0.1]),
      burst: dice.pick([0, 0.05, 0.2]),
      pause: dice.pick([0, 0.1]),
    };
    this.#settings = {
      journalDepth: this.journalDepth,
      catchUpBlocks: dice.pick([6, 20, 1000]),
      auditedPools: dice.between(0, 2),
      auditedQuotes: past.between(0, 4),
      snapshotBlocks: dice.pick([1, 3, 8]),
    };
  }

  /** Options of a source; without `hasDisk` it keeps no snapshots. */
  options(hasDisk: boolean, knownHistory: ReadonlyArray<KnownRange>): ChainOptions {
    const [first, second] = TOKENS;
    return {
      ...this.#settings,
      chainId: CHAIN_ID,
      endpoints: this.network.endpoints.map(({ url, webSocketUrl }) => ({
        url,
        ...(webSocketUrl === undefined ? {} : { webSocketUrl }),
      })),
      dexes: DEXES,
      admission: {
        anchors: [first!, second!].map(({ address, decimals }) => ({
          address,
          decimals,
          priceUsd: 1,
        })),
        depthFloorUsd: 0,
        pools: [],
      },
      blockTimeMs: this.blockTimeMs,
      completeness: this.completeness,
      historyMs: this.historyMs,
      knownHistory,
      transport: this.network.transport,
      ...(hasDisk ? { disk: this.disk.open() } : {}),
    };
  }

  /** One block time: the head may move, and the nodes follow it. */
  readonly tick: Effect.Effect<void> = Effect.suspend(() => {
    const jitter = this.dice.between(-this.blockTimeMs / 10, this.blockTimeMs / 10);
    return Effect.map(Effect.sleep(this.blockTimeMs + jitter), () => this.#moveHead());
  });

  /** One block time of a chain on which nothing happens any more. */
  readonly quietTick: Effect.Effect<void> = Effect.suspend(() =>
    Effect.map(Effect.sleep(this.blockTimeMs), () => {
      this.chain.mineQuietly(this.time.now);
      this.network.follow();
    }),
  );

  heal(): void {
    this.faults.heal();
    this.network.heal();
    this.network.follow();
  }

  #moveHead(): void {
    const { chain, dice, time, journalDepth } = this;
    const { reorganisation, deep, back, burst, pause } = this.#restlessness;
    if (dice.chance(reorganisation)) {
      const depth = dice.chance(0.5) ? 1 : dice.between(1, journalDepth);
      chain.reorganise(depth, time.now, journalDepth);
    } else if (dice.chance(deep)) {
      chain.reorganise(journalDepth + dice.between(1, journalDepth), time.now, journalDepth);
    } else if (dice.chance(back)) {
      chain.goBack(time.now);
    } else if (!dice.chance(pause)) {
      for (let left = dice.chance(burst) ? dice.between(2, 8) : 1; left > 0; left--) {
        chain.mine(time.now);
      }
    }
    const { number, hash } = chain.head;
    this.#trace(`${time.now} head ${number} ${hash} ${[...chain.moves].join(" ")}`);
    this.network.follow();
  }
}
