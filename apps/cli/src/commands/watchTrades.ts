import type { TradeJson } from "@millrace/api";
import { Effect } from "effect";
import { dollarFigure } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import type { MarketFlags } from "../service/MarketFlags.ts";
import { ServiceAccess } from "../service/ServiceAccess.ts";
import { tradeAmounts } from "../service/tradeAmounts.ts";

/** Limits of trades an answer and answers a block; trades beyond them are reported as missed. */
const PAGE = 500;
const PAGES_MAX = 20;

type Trade = typeof TradeJson.Type;

/**
 * Prints the swaps of a pool, oldest first, starting after the newest known one. It asks for them
 * after each block, back to the last one printed.
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

  /** Trades after the last one, the newest first, up to PAGES_MAX pages. */
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

/** An id is a block number and a log index. */
function isAfter(one: string, other: string): boolean {
  const [block, log] = one.split("-").map(Number);
  const [otherBlock, otherLog] = other.split("-").map(Number);
  return block! > otherBlock! || (block === otherBlock && log! > otherLog!);
}
