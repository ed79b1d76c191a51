import type { Address, PlannedRoute, RecomputedRoute } from "@millrace/core";
import { NATIVE_ADDRESS } from "@millrace/protocols";
import type { IntentPath, SwapIntent } from "../SwapIntent.ts";
import type { SwapOrder } from "../SwapOrder.ts";
import type { SwapRefusal } from "../SwapRefusal.ts";
import { findLimits } from "./findLimits.ts";
import type { ReviewTerms } from "./ReviewTerms.ts";
import { invalid, refuse } from "./refuse.ts";
import { type Parties, reviewParties } from "./reviewParties.ts";
import { reviewRoute } from "./reviewRoute.ts";
import { lacksKey, swapLeg } from "./swapLeg.ts";

const SLIPPAGE_MAX_PPM = 500_000;
const PPM_PER_PERCENT = 10_000;
const DEADLINE_DEFAULT_SECONDS = 20 * 60;
const DEADLINE_MAX_SECONDS = 60 * 60;
const AMOUNT_END = 1n << 256n;

/**
 * The intent of an order after every check, or a refusal; see `SwapIntent`. The order is untrusted:
 * as long as its types are right, any values give an intent made of our own graph, or a refusal.
 */
export function reviewSwap(order: SwapOrder, terms: ReviewTerms): SwapIntent | SwapRefusal {
  const fault = reviewNumbers(order, terms);
  if (fault !== undefined) return fault;
  const parties = reviewParties(order, terms);
  if ("refused" in parties) return parties;
  return order.tokenIn.toLowerCase() === order.tokenOut.toLowerCase()
    ? reviewWrap(order, parties, terms)
    : reviewTrade(order, parties, terms);
}

function reviewNumbers(order: SwapOrder, { nowSeconds }: ReviewTerms): SwapRefusal | undefined {
  for (const side of ["amountIn", "amountOut"] as const) {
    const amount = order[side];
    if (amount < 0n || amount >= AMOUNT_END) return invalid(["quote", side], "no amount");
    if (amount === 0n) return refuse("AMOUNT_TOO_SMALL", `${side} is 0`);
  }
  const { slippagePpm, deadline } = order;
  if (!Number.isInteger(slippagePpm) || slippagePpm < 0 || slippagePpm > SLIPPAGE_MAX_PPM) {
    return invalid(["slippage"], "not 0 to 50 percent, with at most four decimals");
  }
  if (deadline === undefined) return undefined;
  if (!Number.isSafeInteger(deadline)) return invalid(["deadline"], "no Unix time in seconds");
  if (deadline < nowSeconds) return invalid(["deadline"], "in the past");
  return deadline > nowSeconds + DEADLINE_MAX_SECONDS
    ? invalid(["deadline"], "more than 60 minutes ahead")
    : undefined;
}

/** What every intent has, whatever is swapped. */
function common(order: SwapOrder, parties: Parties, { engine, ...terms }: ReviewTerms) {
  const { graph } = engine;
  return {
    ...parties,
    chainId: graph.chainId,
    kind: order.kind,
    isNativeIn: order.isNativeIn,
    isNativeOut: order.isNativeOut,
    wrappedNative: terms.wrappedNative,
    deadline: order.deadline ?? terms.nowSeconds + DEADLINE_DEFAULT_SECONDS,
    blockNumber: graph.stamp.number,
  };
}

/** Native to wrapped or back: one for one. */
function reviewWrap(
  order: SwapOrder,
  parties: Parties,
  terms: ReviewTerms,
): SwapIntent | SwapRefusal {
  const token = terms.wrappedNative;
  if (order.tokenIn.toLowerCase() !== token || order.isNativeIn === order.isNativeOut) {
    return invalid(["quote", "tokenB"], "the same token as tokenA");
  }
  if (order.steps.length > 0) {
    return invalid(["quote", "routePlan"], "native and wrapped are exchanged without a pool");
  }
  const amount = order.amountIn;
  if (order.amountOut !== amount) {
    return invalid(["quote", "amountOut"], "native and wrapped are exchanged one for one");
  }
  const feeAmount = feeOf(amount, parties);
  return {
    ...common(order, parties, terms),
    ...{ tokenIn: token, tokenOut: token, paths: [] },
    ...{ amountIn: amount, amountOut: amount, amountInMax: amount },
    amountOutMin: amount - feeAmount,
    feeAmount,
  };
}

function reviewTrade(
  order: SwapOrder,
  parties: Parties,
  terms: ReviewTerms,
): SwapIntent | SwapRefusal {
  const { engine, wrappedNative } = terms;
  const { graph } = engine;
  const ends: Address[] = [];
  for (const side of ["tokenIn", "tokenOut"] as const) {
    const token = graph.findToken(order[side]);
    if (token === undefined) {
      return refuse("UNKNOWN_TOKEN", `${side} of the quote is no token of this network`);
    }
    ends.push(graph.tokenAddress(token));
  }
  const [tokenIn, tokenOut] = ends as [Address, Address];
  if (order.isNativeIn && tokenIn !== wrappedNative) {
    return invalid(["quote", "tokenA"], "not the native token");
  }
  if (order.isNativeOut && tokenOut !== wrappedNative) {
    return invalid(["quote", "tokenB"], "not the native token");
  }
  // Pools that hold the native token know it as a token of its own.
  const known = (token: Address) => (token === NATIVE_ADDRESS ? wrappedNative : token);
  if (known(tokenIn) === known(tokenOut)) {
    return invalid(["quote", "tokenB"], "the same token as tokenA");
  }
  const planned = reviewRoute(order, graph);
  if ("refused" in planned) return planned;
  const route = engine.recompute(planned);
  if (!route.filled) {
    const pool = graph.poolAddress(route.pool);
    return route.reason === "AmountTooSmall"
      ? refuse("AMOUNT_TOO_SMALL", `pool ${pool} gives nothing for so little`)
      : refuse("INSUFFICIENT_LIQUIDITY", `pool ${pool} cannot fill so much`);
  }
  const tooMuchGas = reviewGas(route, terms);
  if (tooMuchGas !== undefined) return tooMuchGas;
  const limits = findLimits(order, route);
  if (limits === undefined) return priceMoved(order, route);
  if (order.kind === "exactOut" && limits.amountInMax === route.amountIn) {
    const fault = reviewInput(route, terms, planned);
    if (fault !== undefined) return fault;
  }
  const paths = route.paths.map((steps, index) =>
    intentPath(engine, steps, route.inputBounds?.[index]),
  );
  const keyless = paths.flatMap(({ legs }) => legs).find(lacksKey);
  if (keyless !== undefined) {
    return refuse("NO_ROUTER", `the market does not say the key of the pool ${keyless.pool}`);
  }
  const fee = BigInt(parties.fee?.bps ?? 0);
  return {
    ...common(order, parties, terms),
    ...{ tokenIn: known(tokenIn), tokenOut: known(tokenOut), paths },
    isNativeIn: order.isNativeIn || tokenIn === NATIVE_ADDRESS,
    isNativeOut: order.isNativeOut || tokenOut === NATIVE_ADDRESS,
    ...{ amountIn: route.amountIn, amountOut: route.amountOut },
    amountInMax: limits.amountInMax,
    amountOutMin: limits.grossOutMin - (limits.grossOutMin * fee) / BPS,
    feeAmount: feeOf(route.amountOut, parties),
  };
}

function reviewGas({ gas }: RecomputedRoute, { gasLimit }: ReviewTerms): SwapRefusal | undefined {
  if (gasLimit === undefined || gas <= gasLimit) return undefined;
  const most = `one transaction may use ${gasLimit}`;
  return refuse("NO_ROUTER", `the route may need ${gas} gas, and ${most}`);
}

/**
 * Checks that the inputs of an exact output, put in as exact inputs, give at least that output: see
 * `takesExactInput`. A unit of a coarse token is worth many of the next one. So a pool may give
 * more than was asked, and that may be more than a later pool can take.
 */
function reviewInput(
  { paths, amountOut }: RecomputedRoute,
  terms: ReviewTerms,
  planned: PlannedRoute,
): SwapRefusal | undefined {
  const forward = terms.engine.recompute({
    kind: "exactIn",
    paths: planned.paths.map(({ hops }, index) => ({ hops, amount: paths[index]![0]!.amountIn })),
  });
  if (forward.filled && forward.amountOut >= amountOut) return reviewGas(forward, terms);
  return refuse("AMOUNT_TOO_SMALL", "rounding may cost more on the way than the slippage allows");
}

function priceMoved(order: SwapOrder, { amountIn, amountOut }: RecomputedRoute): SwapRefusal {
  const [now, quoted] =
    order.kind === "exactIn" ? [amountOut, order.amountOut] : [amountIn, order.amountIn];
  const percent = order.slippagePpm / PPM_PER_PERCENT;
  const verb = order.kind === "exactIn" ? "gives" : "takes";
  return refuse(
    "PRICE_MOVED",
    `the route ${verb} ${now} now, quoted were ${quoted}; allowed are ${percent} %`,
  );
}

const BPS = 10_000n;

function feeOf(amountOut: bigint, { fee }: Parties): bigint {
  return fee === undefined ? 0n : (amountOut * BigInt(fee.bps)) / BPS;
}

type ReviewedEngine = ReviewTerms["engine"];
type Steps = RecomputedRoute["paths"][number];

function intentPath(
  engine: ReviewedEngine,
  steps: Steps,
  inputBound: bigint | undefined,
): IntentPath {
  const amountIn = steps[0]!.amountIn;
  const amountOut = steps[steps.length - 1]!.amountOut;
  const legs = steps.map((step) => swapLeg(engine, step));
  return { amountIn, amountOut, ...(inputBound !== undefined && { inputBound }), legs };
}
