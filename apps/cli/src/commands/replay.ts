import type { AppliedHeader } from "@millrace/server";
import { Effect, type Scope } from "effect";
import { type CommandError, wrongUsage } from "../CommandError.ts";
import { dollarFigure, wholeTokens } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import { findToken, tokensByAddress } from "../service/findToken.ts";
import { type MarketFlags, ownMarketFlags } from "../service/MarketFlags.ts";
import { type QuoteWords, quoteAsked } from "../service/quoteAsked.ts";
import { ServiceAccess } from "../service/ServiceAccess.ts";
import { pathText, startToken } from "./cycles.ts";

// A recorded market, block by block: each is applied, then asked what a watch would tell of it. The
// first block is the market as it was recorded, whose changes nobody knows.

/** What a block is told as: `data` for programs, `text` for people. */
interface BlockLine {
  readonly data: unknown;
  readonly text: string;
}

/** Every block. */
export const replayBlocks = Effect.fnUntraced(function* (flags: MarketFlags, count: number) {
  const access = yield* openRecording(flags);
  yield* eachBlock(access, count, (header) => {
    const time = new Date(header.timestamp).toISOString().slice(0, 19).replace("T", " ");
    const text = `${time}  ${header.poolsChanged} pools changed`;
    return Effect.succeed({ data: header, text });
  });
});

/** A token's price in each block. */
export const replayPrice = Effect.fnUntraced(function* (
  flags: MarketFlags,
  name: string,
  count: number,
) {
  const access = yield* openRecording(flags);
  const { address, symbol } = yield* findToken(access, name);
  const asked = { params: { address }, query: access.query };
  yield* eachBlock(
    access,
    count,
    Effect.fnUntraced(function* () {
      const data = yield* access.ask((http) => http.market.token(asked));
      return { data, text: `${symbol} ${dollarFigure(data.data.price)}` };
    }),
  );
});

/** The best route in each block, or why there is none. */
export const replayQuote = Effect.fnUntraced(function* (
  flags: MarketFlags,
  words: QuoteWords,
  count: number,
) {
  const access = yield* openRecording(flags);
  const { params } = access;
  const { request, tokenIn, tokenOut } = yield* quoteAsked(access, words);
  const { dexId = "ALL", maxHops = 3, maxSplits = 1, ...rest } = request;
  const payload = { ...rest, dexId, maxHops, maxSplits };
  const asked = access
    .ask((http) => http.swap.quote({ params, payload }))
    .pipe(
      Effect.map((data) => {
        const given = `${wholeTokens(data.amountIn, tokenIn.decimals)} ${tokenIn.symbol}`;
        const taken = `${wholeTokens(data.amountOut, tokenOut.decimals)} ${tokenOut.symbol}`;
        return { data, text: `${given} → ${taken}` };
      }),
      Effect.catchIf(
        ({ kind }) => kind === "refused",
        ({ message }) => Effect.succeed({ data: { problem: message }, text: plainText(message) }),
      ),
    );
  yield* eachBlock(access, count, () => asked);
});

/** The most profitable round trip in each block. */
export const replayCycles = Effect.fnUntraced(function* (
  flags: MarketFlags,
  words: { readonly token: string; readonly maxHops: number; readonly count: number },
) {
  const access = yield* openRecording(flags);
  const { address, symbol, decimals } = yield* startToken(access, words.token);
  yield* eachBlock(
    access,
    words.count,
    Effect.fnUntraced(function* () {
      const cycles = access.own!.cycles(address, words.maxHops);
      const data = { token: address, cycles };
      const [best] = cycles;
      if (best === undefined) return { data, text: "none" };
      const passed = best.steps.map(({ tokenIn }) => tokenIn);
      const path = pathText(best, yield* tokensByAddress(access, passed));
      return { data, text: `${wholeTokens(best.profit, decimals)} ${symbol}  ${path}` };
    }),
  );
});

const openRecording = Effect.fnUntraced(function* (
  flags: MarketFlags,
): Effect.fn.Return<ServiceAccess, CommandError, Scope.Scope> {
  if (flags.marketFile === "" || ownMarketFlags(flags).length > 1)
    return yield* wrongUsage("a recorded market is replayed: say which by --market-file alone");
  return yield* ServiceAccess.open(flags, { stepped: true, replayMs: 1 });
});

const eachBlock = Effect.fnUntraced(function* (
  { own, output }: ServiceAccess,
  count: number,
  tell: (header: AppliedHeader) => Effect.Effect<BlockLine, CommandError>,
) {
  let header = own!.firstBlock as AppliedHeader | undefined;
  for (let shown = 0; shown < count && header !== undefined; shown++) {
    const { data, text } = yield* tell(header);
    if (output.isJson) output.json({ ...header, data });
    else output.line(`${header.blockNumber}  ${text}`);
    header = yield* Effect.promise(() => own!.nextBlock());
  }
});
