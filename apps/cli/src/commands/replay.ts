import type { AppliedHeader } from "@millrace/server";
import { Effect, type Scope } from "effect";
import { type CommandError, commandRefused, wrongUsage } from "../CommandError.ts";
import { dollarFigure, wholeTokens } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import { findToken, tokensByAddress } from "../service/findToken.ts";
import { type MarketFlags, ownMarketFlags } from "../service/MarketFlags.ts";
import { type QuoteWords, quoteAsked } from "../service/quoteAsked.ts";
import { ServiceAccess } from "../service/ServiceAccess.ts";
import { pathText, startToken } from "./cycles.ts";

// A recorded market, block by block: each block is applied and then queried as a watch would be.
// The first block is the recorded market itself; its changes are unknown.

/** The blocks to replay; `from` or `to` below 0 is no limit. */
export interface ReplaySpan {
  readonly history: string;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The output for a block: `data` for programs, `text` for people. */
interface BlockLine {
  readonly data: unknown;
  readonly text: string;
}

/** Every block. */
export const replayBlocks = Effect.fnUntraced(function* (flags: MarketFlags, span: ReplaySpan) {
  const access = yield* openRecording(flags, span);
  yield* eachBlock(access, span, (header) => {
    const time = new Date(header.timestamp).toISOString().slice(0, 19).replace("T", " ");
    const text = `${time}  ${header.poolsChanged} pools changed`;
    return Effect.succeed({ data: header, text });
  });
});

/** A token's price in each block. */
export const replayPrice = Effect.fnUntraced(function* (
  flags: MarketFlags,
  name: string,
  span: ReplaySpan,
) {
  const access = yield* openRecording(flags, span);
  const { address, symbol } = yield* findToken(access, name);
  const asked = { params: { address }, query: access.query };
  yield* eachBlock(
    access,
    span,
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
  span: ReplaySpan,
) {
  const access = yield* openRecording(flags, span);
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
  yield* eachBlock(access, span, () => asked);
});

/** The most profitable round trip in each block. */
export const replayCycles = Effect.fnUntraced(function* (
  flags: MarketFlags,
  words: { readonly token: string; readonly maxHops: number },
  span: ReplaySpan,
) {
  const access = yield* openRecording(flags, span);
  const { address, symbol, decimals } = yield* startToken(access, words.token);
  yield* eachBlock(
    access,
    span,
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
  { history, from, to }: ReplaySpan,
): Effect.fn.Return<ServiceAccess, CommandError, Scope.Scope> {
  const places = [...ownMarketFlags(flags), ...(history === "" ? [] : ["--history"])];
  if (places.length !== 1 || (flags.marketFile === "" && history === "")) {
    const words = "a recorded market, or a history, is replayed";
    return yield* wrongUsage(`${words}: say which by --market-file or --history alone`);
  }
  const past = { history, from: from < 0 ? undefined : from, to: to < 0 ? undefined : to };
  return yield* ServiceAccess.open(
    flags,
    history === "" ? { stepped: true, replayMs: 1 } : { stepped: true, past },
  );
});

const eachBlock = Effect.fnUntraced(function* (
  { own, output }: ServiceAccess,
  { from, to, count }: ReplaySpan,
  tell: (header: AppliedHeader) => Effect.Effect<BlockLine, CommandError>,
) {
  let header = own!.firstBlock as AppliedHeader | undefined;
  for (let shown = 0; shown < count && header !== undefined; ) {
    const number = Number(header.blockNumber);
    if (to >= 0 && number > to) return;
    if (number >= from) {
      const { data, text } = yield* tell(header);
      if (output.isJson) output.json({ ...header, data });
      else output.line(`${header.blockNumber}  ${text}`);
      shown++;
    }
    header = yield* Effect.tryPromise({
      try: () => own!.nextBlock(),
      catch: (cause) => commandRefused(causeText(cause)),
    });
  }
});

const causeText = (cause: unknown): string => {
  const { detail, message } = Object(cause) as { detail?: string; message?: string };
  return detail ?? message ?? String(cause);
};
