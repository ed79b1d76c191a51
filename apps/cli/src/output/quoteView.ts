import type { SwapQuote } from "@millrace/api";
import type { NamedToken } from "../service/findToken.ts";
import type { AskedQuote } from "../service/quoteAsked.ts";
import { feePercent, figure, wholeTokens } from "./decimalAmounts.ts";
import type { Output } from "./Output.ts";
import { plainText } from "./plainText.ts";

/** The facts of a quote for people: input, output, price and costs. */
export function quoteFacts(quote: SwapQuote, { tokenIn, tokenOut }: AskedQuote) {
  return {
    in: `${wholeTokens(quote.amountIn, tokenIn.decimals)} ${tokenIn.symbol}`,
    out: `${wholeTokens(quote.amountOut, tokenOut.decimals)} ${tokenOut.symbol}`,
    price: `${quote.tokenPrice} ${tokenOut.symbol} for one ${tokenIn.symbol}`,
    impact: `${figure(quote.priceImpact * 100)} %`,
    gas: figure(Number(quote.gasEstimate)),
    block: quote.blockNumber,
    better: certified(quote),
    warning: warningOf(quote),
  };
}

/** The certificate in words. */
const certified = ({ certificate }: SwapQuote): string | undefined =>
  certificate && `by at most ${figure(certificate.gapBps)} bps, whatever the routing`;

/** Prints the pools of a quote; `tokens` are those of its steps. */
export function showRoute(
  output: Output,
  { routePlan }: SwapQuote,
  tokens: ReadonlyMap<string, NamedToken>,
): void {
  if (routePlan.length === 0) return;
  const amount = (units: string, address: string): string => {
    const { symbol, decimals } = tokens.get(address.toLowerCase())!;
    return `${wholeTokens(units, decimals)} ${symbol}`;
  };
  output.whole("");
  output.table(
    [
      { title: "in", cell: ({ amountIn, tokenA }) => amount(amountIn, tokenA) },
      { title: "out", cell: ({ amountOut, tokenB }) => amount(amountOut, tokenB) },
      { title: "DEX", cell: ({ dexId }) => plainText(dexId) },
      { title: "fee", cell: ({ fee }) => feePercent(fee), isRight: true, isOptional: true },
      {
        title: "pool",
        cell: ({ poolId, poolAddress }) => plainText(poolId ?? poolAddress),
        isOptional: true,
      },
    ],
    routePlan,
  );
}

/** Tokens of the steps of a quote. */
export const routeTokens = ({ routePlan }: SwapQuote): string[] =>
  routePlan.flatMap(({ tokenA, tokenB }) => [tokenA, tokenB]);

function warningOf({ executable, unverified = [], warnings = [] }: SwapQuote): string | undefined {
  const words = [
    ...(executable === false ? ["no router of the network can execute it"] : []),
    ...(unverified.length > 0
      ? [`behaviour not known to be plain: ${unverified.map(plainText).join(", ")}`]
      : []),
    ...warnings.map(({ token, detail }) => `${plainText(token)}: ${plainText(detail)}`),
  ];
  return words.length === 0 ? undefined : words.join("; ");
}
