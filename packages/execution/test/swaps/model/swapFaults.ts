import type { Address } from "@millrace/core";
import type {
  BuildResult,
  BuiltSwap,
  Permit,
  RouterTable,
  SwapOrder,
  SwapRefusal,
  SwapRouter,
} from "@millrace/execution";
import type { PlainPool } from "@millrace/testing/reference";
import { askedInputs } from "@millrace/testing/reference";
import { NOW_SECONDS } from "./swapMarket.ts";
import { hopOf, type Meaning, meaningOf, NO_FEE, NO_PERMIT } from "./swapMeaning.ts";
import { execute, judge, type Terms } from "./swapModel.ts";
import { faultOfLateMoves, faultOfMoves } from "./swapMoves.ts";

const CODES = [
  "INVALID_REQUEST",
  "UNKNOWN_TOKEN",
  "UNKNOWN_POOL",
  "AMOUNT_TOO_SMALL",
  "INSUFFICIENT_LIQUIDITY",
  "NO_ROUTER",
  "PRICE_MOVED",
];

type Pools = ReadonlyMap<string, PlainPool>;

/** Of a hop: more than its roundings can be together. */
const ROUNDING_UNITS = 5n;

/**
 * What is wrong with what became of an order, by the rules; undefined when nothing is. A
 * transaction is read by viem, and executed on the pools as they are, and as they are later.
 */
export function faultOfSwap(
  order: SwapOrder,
  table: RouterTable,
  result: BuildResult,
  pools: Pools,
  later: Pools,
): string | undefined {
  const { refusals, terms } = judge(order, pools);
  if (result.refused) {
    const fault = faultOfShape(result);
    if (fault !== undefined) return fault;
    if (terms === undefined) {
      return refusals.has(result.code) ? undefined : `${result.code}, not ${[...refusals]}`;
    }
    return isExcused(result, order, table, terms, pools)
      ? undefined
      : `${result.code}: ${result.detail}`;
  }
  if (terms === undefined) return `built, where it is ${[...refusals]}`;
  return (
    faultOfTransaction(order, table, result, terms, pools) ??
    faultOfMoves(order, result, terms, pools) ??
    faultOfLateMoves(order, result, terms, later).fault
  );
}

function faultOfShape({ code, detail, path }: SwapRefusal): string | undefined {
  if (!CODES.includes(code)) return `the code ${code}`;
  if (typeof detail !== "string" || detail === "" || detail.length > 300) return "its detail";
  // Numbers, addresses and words: no text that somebody has written into an order.
  if (!/^[\w ,.:;%'/()-]+$/.test(detail)) return `its detail: ${detail}`;
  return (code === "INVALID_REQUEST") === Array.isArray(path) ? undefined : "its path";
}

/** A sound order for which the network has no router, or none that takes its permit. */
function isExcused(
  refusal: SwapRefusal,
  order: SwapOrder,
  table: RouterTable,
  terms: Terms,
  pools: Pools,
): boolean {
  const isWrapping = terms.paths.length === 0;
  const isPlain = terms.fee === undefined && terms.recipient === order.sender.toLowerCase();
  if (refusal.code === "INVALID_REQUEST") {
    if (refusal.path?.[0] !== "permit" || order.permit === undefined) return false;
    if (order.isNativeIn || isWrapping) return true;
    const { permit } = order;
    const kinds = [
      ...(table.executor === undefined ? [] : (["executor"] as const)),
      ...(table.universalRouter === undefined ? [] : (["universal-router"] as const)),
    ];
    // An exact output may be bound by what it takes.
    const most = [terms.amountIn, terms.mostIn];
    return kinds.some((kind) => most.some((amount) => !isFit(permit, kind, amount)));
  }
  if (refusal.code === "AMOUNT_TOO_SMALL") {
    const { paths } = terms;
    const inputs = paths.map(({ amountIn }) => amountIn);
    const steps = paths.map(({ hops }) => hops.map((hop) => ({ ...hop, pool: hop.pool.address })));
    const given = order.kind === "exactOut" && execute("exactIn", steps, inputs, pools);
    return given !== false && isTight(terms) && (given?.amountOut ?? 0n) < terms.amountOut;
  }
  if (refusal.code !== "NO_ROUTER") return false;
  if (isWrapping) return !isPlain;
  if (table.executor !== undefined) return false;
  const isReached = terms.paths.every(({ hops }) =>
    hops.every(({ pool }) => pool.dexId.startsWith("UNISWAP")),
  );
  // The Universal Router works no mixed path back from its output.
  return !isReached || table.universalRouter === undefined || order.kind === "exactOut";
}

function faultOfTransaction(
  order: SwapOrder,
  table: RouterTable,
  { intent, router, swap }: BuiltSwap,
  terms: Terms,
  pools: Pools,
): string | undefined {
  const sender = order.sender.toLowerCase() as Address;
  const meaning = meaningOf(swap, [...pools.values()], sender);
  const isWrapping = terms.paths.length === 0;
  const targets = isWrapping
    ? [table.wrappedNative]
    : [table.executor, table.universalRouter?.address];
  // Where the contracts may ask for more than may go in, an exact output is bounded by what it
  // takes.
  const most = intent.amountInMax === terms.amountIn ? terms.amountIn : terms.mostIn;
  const bps = terms.fee?.bps ?? 0;
  const expected: Readonly<Record<string, readonly [found: unknown, right: unknown]>> = {
    target: [targets.includes(swap.to), true],
    router: [swap.to, router.address],
    value: [swap.value, order.isNativeIn ? most : 0n],
    recipient: [meaning.recipient, terms.recipient],
    fee: [meaning.fee, bps === 0 ? NO_FEE : `${bps} to ${terms.fee!.recipient}`],
    "least out": [meaning.leastOut, terms.leastOut],
    "native out": [meaning.nativeOut, order.isNativeOut],
    deadline: [meaning.deadline, isWrapping ? 0 : terms.deadline],
    paths: [pathsOf(meaning), pathsOf({ paths: expectedPaths(terms, meaning) })],
    "headroom of the most in": [order.kind === "exactIn" || hasHeadroom(most, terms), true],
    permit: [meaning.permit === NO_PERMIT, order.permit === undefined],
    "fit of the permit": [
      order.permit === undefined ||
        (!order.isNativeIn && isFit(order.permit, router.kind, intent.amountInMax)),
      true,
    ],
    "intent's most in": [intent.amountInMax, most],
    "intent's least out": [intent.amountOutMin, terms.leastOut],
    "intent's amount in": [intent.amountIn, terms.amountIn],
    "intent's amount out": [intent.amountOut, terms.amountOut],
    "intent's fee": [intent.feeAmount, terms.feeAmount],
    "intent's block": [intent.blockNumber, 77],
  };
  for (const [name, [found, right]] of Object.entries(expected)) {
    if (found !== right) return `${name}: ${found}, not ${right}`;
  }
  return faultOfMost(order, meaning, most, terms);
}

/** What may go in: all of it, but for shares of it that are rounded down. */
function faultOfMost(
  order: SwapOrder,
  { kind, mostIn, paths }: Meaning,
  most: bigint,
  { amountIn }: Terms,
): string | undefined {
  if (kind === "exactOut") {
    if (order.kind !== kind) return `${kind}, not ${order.kind}`;
    return mostIn <= most && mostIn + BigInt(paths.length) > most
      ? undefined
      : `most in: ${mostIn}`;
  }
  // An exact output may go as an exact input when no more than that may go in.
  const isRight = mostIn === amountIn && (order.kind === "exactIn" || most === amountIn);
  return isRight ? undefined : `amount in: ${mostIn}`;
}

/** Whether a permit is one that a router's permits can be, for at least an amount. */
function isFit(
  { signature, amount, deadline, nonce, expiration }: Permit,
  kind: SwapRouter["kind"],
  least: bigint,
): boolean {
  const isPermit2 = kind === "universal-router";
  const isIn = (value: bigint, from: bigint, bits: bigint) => value >= from && value < 2n ** bits;
  const now = BigInt(NOW_SECONDS);
  return (
    kind !== "wrapper" &&
    (isPermit2 ? /^0x[0-9a-f]{130}$/i : /^0x[0-9a-f]{128}(00|01|1b|1c)$/i).test(signature) &&
    isIn(amount, least, isPermit2 ? 160n : 256n) &&
    isIn(nonce, 0n, isPermit2 ? 48n : 256n) &&
    isIn(deadline, now, 256n) &&
    (!isPermit2 || (expiration !== undefined && isIn(expiration, now, 48n)))
  );
}

/** An exact output may take what contracts ask for it, or what it was found to take. */
function hasHeadroom(most: bigint, terms: Terms): boolean {
  const { paths, amountIn } = terms;
  if (paths.length === 0) return true;
  if (most === amountIn) return isTight(terms);
  const asked = askedInputs(paths, 0n);
  return asked !== undefined && asked <= most;
}

/** Whether rounding could cost more than may go in, by any reasonable estimate. */
function isTight({ paths, mostIn }: Terms): boolean {
  const asked = askedInputs(paths, ROUNDING_UNITS);
  return asked === undefined || asked > mostIn;
}

function expectedPaths({ paths }: Terms, { kind }: Meaning): Meaning["paths"] {
  return paths.map(({ hops, amountIn, amountOut }) => ({
    hops: [...hops.map(({ pool, tokenIn }) => hopOf(pool.address, tokenIn)), hops.at(-1)!.tokenOut],
    amount: kind === "exactIn" ? amountIn : amountOut,
  }));
}

const pathsOf = ({ paths }: Pick<Meaning, "paths">): string =>
  paths.map(({ hops, amount }) => `${amount} by ${hops.join(" ")}`).join("; ");
