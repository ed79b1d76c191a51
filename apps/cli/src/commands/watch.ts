import { isProblem } from "@millrace/client";
import { Effect } from "effect";
import { dollarFigure, wholeTokens } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import { findToken } from "../service/findToken.ts";
import type { MarketFlags } from "../service/MarketFlags.ts";
import { type QuoteWords, quoteAsked } from "../service/quoteAsked.ts";
import { ServiceAccess } from "../service/ServiceAccess.ts";

// Prints a line for each update; with --json the client's update.

/** Every block. */
export const watchBlocks = Effect.fnUntraced(function* (flags: MarketFlags, count: number) {
  const access = yield* ServiceAccess.open(flags);
  const { output } = access;
  yield* access.watch(
    (client, network) => client.blocks(network),
    count,
    (update) => {
      if (output.isJson) return output.json(update);
      const { blockNumber, timestamp, poolsChanged } = update.data;
      const time = new Date(timestamp).toISOString().slice(11, 19);
      output.line(
        `${plainText(blockNumber)}  ${time}  ${poolsChanged} pools changed${mark(update)}`,
      );
    },
  );
});

/** A token's price, whenever a block changes it. */
export const watchPrice = Effect.fnUntraced(function* (
  flags: MarketFlags,
  name: string,
  count: number,
) {
  const access = yield* ServiceAccess.open(flags);
  const { output } = access;
  const { address, symbol } = yield* findToken(access, name);
  yield* access.watch(
    (client, network) => client.price(network, address),
    count,
    (update) => {
      if (output.isJson) return output.json(update);
      const price = dollarFigure(update.data.price);
      output.line(`${plainText(update.blockNumber)}  ${symbol} ${price}${mark(update)}`);
    },
  );
});

/** The best route, whenever a block changes it. */
export const watchQuote = Effect.fnUntraced(function* (
  flags: MarketFlags,
  words: QuoteWords,
  count: number,
) {
  const access = yield* ServiceAccess.open(flags);
  const { output } = access;
  const { request, tokenIn, tokenOut } = yield* quoteAsked(access, words);
  yield* access.watch(
    (client, network) => client.quotes(network, request),
    count,
    (update) => {
      const { data } = update;
      if (output.isJson) return output.json(update);
      const answer = isProblem(data)
        ? `${data.code}: ${plainText(data.detail)}`
        : `${wholeTokens(data.amountIn, tokenIn.decimals)} ${tokenIn.symbol} → ` +
          `${wholeTokens(data.amountOut, tokenOut.decimals)} ${tokenOut.symbol}`;
      output.line(`${plainText(update.blockNumber)}  ${answer}${mark(update)}`);
    },
  );
});

const mark = ({ reorg }: { readonly reorg: boolean | "unknown" }): string =>
  reorg === true ? "  reorganised" : "";
