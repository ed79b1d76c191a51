import type { SwapQuote, SwapTransactions } from "@millrace/api";
import { Effect } from "effect";
import { commandRefused, wrongUsage } from "../CommandError.ts";
import { wholeTokens } from "../output/decimalAmounts.ts";
import type { Output } from "../output/Output.ts";
import { plainText } from "../output/plainText.ts";
import { quoteFacts } from "../output/quoteView.ts";
import type { MarketFlags } from "../service/MarketFlags.ts";
import { type AskedQuote, type QuoteWords, quoteAsked } from "../service/quoteAsked.ts";
import { ServiceAccess } from "../service/ServiceAccess.ts";

/** Settings of a swap, in addition to its quote. */
export interface SwapWords {
  /** The sender; empty where the key determines it. */
  readonly from: string;
  readonly slippage: number;
  readonly execute: boolean;
  /** Executes on a network whose tokens are worth something. */
  readonly yes: boolean;
  /** The node to send to; by default the first of those that the market follows. */
  readonly sendTo: string;
}

/** The transactions of a swap, unsigned; with `execute` they are signed, sent, and waited for. */
export const showSwap = Effect.fnUntraced(function* (
  flags: MarketFlags,
  words: QuoteWords,
  swap: SwapWords,
) {
  const access = yield* ServiceAccess.open(flags);
  const { output, params } = access;
  const sender = yield* senderOf(swap, access, flags);
  const asked = yield* quoteAsked(access, words);
  const { dexId = "ALL", maxHops = 3, maxSplits = 1, ...rest } = asked.request;
  const quote = yield* access.ask((http) =>
    http.swap.quote({ params, payload: { ...rest, dexId, maxHops, maxSplits } }),
  );
  const { slippage } = swap;
  const payload = { publicKey: sender.address, quote, slippage };
  const built = yield* access.ask((http) => http.swap.swap({ params, payload }));
  if (!output.isJson) showLimits(output, quote, built, asked);
  const hashes = yield* sender.send(built.transactions);
  if (output.isJson) return output.json({ ...built, ...(swap.execute && { hashes }) });
  if (swap.execute) {
    output.whole("");
    output.table([{ title: "mined transactions", cell: String }], hashes);
    return;
  }
  for (const [index, { to, data, value }] of built.transactions.entries()) {
    output.whole(`\ntransaction ${index + 1} of ${built.transactions.length}`);
    output.whole(`to     ${plainText(to)}\nvalue  ${plainText(value)}\ndata   ${hexText(data)}`);
  }
});

const senderOf = Effect.fnUntraced(function* (
  { from, execute, yes, sendTo }: SwapWords,
  { network, output }: ServiceAccess,
  { rpcUrl }: MarketFlags,
) {
  if (!execute) {
    if (from === "")
      return yield* wrongUsage("--from says whose swap it is, unless --execute does");
    return { address: from, send: () => Effect.succeed([]) };
  }
  if (network.devnet !== true && !yes)
    return yield* commandRefused(`${network.id} is no devnet: --yes sends the swap all the same`);
  const node = sendTo || rpcUrl.split(",")[0]!.trim();
  if (node === "")
    return yield* wrongUsage("--execute needs --send-to, or MILLRACE_RPC_URL: a node to send to");
  const { keySender } = yield* Effect.promise(() => import("../service/keySender.ts"));
  const sender = yield* keySender(node, network.chainId, output);
  if (from !== "" && from.toLowerCase() !== sender.address.toLowerCase())
    return yield* wrongUsage(`the key is of ${sender.address}, not of ${from}`);
  return sender;
});

function showLimits(
  output: Output,
  quote: SwapQuote,
  { minAmountOut, maxAmountIn, simulated }: SwapTransactions,
  asked: AskedQuote,
): void {
  const { tokenIn, tokenOut } = asked;
  const least =
    minAmountOut && `${wholeTokens(minAmountOut, tokenOut.decimals)} ${tokenOut.symbol}`;
  const most = maxAmountIn && `${wholeTokens(maxAmountIn, tokenIn.decimals)} ${tokenIn.symbol}`;
  const tried = simulated ? "by a node, on the newest block" : "by no node";
  output.facts({ ...quoteFacts(quote, asked), "at least": least, "at most": most, tried });
}

/** Never clipped: the user copies all of it. */
const hexText = (data: string): string => (/^0x[0-9a-fA-F]*$/.test(data) ? data : "not hex");
