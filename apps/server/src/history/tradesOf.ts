import type { Address } from "@millrace/core";
import { HistoryError, type HistoryTrade, type TradesQuery } from "@millrace/history";
import { type Trade, tradeView } from "@millrace/market";
import { Effect } from "effect";
import type { Opened } from "../routes/marketOf.ts";

/** Which trades a client asks for. */
export interface TradesAsked {
  /** The client of the request. */
  readonly client: string;
  readonly limit: number;
  /** See `Trade.id`. */
  readonly before?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly maker?: string | undefined;
  /** Undefined where only memory is asked. */
  readonly of: TradesQuery["of"] | undefined;
  readonly pair?: TradesQuery["pair"];
  /** The base of the trades; without it, token0 of each trade. */
  readonly base?: Address | undefined;
  readonly inMemory: (limit: number, before: string | undefined) => ReadonlyArray<Trade>;
}

/**
 * Trades, the newest first: from memory, and older ones from the history. Fails where the history
 * is needed and cannot be read; a request for the newest gets those in memory instead.
 */
export const tradesOf = Effect.fnUntraced(function* (
  { network, market }: Opened,
  asked: TradesAsked,
): Effect.fn.Return<ReadonlyArray<Trade>, HistoryError> {
  const { limit, before, from: fromMs, to: toMs, maker, of } = asked;
  const { found, oldest, isAll } = remembered(asked);
  const past = of === undefined ? undefined : market.past;
  if (past === undefined || of === undefined || isAll || found.length >= limit) return found;
  const query = {
    of,
    pair: asked.pair,
    maker: maker?.toLowerCase() as Address | undefined,
    before: positionOf(oldest ?? before),
    fromMs,
    toMs,
    limit: limit - found.length,
  };
  const isNewest =
    before === undefined && fromMs === undefined && toMs === undefined && maker === undefined;
  // Trades that left memory before they were written would be missing in the middle.
  const read =
    past.writer.waitingAhead() > network.config.tradesMax
      ? Effect.fail(TOO_FAR_BEHIND)
      : past.readFor(asked.client, past.store.trades(query));
  const older = yield* Effect.catch(read, (error) =>
    isNewest ? Effect.succeed([]) : Effect.fail(error),
  );
  return [...found, ...older.map((trade) => viewed(market, trade, asked.base))];
});

const TOO_FAR_BEHIND = new HistoryError({
  reason: "Unavailable",
  detail: "it is too far behind the chain",
});

/** Trades that are read from memory at once. */
const LOOKED_AT_ONCE = 500;
/** A later block may have a timestamp earlier by so much, where clocks of sequencers disagree. */
const BACKWARDS_MS = 60_000;

interface Remembered {
  readonly found: ReadonlyArray<Trade>;
  /** Id of the last trade that was looked at, wanted or not. */
  readonly oldest: string | undefined;
  /** All older ones are too old to be wanted. */
  readonly isAll: boolean;
}

/** The wanted trades that memory has. */
function remembered(asked: TradesAsked): Remembered {
  const { limit, before, from = 0, to = Number.POSITIVE_INFINITY, inMemory } = asked;
  const maker = asked.maker?.toLowerCase();
  const found: Trade[] = [];
  let oldest: string | undefined;
  for (;;) {
    const looked = inMemory(LOOKED_AT_ONCE, oldest ?? before);
    for (const trade of looked) {
      const { timestampMs } = trade.stamp;
      if (timestampMs < from - BACKWARDS_MS) return { found, oldest, isAll: true };
      oldest = trade.id;
      const isOfTime = timestampMs >= from && timestampMs <= to;
      if (isOfTime && (maker === undefined || trade.maker === maker)) found.push(trade);
      if (found.length === limit) return { found, oldest, isAll: false };
    }
    if (looked.length < LOOKED_AT_ONCE) return { found, oldest, isAll: false };
  }
}

function viewed({ engine }: Opened["market"], trade: HistoryTrade, base: Address | undefined) {
  const { graph } = engine;
  const decimalsOf = (address: Address) => {
    const token = graph.findToken(address);
    return token === undefined ? NaN : graph.tokenDecimals[token]!;
  };
  const { tokenIn, tokenOut } = trade;
  const [token0] = [tokenIn, tokenOut].sort();
  const sold = base ?? token0;
  const decimals = { ofIn: decimalsOf(tokenIn), ofOut: decimalsOf(tokenOut) };
  return tradeView(trade, tokenOut === sold, decimals);
}

function positionOf(id: string | undefined) {
  if (id === undefined) return undefined;
  const [blockNumber, logIndex] = id.split("-").map(Number);
  return { blockNumber: blockNumber!, logIndex: logIndex! };
}
