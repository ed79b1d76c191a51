import type { SwapQuote } from "@millrace/api";
import { isProblem, type QuoteParameters } from "@millrace/client";
import { useMemo, useRef, useState } from "preact/hooks";
import { amountText, numberText } from "../format.ts";
import { useNetwork } from "../networks.ts";
import { useWidth } from "../parts/useWidth.ts";
import { client, useUpdates } from "../service.ts";
import type { KnownToken } from "../tokens.ts";

/** Sizes of the ladder, as multiples of the requested amount. */
const PARTS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30] as const;
const [WIDTH_MIN, WIDTH_MAX, HEIGHT] = [240, 640, 190];
/** Room for prices at the left, and for amounts below. */
const [LEFT, RIGHT, TOP, BOTTOM] = [84, 16, 12, 34];

interface Size {
  readonly amountIn: string;
  /** Whole output tokens per whole input token; undefined where the size has no quote. */
  readonly price: number | undefined;
}

/** The price at smaller and larger sizes in the current market. */
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
  // From the first answer: the sizes stay while the chain moves on.
  const asked = useMemo(() => quote.amountIn, []);
  const amounts = useMemo(() => sizesOf(BigInt(asked)), []);
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
  const frame = useRef<HTMLElement>(null);
  const width = Math.min(Math.max(useWidth(frame), WIDTH_MIN), WIDTH_MAX);
  const filled = sizes.filter(({ price }) => price !== undefined);
  if (filled.length < 2 || into === undefined || out === undefined) {
    return <section ref={frame} />;
  }
  const prices = filled.map(({ price }) => price!);
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const x = (amountIn: string) => {
    const [first, last] = [Number(amounts[0]), Number(amounts.at(-1))];
    const at = Math.log(Number(amountIn) / first) / Math.log(last / first);
    return LEFT + at * (width - LEFT - RIGHT);
  };
  const y = (price: number) =>
    TOP + (high === low ? 0.5 : (high - price) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const line = filled.map(({ amountIn, price }) => `${x(amountIn)} ${y(price!)}`).join("L");
  const amountOf = (amountIn: string) => amountText(amountIn, into.decimals);
  return (
    <section ref={frame} aria-labelledby="ladder">
      <h2 id="ladder">Price by size, over one path</h2>
      <svg
        class="ladder"
        viewBox={`0 0 ${width} ${HEIGHT}`}
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`From ${numberText(prices[0]!)} for ${amountOf(amounts[0]!)} to ${numberText(prices.at(-1)!)} for ${amountOf(filled.at(-1)!.amountIn)}`}
      >
        {[...new Set([high, (high + low) / 2, low])].map((price) => (
          <g key={price}>
            <path class="ladderGrid" d={`M${LEFT} ${y(price)}H${width - RIGHT}`} />
            <text x={LEFT - 8} y={y(price)} dy="0.35em" text-anchor="end">
              {numberText(price)}
            </text>
          </g>
        ))}
        <path class="ladderLine" d={`M${line}`} />
        {filled.map(({ amountIn, price }) => (
          <circle key={amountIn} cx={x(amountIn)} cy={y(price!)} r="3.5">
            <title>{`${amountOf(amountIn)}: ${numberText(price!)}`}</title>
          </circle>
        ))}
        {[amounts[0]!, asked, amounts.at(-1)!].map((amountIn, at) => (
          <text key={at} x={x(amountIn)} y={HEIGHT - 10} text-anchor={ANCHORS[at]!}>
            {amountOf(amountIn)}
          </text>
        ))}
      </svg>
    </section>
  );
}

/** Anchors of the labels of the least, the requested and the greatest amount. */
const ANCHORS = ["start", "middle", "end"] as const;

function sizesOf(amountIn: bigint): ReadonlyArray<string> {
  const sizes = PARTS.map((part) => (amountIn * BigInt(part * 100)) / 100n || 1n);
  return [...new Set(sizes.map(String))];
}
