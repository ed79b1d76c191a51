import { type Address, type PoolIndex, poolKey, type Quote, type QuoteStep } from "@millrace/core";
import type { ManyTokenPool } from "@millrace/devnet";
import type { OrderedStep, SwapOrder } from "@millrace/execution";
import type { RandomSource } from "@millrace/testing";
import { type DeployedPool, type PathRequest, pickAmount, pickPath } from "./paths.ts";
import type { SwapSender } from "./SwapSender.ts";
import { oriented } from "./scene.ts";

/** A quote of the engine, and the options of its swap. */
export interface SwapCase {
  readonly quote: Pick<Quote, "amountIn" | "amountOut" | "steps">;
  readonly order: SwapOrder;
}

const SLIPPAGES_PPM = [0, 1_000, 5_000, 30_000];
const LENGTHS = [1, 2, 3, 4, 4, 4];
const MOST_HOPS = 4;
const SPLITS = [1, 2, 4, 8, 8];
const DUST_MOST = 50;

/**
 * A random swap that the engine has a quote for: a random path of one to four pools, or the best
 * route of up to eight paths; native and wrapped, exact input and output, to the sender or to
 * somebody else, with and without a partner's fee. Undefined where there is no quote.
 */
export function drawSwap(
  desk: SwapSender,
  pools: ReadonlyArray<DeployedPool>,
  random: RandomSource,
): SwapCase | undefined {
  const from =
    random.integer(3) === 0 ? pools.filter(({ deployment }) => isUniswap(deployment)) : pools;
  const hops = pickPath(from, random.pick(LENGTHS), random);
  const kind = random.integer(3) === 0 ? "exactOut" : "exactIn";
  const isBest = random.integer(2) === 0;
  const amount = (isBest ? largeAmount : pickAmount)(hops, kind, random);
  const request = { hops, kind, amount } as const;
  const quote = isBest ? bestQuote(desk, request, random) : pathQuote(desk, request);
  return quote && swapOf(desk, quote, kind, random);
}

/** As `drawSwap`, for an output of a few units. */
export function drawDust(
  desk: SwapSender,
  pools: ReadonlyArray<DeployedPool>,
  random: RandomSource,
): SwapCase | undefined {
  const hops = pickPath(pools, random.pick(LENGTHS), random);
  const amount = BigInt(1 + random.integer(DUST_MOST));
  const quote = pathQuote(desk, { hops, kind: "exactOut", amount });
  return quote && swapOf(desk, quote, "exactOut", random);
}

/**
 * A random swap between two tokens of a pool of many, through pools of its DEX alone (`isOwn`) or
 * by the best route.
 */
export function drawManyTokenSwap(
  desk: SwapSender,
  { id, dexId, tokens }: ManyTokenPool,
  isOwn: boolean,
  random: RandomSource,
): SwapCase | undefined {
  const { graph, familyOf, quoteUnsafe } = desk.live.engine;
  const pool = graph.findPool(poolKey(id));
  if (pool === undefined) return undefined;
  const positionIn = random.integer(tokens.length);
  const positionOut = (positionIn + 1 + random.integer(tokens.length - 1)) % tokens.length;
  const [tokenIn, tokenOut] = [positionIn, positionOut].map((at) => graph.poolToken(pool, at));
  const held = familyOf(pool).tokenAmounts(pool)[positionIn]!;
  const amount = held / 10n ** BigInt(2 + random.integer(6)) + BigInt(1 + random.integer(1_000));
  const onlyDexes = [graph.dexes.findIndex((dex) => dex.id === dexId)];
  const found = quoteUnsafe({
    ...{ tokenIn: tokenIn!, tokenOut: tokenOut!, kind: "exactIn", amount },
    ...{ maxHops: MOST_HOPS, maxSplits: isOwn ? 1 : random.pick(SPLITS) },
    ...(isOwn && { filter: { onlyDexes } }),
  });
  return found.found ? swapOf(desk, found, "exactIn", random) : undefined;
}

function swapOf(
  desk: SwapSender,
  quote: SwapCase["quote"],
  kind: SwapOrder["kind"],
  random: RandomSource,
): SwapCase {
  const { graph } = desk.live.engine;
  const tokenIn = graph.tokenAddress(quote.steps[0]!.tokenIn);
  const tokenOut = graph.tokenAddress(quote.steps.at(-1)!.tokenOut);
  const isNativeIn = tokenIn === desk.wrappedNative && random.integer(2) === 0;
  const isNativeOut = tokenOut === desk.wrappedNative && random.integer(2) === 0;
  return {
    quote,
    order: {
      sender: desk.sender,
      ...(random.integer(3) === 0 && { recipient: somebody(random, 0xfeed) }),
      tokenIn,
      tokenOut,
      isNativeIn,
      isNativeOut,
      kind,
      amountIn: quote.amountIn,
      amountOut: quote.amountOut,
      steps: quote.steps.map((step) => orderedStep(desk, step)),
      slippagePpm: random.pick(SLIPPAGES_PPM),
      ...(random.integer(3) === 0 && {
        fee: { recipient: somebody(random, 0xbeef), bps: 1 + random.integer(1_000) },
      }),
    },
  };
}

/** A few hundredths of the pools' holdings: worth splitting. */
function largeAmount(
  hops: PathRequest["hops"],
  kind: PathRequest["kind"],
  random: RandomSource,
): bigint {
  const { pool, positionIn } = kind === "exactIn" ? hops[0]! : hops.at(-1)!;
  const [, , reserveIn, reserveOut] = oriented(pool, positionIn);
  const part = BigInt(10 + random.integer(1_000));
  return (kind === "exactIn" ? reserveIn : reserveOut) / part + 1n;
}

const isUniswap = (deployment: DeployedPool["deployment"]): boolean =>
  deployment === "v2" || deployment === "v3";

/** One of many fresh accounts without code. */
const somebody = (random: RandomSource, prefix: number): Address =>
  `0x${(prefix * 2 ** 16 + random.integer(2 ** 16)).toString(16).padStart(40, "0")}`;

export const orderedStep = (
  { live }: SwapSender,
  { pool, tokenIn, tokenOut, amountIn, amountOut }: QuoteStep,
): OrderedStep => ({
  pool: live.engine.graph.poolAddress(pool),
  tokenIn: live.engine.graph.tokenAddress(tokenIn),
  tokenOut: live.engine.graph.tokenAddress(tokenOut),
  amountIn,
  amountOut,
});

function bestQuote(
  { live }: SwapSender,
  { hops, kind, amount }: PathRequest,
  random: RandomSource,
) {
  const { engine } = live;
  const first = hops[0]!;
  const last = hops.at(-1)!;
  const tokenIn = engine.graph.findToken(first.pool.tokens[first.positionIn]!)!;
  const tokenOut = engine.graph.findToken(last.pool.tokens[1 - last.positionIn]!)!;
  const maxSplits = random.pick(SPLITS);
  const dexes = engine.graph.dexes.flatMap(({ id }, index) =>
    id.startsWith("UNISWAP") ? [index] : [],
  );
  const filter = random.integer(3) === 0 ? { onlyDexes: dexes } : undefined;
  const result = engine.quoteUnsafe({
    ...{ tokenIn, tokenOut, kind, amount, maxHops: MOST_HOPS, maxSplits },
    ...(filter !== undefined && { filter }),
  });
  return result.found ? result : undefined;
}

function pathQuote(
  { live }: SwapSender,
  request: PathRequest,
): Pick<Quote, "amountIn" | "amountOut" | "steps"> | undefined {
  const { graph } = live.engine;
  const path = live.engine.recompute({
    kind: request.kind,
    paths: [
      {
        amount: request.amount,
        hops: request.hops.map(({ pool, positionIn }) => ({
          pool: graph.findPool(pool.address) as PoolIndex,
          tokenIn: graph.findToken(pool.tokens[positionIn]!)!,
          tokenOut: graph.findToken(pool.tokens[1 - positionIn]!)!,
        })),
      },
    ],
  });
  return path.filled ? { ...path, steps: path.paths.flat() } : undefined;
}
