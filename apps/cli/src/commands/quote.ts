import { Effect } from "effect";
import { figure, wholeTokens } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import { quoteFacts, routeTokens, showRoute } from "../output/quoteView.ts";
import { tokensByAddress } from "../service/findToken.ts";
import type { MarketFlags } from "../service/MarketFlags.ts";
import { type QuoteWords, quoteAsked } from "../service/quoteAsked.ts";
import { ServiceAccess } from "../service/ServiceAccess.ts";

/** The best route now; with `isExplained` also what makes up the difference to the mid price. */
export const showQuote = Effect.fnUntraced(function* (
  flags: MarketFlags,
  words: QuoteWords,
  isExplained: boolean,
) {
  const access = yield* ServiceAccess.open(flags);
  const { output, params } = access;
  const asked = yield* quoteAsked(access, words);
  const { dexId = "ALL", maxHops = 3, maxSplits = 1, ...rest } = asked.request;
  const payload = { ...rest, dexId, maxHops, maxSplits, ...(isExplained && { explain: true }) };
  const quote = yield* access.ask((http) => http.swap.quote({ params, payload }));
  if (output.isJson) return output.json(quote);
  const tokens = yield* tokensByAddress(access, routeTokens(quote));
  output.facts(quoteFacts(quote, asked));
  showRoute(output, quote, tokens);
  if (quote.explanation === undefined) return;
  const { midPrice, totalBps, feesBps, curveBps, steps, runnerUp } = quote.explanation;
  const { decimals, symbol } = words.exactOutput ? asked.tokenIn : asked.tokenOut;
  const other = words.exactOutput ? runnerUp?.amountIn : runnerUp?.amountOut;
  output.whole("");
  output.facts({
    "mid price": figure(midPrice),
    lost: `${basisPoints(totalBps)}: ${basisPoints(feesBps)} fees, ${basisPoints(curveBps)} depth`,
    "next best": other === undefined ? "none" : `${wholeTokens(other, decimals)} ${symbol}`,
  });
  output.whole("");
  output.table(
    [
      {
        title: "pool",
        cell: ({ poolId, poolAddress }) => plainText(poolId ?? poolAddress),
      },
      { title: "fee", cell: ({ feeBps }) => basisPoints(feeBps), isRight: true },
      { title: "depth", cell: ({ curveBps: bps }) => basisPoints(bps), isRight: true },
    ],
    steps,
  );
});

const basisPoints = (bps: number): string => `${figure(bps)} bps`;
