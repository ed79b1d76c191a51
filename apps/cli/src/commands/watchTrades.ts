import type { TradeJson } from "@millrace/api";
import { Effect } from "effect";
import { dollarFigure } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import type { MarketFlags } from "../service/MarketFlags.ts";
import { ServiceAccess } from "../service/ServiceAccess.ts";
import { tradeAmounts } from "../service/tradeAmounts.ts";

/** Trades of one answer, and answers to one block, at most: what is more is told as missed. */
const PAGE = 500;
const PAGES_MAX = 20;

type Trade = typeof TradeJson.Type;

/**
 * The swaps of a pool, oldest first, from the newest one that there is on. No stream has them: they
 * are asked for whenever a block has come, back to the last that was told.
 */
export const watchTrades = Effect.fnUntraced(function* (
  flags: MarketFlags,
  address: string,
  count: number,
) {
  const access = yield* ServiceAccess.open(flags);
  const { output, query } = access;
  const page = (limit: number, before?: string) =>
    access.ask((http) =>
      http.market.poolTrades({
        params: { address },
        query: { limit, ...(before !== undefined && { before }), ...query },
      }),
    );
  const amount = yield* tradeAmounts(access, address);
  let last = (yield* page(1)).data[0]?.id;
  let shown = 0;

  /** Those after the last, the newest first; undefined where there are too many. */
  const newTrades = Effect.fnUntraced(function* () {
    const found: Trade[] = [];
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const { data } = yield* page(PAGE, found.at(-1)?.id);
      const known = data.findIndex(({ id }) => last !== undefined && !isAfter(id, last));
      found.push(...(known < 0 ? data : data.slice(0, known)));
      if (known >= 0 || data.length < PAGE) return found;
    }
    output.note("trades are missed: there are too many of them");
    return found;
  });

  yield* access.watchUntil(
    (client, network) => client.blocks(network),
    Effect.fnUntraced(function* () {
      const trades = yield* newTrades();
      last = trades[0]?.id ?? last;
      for (const trade of trades.reverse()) {
        if (output.isJson) output.json(trade);
        else {
          const { blockNumber, valueUsd, amountIn, amountOut, tokenIn, tokenOut } = trade;
          const swap = `${amount(amountIn, tokenIn)} → ${amount(amountOut, tokenOut)}`;
          output.line(`${plainText(blockNumber)}  ${swap}  ${dollarFigure(valueUsd)}`);
        }
        shown++;
        if (shown === count) break;
      }
      return shown < count;
    }),
  );
});

/** Ids are the number of a block and the index of a log. */
function isAfter(one: string, other: string): boolean {
  const [block, log] = one.split("-").map(Number);
  const [otherBlock, otherLog] = other.split("-").map(Number);
  return block! > otherBlock! || (block === otherBlock && log! > otherLog!);
}
