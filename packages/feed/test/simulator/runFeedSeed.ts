import { createHash } from "node:crypto";
import { RandomSource, VirtualTime } from "@millrace/testing";
import { Cause, Effect, Exit } from "effect";
import { FeedChain } from "./FeedChain.ts";
import { LEASE_MS, SILENCE_MS, SimulatedServer } from "./SimulatedServer.ts";
import { type LinkCounts, SimulatedStore } from "./SimulatedStore.ts";

const START_MS = 1_750_000_000_000;
const FAULTS_OF_RUN = 4;
const BLOCK_MS = 600;
const LOOK_MS = 100;
/** A leader gives up its lease after three lease times. */
const LED_WITH_OBSTACLE_MS = 4 * LEASE_MS;
/** Time in which all servers have to agree again after the last fault. */
const SETTLING_MS = 30_000;

export const FEED_FAULTS = [
  "leaderPaused",
  "followerPaused",
  "leaderDied",
  "followerDied",
  "leaderCutOff",
  "followerCutOff",
  "storeRestarted",
  "storeLostSeconds",
  "storeWiped",
  "storeFailedOver",
  "answerLost",
  "leaderSourceFailed",
  "standbySourceFailed",
  "sourceLagged",
  "entryDamaged",
  "oldEpochRefused",
  "lostEndNoticed",
  "marketNotReliedOn",
] as const;
type FeedFault = (typeof FEED_FAULTS)[number];

/** The outcome of one seed. */
export interface FeedRun {
  readonly seed: number;
  readonly problems: ReadonlyArray<string>;
  /** How often each fault had an effect. */
  readonly struck: ReadonlyMap<FeedFault, number>;
  readonly checkedBlocks: number;
  /** Hash of all events in their order. */
  readonly traceHash: string;
  readonly trace: ReadonlyArray<string>;
}

/** Runs servers of one feed among faults, in virtual time; the same seed gives the same run. */
export function runFeedSeed(seed: number): FeedRun {
  const random = new RandomSource(seed);
  const time = new VirtualTime(START_MS, seed ^ 0x5eed);
  const trace: string[] = [];
  const struck = new Map<FeedFault, number>();
  const strike = (fault: FeedFault, count = 1) =>
    struck.set(fault, (struck.get(fault) ?? 0) + count);
  const chain = new FeedChain(random, START_MS);
  const store = new SimulatedStore();
  const counts: LinkCounts = { lostAnswers: 0, refusedWrites: 0, lostWrites: 0, damagedEntries: 0 };
  const note = (event: string) => void trace.push(`${time.now - START_MS} ${event}`);
  const world = { chain, store, random, counts, trace: note };
  const isWarm = random.chance(0.7);
  const servers = [
    new SimulatedServer("a", world, "standby"),
    new SimulatedServer("b", world, isWarm ? "standby" : "whenFree"),
    new SimulatedServer("c", world, "never"),
    new SimulatedServer("d", world, random.chance(0.5) ? "never" : "whenFree"),
  ];
  const alive = () => servers.filter(({ isAlive }) => isAlive);
  const leader = () => alive().find(({ isLeader }) => isLeader);
  const problems: string[] = [];

  const someone = () => (random.chance(0.6) ? leader() : undefined) ?? random.pick(alive());
  const kinds: ReadonlyArray<() => Effect.Effect<void>> = [
    () =>
      Effect.gen(function* () {
        const server = someone();
        strike(server.isLeader ? "leaderPaused" : "followerPaused");
        note(`${server.name} is paused`);
        server.link.isPaused = true;
        yield* Effect.sleep(random.between(100, 2.5 * LEASE_MS));
        server.link.isPaused = false;
      }),
    () =>
      Effect.gen(function* () {
        const server = someone();
        strike(server.isLeader ? "leaderDied" : "followerDied");
        yield* server.die;
        yield* Effect.sleep(random.between(10, 3_000));
        yield* server.start;
      }),
    () =>
      Effect.gen(function* () {
        const server = someone();
        strike(server.isLeader ? "leaderCutOff" : "followerCutOff");
        note(`${server.name} is cut off`);
        server.link.isCut = true;
        yield* Effect.sleep(random.between(100, 2 * SILENCE_MS));
        server.link.isCut = false;
      }),
    () =>
      Effect.gen(function* () {
        strike("storeRestarted");
        note("the store restarts");
        store.isDown = true;
        yield* Effect.sleep(random.between(50, 4_000));
        if (random.chance(0.5) && store.goBack(random.between(1, 10)) > 0)
          strike("storeLostSeconds");
        store.isDown = false;
      }),
    () =>
      Effect.sync(() => {
        if (store.goBack(random.between(5, 20)) > 0) strike("storeLostSeconds");
        note("the store lost its end");
      }),
    () =>
      Effect.sync(() => {
        if (store.log.state.entries.length > 0) strike("storeWiped");
        note("the store is wiped");
        store.wipe();
      }),
    () =>
      Effect.gen(function* () {
        strike("storeFailedOver");
        note("the store fails over");
        const left = random.shuffled(alive()).slice(0, random.between(0, 3));
        store.failOver(random.between(1, 10));
        for (const server of left) server.link.seesFormer = true;
        yield* Effect.sleep(random.between(100, 6_000));
        for (const server of left) server.link.seesFormer = false;
      }),
    () =>
      Effect.gen(function* () {
        const server = someone();
        server.link.lostAnswers = 0.3;
        yield* Effect.sleep(random.between(500, 3_000));
        server.link.lostAnswers = 0;
      }),
    () =>
      Effect.gen(function* () {
        const sources = alive().filter(({ hasSource }) => hasSource);
        if (sources.length === 0) return;
        const server = (random.chance(0.6) ? leader() : undefined) ?? random.pick(sources);
        const fault = random.pick(["obstacle", "diagnosis", "lagging"] as const);
        if (fault === "lagging") strike("sourceLagged");
        else strike(server.isLeader ? "leaderSourceFailed" : "standbySourceFailed");
        note(`${server.name} has a source with ${fault}`);
        server.sourceFault = fault;
        const untilMs = time.now + random.between(500, 10 * LEASE_MS);
        for (let ledMs = 0; time.now < untilMs; yield* Effect.sleep(LOOK_MS)) {
          // Another fault of the same server may have ended this one.
          const isFailing = server.sourceFault === fault && fault !== "lagging";
          ledMs = isFailing && server.isLeader ? ledMs + LOOK_MS : 0;
          if (ledMs > LED_WITH_OBSTACLE_MS) {
            problems.push(`${server.name} leads for ${ledMs} ms with a source that fails`);
            break;
          }
        }
        server.sourceFault = "none";
      }),
    () =>
      Effect.sync(() => {
        note("an entry will be damaged");
        store.damagesNext = true;
      }),
  ];

  let running = 0;
  const ended = Effect.sync(() => {
    running--;
  });

  const watch = Effect.forever(
    Effect.andThen(
      Effect.sleep(LOOK_MS),
      Effect.sync(() => {
        for (const server of alive()) {
          const { feed } = server;
          if (feed === undefined) continue;
          const obstacle = feed.source.obstacle();
          if (obstacle !== undefined && server.stamp !== undefined) strike("marketNotReliedOn");
          const silentMs = feed.status().silentMs ?? 0;
          if (obstacle === undefined && silentMs > SILENCE_MS) {
            problems.push(`${server.name} answers after ${silentMs} ms of silence`);
          }
        }
      }),
    ),
  );

  const isSettled = () =>
    servers.every((server) => server.isAlive && server.stamp?.hash === chain.head.stamp.hash) &&
    servers.filter(({ isLeader }) => isLeader).length === 1 &&
    servers.every(({ feed }) => feed!.source.obstacle() === undefined) &&
    servers.every(({ feed }) => feed!.source.history().isComplete);

  const story = Effect.scoped(
    Effect.gen(function* () {
      yield* Effect.forkScoped(store.copying);
      const growing = yield* Effect.forkScoped(
        Effect.forever(
          Effect.andThen(
            Effect.suspend(() => Effect.sleep(BLOCK_MS * (0.5 + random.next()))),
            Effect.sync(() => chain.grow()),
          ),
        ),
      );
      yield* Effect.forkScoped(watch);
      for (const server of servers) {
        yield* server.start;
        yield* Effect.sleep(random.between(0, 1_000));
      }
      yield* Effect.sleep(LEASE_MS);
      for (let count = 0; count < FAULTS_OF_RUN; count++) {
        const fault = Effect.andThen(random.pick(kinds)(), ended);
        running++;
        // Often the next fault starts before the last one has ended.
        if (random.chance(0.3)) yield* Effect.forkScoped(fault);
        else yield* fault;
        yield* Effect.sleep(random.between(0, 3_000));
      }
      while (running > 0) yield* Effect.sleep(LOOK_MS);
      yield* Effect.sleep(LEASE_MS);
      growing.interruptUnsafe();
      for (let waitedMs = 0; !isSettled(); waitedMs += LOOK_MS) {
        if (waitedMs >= SETTLING_MS) {
          problems.push(`not settled: ${servers.map(standingOf).join("; ")}`);
          break;
        }
        yield* Effect.sleep(LOOK_MS);
      }
      for (const server of servers)
        problems.push(...server.problems, ...missingSwaps(server, chain));
      for (const { name, wentBack } of servers) {
        // Nobody knows any more what the log has lost.
        if (wentBack > 0 && !store.hasLost) problems.push(`${name} went back to a former block`);
      }
      for (const server of alive()) yield* server.die;
    }),
  );
  const exit = time.run(story);
  if (Exit.isFailure(exit)) problems.push(Cause.pretty(exit.cause));
  strike("answerLost", counts.lostAnswers);
  strike("oldEpochRefused", counts.refusedWrites);
  strike("lostEndNoticed", counts.lostWrites);
  strike("entryDamaged", counts.damagedEntries);
  return {
    ...{ seed, problems, struck, trace },
    checkedBlocks: servers.reduce((sum, { checkedBlocks }) => sum + checkedBlocks, 0),
    traceHash: createHash("sha256").update(trace.join("\n")).digest("hex"),
  };
}

const standingOf = ({ name, stamp, feed, isAlive }: SimulatedServer): string =>
  `${name} ${isAlive} ${stamp?.number} ${JSON.stringify(feed?.status())} ${feed?.source.obstacle()}`;

/** Checks that exactly the chain's swaps since the server's first block were emitted. */
function missingSwaps(server: SimulatedServer, chain: FeedChain): string[] {
  const problems: string[] = [];
  const standing = new Map(server.ledger);
  for (let block = chain.head; block.parent !== undefined; block = block.parent) {
    const { number, hash } = block.stamp;
    const told = standing.get(hash) ?? 0;
    standing.delete(hash);
    if (number <= (server.firstBlock ?? 0)) continue;
    if (told !== block.swaps.length) {
      problems.push(`${server.name}: ${told} swaps of ${block.swaps.length} in block ${number}`);
    }
  }
  const first = server.firstBlock ?? 0;
  for (const hash of standing.keys()) {
    const number = chain.find(hash)?.stamp.number ?? 0;
    if (number > first) problems.push(`${server.name}: swaps of block ${number}, which is gone`);
  }
  return problems;
}
