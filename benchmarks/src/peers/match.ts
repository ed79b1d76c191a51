import { type OpenMarket, pathsOf, type QuoteRequest } from "@millrace/core";
import { timeCalls } from "../clock.ts";
import { quoteForSink } from "../market.ts";
import { median } from "../statistics.ts";
import { ExactRoutes } from "./ExactRoutes.ts";
import type { Library, TradeSize } from "./libraries.ts";
import type { OpenPeer, Peer, PeerAnswer } from "./Peer.ts";
import { openPeerMarket, type PeerQuery, peerQueries } from "./peerMarket.ts";

export interface MatchSizes {
  /** One market of each. */
  readonly seeds: ReadonlyArray<number>;
  /** Pairs of tokens in each market, each with every size of trade. */
  readonly pairCount: number;
  /** Our rounds, both before the peer's turn and after it. */
  readonly rounds: number;
  /** How long the peer is asked; queries that it did not reach are left out for both. */
  readonly budgetMs: number;
}

/** The results of both for one query. */
export interface Game {
  readonly size: TradeSize;
  readonly oursUs: number;
  readonly peerMs: number;
  /** By exact arithmetic; undefined without an answer, or with one that cannot execute. */
  readonly oursOut: bigint | undefined;
  readonly peerOut: bigint | undefined;
  /** The outputs that they claim. */
  readonly oursClaimed: bigint | undefined;
  readonly peerClaimed: bigint | undefined;
}

/**
 * Uncounted queries that the peer is asked first, as long as they fit into the milliseconds below.
 */
const PEER_WARM_UPS = 12;
const PEER_WARM_UP_MS = 1_000;
/**
 * The peer's time for a query is the least of up to PEER_RUNS runs that fit into PEER_RUNS_MS; our
 * time is the median of all rounds.
 */
const PEER_RUNS = 3;
const PEER_RUNS_MS = 60;
const OWN_WARM_UPS = 10;

/** Asks one library and ours the same queries on the same pools, in markets of one size. */
export async function playMatch(
  contender: Library,
  open: OpenPeer,
  poolCount: number,
  sizes: MatchSizes,
): Promise<ReadonlyArray<Game>> {
  const games: Game[] = [];
  for (const seed of sizes.seeds) {
    games.push(...(await playMarket(contender, open, poolCount, seed, sizes)));
  }
  return games;
}

async function playMarket(
  contender: Library,
  open: OpenPeer,
  poolCount: number,
  seed: number,
  { seeds, pairCount, rounds, budgetMs }: MatchSizes,
): Promise<ReadonlyArray<Game>> {
  const market = openPeerMarket({ ...contender, seed, poolCount });
  const queries = peerQueries(market, { seed, pairCount, maxSplits: contender.maxSplits });
  const peer = open(market);
  const exact = new ExactRoutes(market);
  const own = new OwnTimes(market, queries);
  own.runRounds(OWN_WARM_UPS);
  own.forget();
  own.runRounds(rounds);
  await askInTime(queries.slice(0, PEER_WARM_UPS), PEER_WARM_UP_MS, (query) => ask(peer, query));
  const played = await askInTime(queries, budgetMs / seeds.length, (query) =>
    askRepeatedly(peer, query),
  );
  own.runRounds(rounds);
  return played.map(({ answer, ms }, index) => {
    const { size, request } = queries[index]!;
    const ours = ownAnswer(market, request);
    return {
      size,
      oursUs: own.medianUs(index),
      peerMs: ms,
      oursOut: ours && exact.amountOut(request.tokenIn, ours.routes),
      peerOut: answer && exact.amountOut(request.tokenIn, answer.routes),
      oursClaimed: ours?.claimed,
      peerClaimed: answer?.claimed,
    };
  });
}

function ownAnswer({ router }: OpenMarket, request: QuoteRequest): PeerAnswer | undefined {
  const result = router.quote(request);
  if (!result.found) return undefined;
  const routes = pathsOf(result).map((path) => ({
    amountIn: path[0]!.amountIn,
    pools: path.map(({ pool }) => pool),
  }));
  return { routes, claimed: result.amountOut };
}

/** Microseconds of our quotes, query by query. */
class OwnTimes {
  readonly #market: OpenMarket;
  readonly #queries: ReadonlyArray<PeerQuery>;
  #rounds: Float64Array[] = [];

  constructor(market: OpenMarket, queries: ReadonlyArray<PeerQuery>) {
    this.#market = market;
    this.#queries = queries;
  }

  runRounds(count: number): void {
    for (let round = 0; round < count; round++) {
      const samples = new Float64Array(this.#queries.length);
      timeCalls(this.#queries, samples, ({ request }) => quoteForSink(this.#market, request));
      this.#rounds.push(samples);
    }
  }

  forget(): void {
    this.#rounds = [];
  }

  medianUs(query: number): number {
    return median(this.#rounds.map((samples) => samples[query]!));
  }
}

async function askInTime<A>(
  queries: ReadonlyArray<PeerQuery>,
  budgetMs: number,
  askOne: (query: PeerQuery) => Promise<A>,
): Promise<ReadonlyArray<A>> {
  const end = performance.now() + budgetMs;
  const answers: A[] = [];
  for (const query of queries) {
    if (performance.now() > end) break;
    answers.push(await askOne(query));
  }
  return answers;
}

async function askRepeatedly(peer: Peer, query: PeerQuery) {
  const end = performance.now() + PEER_RUNS_MS;
  let { answer, ms } = await ask(peer, query);
  const runs = [ms];
  while (runs.length < PEER_RUNS && performance.now() < end) {
    ({ answer, ms } = await ask(peer, query));
    runs.push(ms);
  }
  return { answer, ms: Math.min(...runs) };
}

async function ask(
  peer: Peer,
  { request }: PeerQuery,
): Promise<{ readonly answer: PeerAnswer | undefined; readonly ms: number }> {
  const search = peer.prepare(request);
  const elapsedMs = startClock();
  try {
    const read = await search();
    const ms = elapsedMs();
    return { answer: read(), ms };
  } catch {
    // The peers throw where they find no route, and on routes that they consider impossible.
    return { answer: undefined, ms: elapsedMs() };
  }
}

/**
 * Elapsed time, or processor time where that is less: other processes interrupt a peer's long
 * search, but hardly ever our short one.
 */
function startClock(): () => number {
  const cpu = process.cpuUsage();
  const start = performance.now();
  return () => {
    const passed = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    return Math.min(passed, (user + system) / 1_000);
  };
}
