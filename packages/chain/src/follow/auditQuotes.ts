import type { Address, Curve } from "@millrace/core";
import type { QuoteCall } from "@millrace/protocols";
import { Effect, Queue, Random } from "effect";
import { callAll } from "../reading/callAll.ts";
import { readStates } from "../reading/readStates.ts";
import { aside } from "../rpc/Endpoints.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import { NOT_LOADABLE } from "./Admissions.ts";
import { drawn, SECOND_LOOK_MS_MAX } from "./audit.ts";
import type { FollowedPool } from "./FollowedPool.ts";
import { type Following, noteDefect } from "./Following.ts";
import type { Header } from "./Header.ts";
import { isSameState } from "./isSameState.ts";
import type { QuotedSwap } from "./QuotedSwap.ts";
import { quotePools } from "./quotePools.ts";

/** No contract answers: a quoter is configured, but not deployed. */
const SILENT = "silent";

export interface QuoteAudit {
  /** Maximum number of swaps that the chain quotes after each block. */
  readonly swapCount: number;
  /** See `ChainOptions.routedSwaps`. */
  readonly routedSwaps: () => ReadonlyArray<QuotedSwap>;
}

/** Gas limit of a quote: more than an honest swap over hundreds of ticks needs. */
const QUOTE_GAS = 30_000_000;
/** Amounts are the one that moves the price by 2 %, times a random power of 2 in this range. */
const HALVINGS = 20;
const DOUBLINGS = 4;

/**
 * Asks the chain for quotes of some swaps after each block, for ever: half of them through pools
 * that routes used, the others through any. A pool whose answer differs from the quote here, at a
 * second look too, leaves the market. If its state differed from the chain's, it is read anew;
 * otherwise it stays out, whatever happens to it: wrong arithmetic, or a contract that lies, would
 * win every route.
 */
export const auditQuotes = Effect.fnUntraced(function* (
  following: Following,
  audit: QuoteAudit,
  advances: Queue.Dequeue<void>,
) {
  if (audit.swapCount === 0) return;
  const curves = [...new Set(following.reading.protocols.flatMap((each) => each.curves))];
  for (;;) {
    yield* Queue.take(advances);
    // What cannot be asked now is asked another time.
    yield* auditOnce(following, audit, curves).pipe(
      Effect.ignore,
      Effect.catchDefect(noteDefect(following.condition, "comparing quotes")),
    );
  }
});

const auditOnce = Effect.fnUntraced(function* (
  following: Following,
  audit: QuoteAudit,
  curves: ReadonlyArray<Curve>,
): Effect.fn.Return<void, RpcError> {
  const { mirror, condition, quoters } = following;
  const { head } = mirror;
  if (head === undefined || condition.obstacle !== undefined) return;
  const asked = yield* drawSwaps(following, audit, curves);
  if (asked.length === 0 || mirror.head !== head) return;
  const answers = yield* ask(following, head, asked);
  condition.auditedQuotes += answers.filter((answer) => answer !== SILENT).length;
  const suspects: AskedSwap[] = [];
  for (const [index, swap] of asked.entries()) {
    const answer = answers[index];
    if (answer === swap.amountOut) quoters.agreed(swap.followed.dex.dex.id);
    else if (answer !== SILENT) suspects.push(swap);
  }
  // Each on its own: a failure of one does not end the others.
  const examined = (suspect: AskedSwap) => Effect.ignore(examine(following, head, suspect));
  yield* Effect.forEach(suspects, examined, { concurrency: "unbounded", discard: true });
});

/** A swap that the chain quotes, with the quote here. */
interface AskedSwap extends QuotedSwap {
  readonly followed: FollowedPool;
  readonly quote: QuoteCall;
  readonly amountOut: bigint;
}

/** At most one swap of each pool. */
const drawSwaps = Effect.fnUntraced(function* (
  { mirror, quoters }: Following,
  { swapCount, routedSwaps }: QuoteAudit,
  curves: ReadonlyArray<Curve>,
) {
  const swaps = new Map<Address, QuotedSwap>();
  for (const swap of routedSwaps()) {
    if (swaps.size >= Math.ceil(swapCount / 2)) break;
    swaps.set(swap.pool, swap);
  }
  const askable = [...mirror.pools.values()].filter(
    ({ dex }) => dex.quoteCall !== undefined && !quoters.refused.has(dex.dex.id),
  );
  if (askable.length === 0) return [];
  const any = yield* drawn(askable, swapCount);
  const isFree = any.filter(({ listing }) => !swaps.has(listing.address));
  const others = isFree.slice(0, swapCount - swaps.size);
  const routed = askable.filter(({ listing }) => swaps.has(listing.address));
  const followed = [...routed, ...others];
  const quoted = quotePools(curves, mirror, followed);
  const asked: AskedSwap[] = [];
  for (const [index, pool] of followed.entries()) {
    const { listing } = pool;
    const { address } = listing;
    const quoting = quoted[index];
    if (quoting === undefined) continue;
    let swap = swaps.get(address);
    if (swap === undefined) {
      const positionIn = yield* Random.nextIntBetween(0, listing.tokens.length - 1);
      const step = yield* Random.nextIntBetween(1, listing.tokens.length - 1);
      const positionOut = (positionIn + step) % listing.tokens.length;
      const power = yield* Random.nextBetween(-HALVINGS, DOUBLINGS);
      const amount = quoting.family.depth(quoting.index, positionIn, positionOut) * 2 ** power;
      if (!Number.isFinite(amount)) continue;
      swap = { pool: address, positionIn, positionOut, amountIn: BigInt(Math.ceil(amount)) };
    }
    if (swap.amountIn < 1n) continue;
    const { positionIn, positionOut, amountIn } = swap;
    const amountOut = quoting.family.quoteExactIn(quoting.index, positionIn, positionOut, amountIn);
    const quote = pool.dex.quoteCall?.(listing, positionIn, positionOut, amountIn);
    // A swap that is refused here does no harm.
    if (quote !== undefined && amountOut > 0n) {
      asked.push({ ...swap, followed: pool, quote, amountOut });
    }
  }
  return asked;
});

/** The chain's quotes of the swaps; undefined where an answer makes no sense. */
const ask = Effect.fnUntraced(function* (
  { reading }: Following,
  { hash }: Header,
  swaps: ReadonlyArray<AskedSwap>,
) {
  const { endpoint, ...reader } = reading.readerAt(hash);
  const answers = yield* callAll(
    { ...reader, endpoint: aside(endpoint), gas: QUOTE_GAS },
    swaps.map(({ quote }) => quote.call),
  );
  return swaps.map(({ quote }, index) => {
    const answer = answers[index];
    return answer === "0x" ? SILENT : quote.amountOut(answer);
  });
});

/**
 * Checks a pool again, at the same block. The pool is blamed only when its state equals the chain's
 * and the answer still differs.
 */
const examine = Effect.fnUntraced(function* (
  following: Following,
  head: Header,
  suspect: AskedSwap,
): Effect.fn.Return<void, RpcError> {
  const { mirror, condition, quoters, blockTimeMs } = following;
  const { pool, followed, amountOut } = suspect;
  // While a block is being made, a node may answer for the one before with some of the new state.
  yield* Effect.sleep(Math.min(blockTimeMs, SECOND_LOOK_MS_MAX));
  const [answer] = yield* ask(following, head, [suspect]);
  if (answer === SILENT) return;
  if (answer === amountOut) return quoters.agreed(followed.dex.dex.id);
  const [read] = yield* readStates(following.reading.readerAt(head.hash), [followed]);
  // A block reverted meanwhile proves nothing, and a pool that has left does no harm.
  if (mirror.journal.indexOf(head.hash) === undefined) return;
  if (mirror.pools.get(pool)?.listing !== followed.listing) return;
  if (read === undefined || "refused" in read || !isSameState(read, followed.state)) {
    condition.driftedPools++;
    following.emit(mirror.unload(pool));
    return;
  }
  yield* blame(following, head, suspect, answer);
});

const blame = Effect.fnUntraced(function* (
  { mirror, admissions, condition, quoters, emit }: Following,
  head: Header,
  { pool, followed, positionIn, positionOut, amountIn, amountOut }: AskedSwap,
  answer: bigint | undefined,
) {
  const dexId = followed.dex.dex.id;
  const verdict = quoters.differed(dexId, pool);
  const amounts = { amountIn, quoted: amountOut, answered: answer ?? "nothing that makes sense" };
  const swap = { dexId, pool, positionIn, positionOut, ...amounts, blockNumber: head.number };
  if (verdict.kind === "pool") {
    condition.differingQuotes++;
    emit(mirror.bar(pool, NOT_LOADABLE.quotes));
    const news = "a pool is left out: its quotes are unlike the chain's";
    return yield* Effect.logWarning(news).pipe(Effect.annotateLogs(swap));
  }
  for (const acquitted of verdict.acquitted) admissions.pardoned(acquitted);
  if (verdict.acquitted.length === 0) return;
  const news = "a quoter is not asked any more: what it answers is unlike all quotes of its DEX";
  yield* Effect.logWarning(news).pipe(Effect.annotateLogs(swap));
});
