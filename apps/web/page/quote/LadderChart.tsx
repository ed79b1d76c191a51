import type { SwapQuote } from "@millrace/api";
import { isProblem, type QuoteParameters } from "@millrace/client";
import { useMemo, useState } from "preact/hooks";
import { amountText, numberText } from "../format.ts";
import { useNetwork } from "../networks.ts";
import { client, useUpdates } from "../service.ts";
import type { KnownToken } from "../tokens.ts";

/** Sizes of the ladder, as parts of the amount asked. */
const PARTS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30] as const;
const [WIDTH, HEIGHT, MARGIN] = [600, 180, 24];

interface Size {
  readonly amountIn: string;
  /** Whole output tokens per whole input token; undefined where it cannot be filled. */
  readonly price: number | undefined;
}

/** What a unit gets at smaller and larger sizes, as the market is now. */
export function LadderChart({
  quote,
  request,
  into,
  out,
}: {
  readonly quote: SwapQuote;
  readonly request: QuoteParameters;
  readonly into: KnownToken | undefined;
  readonly out: KnownToken | undefined;
}) {
  const network = useNetwork();
  const [sizes, setSizes] = useState<ReadonlyArray<Size>>([]);
  // Of the first answer: the sizes stay while the chain moves on.
  const amounts = useMemo(() => sizesOf(BigInt(quote.amountIn)), []);
  const { tokenA, tokenB, maxHops = 3 } = request;
  useUpdates(
    network.id,
    // One path each: a ladder of many paths would cost sixteen times as much.
    () => client.ladder(network.id, { tokenA, tokenB, maxHops }, amounts),
    ({ quotes }) =>
      setSizes(
        quotes.map((one, at) => ({
          amountIn: amounts[at]!,
          price: isProblem(one) ? undefined : Number(one.tokenPrice),
        })),
      ),
  );
  const filled = sizes.filter(({ price }) => price !== undefined);
  if (filled.length < 2 || into === undefined || out === undefined) return null;
  const prices = filled.map(({ price }) => price!);
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const x = (amountIn: string) => {
    const [first, last] = [Number(amounts[0]), Number(amounts.at(-1))];
    const at = Math.log(Number(amountIn) / first) / Math.log(last / first);
    return MARGIN + at * (WIDTH - 2 * MARGIN);
  };
  const y = (price: number) =>
    MARGIN + (high === low ? 0.5 : (high - price) / (high - low)) * (HEIGHT - 2 * MARGIN);
  const line = filled.map(({ amountIn, price }) => `${x(amountIn)} ${y(price!)}`).join("L");
  return (
    <section aria-labelledby="ladder">
      <h2 id="ladder">Price by size, over one path</h2>
      <svg
        class="ladder"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`From ${numberText(prices[0]!)} for ${amountText(amounts[0]!, into.decimals)} to ${numberText(prices.at(-1)!)} for ${amountText(filled.at(-1)!.amountIn, into.decimals)}`}
      >
        <path class="ladderLine" d={`M${line}`} />
        {filled.map(({ amountIn, price }) => (
          <circle key={amountIn} cx={x(amountIn)} cy={y(price!)} r="3">
            <title>{`${amountText(amountIn, into.decimals)}: ${numberText(price!)}`}</title>
          </circle>
        ))}
        <text x={MARGIN} y={HEIGHT - 6}>
          {amountText(amounts[0]!, into.decimals)}
        </text>
        <text x={WIDTH - MARGIN} y={HEIGHT - 6} text-anchor="end">
          {amountText(amounts.at(-1)!, into.decimals)}
        </text>
      </svg>
    </section>
  );
}

function sizesOf(amountIn: bigint): ReadonlyArray<string> {
  const sizes = PARTS.map((part) => (amountIn * BigInt(part * 100)) / 100n || 1n);
  return [...new Set(sizes.map(String))];
}
