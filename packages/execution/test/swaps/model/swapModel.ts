import type { Address } from "@millrace/core";
import type { SwapOrder, SwapRefusal } from "@millrace/execution";
import type { PlainPool } from "@millrace/testing/reference";
import { rememberedPoolAfter } from "./rememberedSwaps.ts";
import {
  EXECUTOR,
  NATIVE_PLACEHOLDER,
  NOW_SECONDS,
  PERMIT2,
  TOKENS,
  UNIVERSAL,
  WRAPPED,
} from "./swapMarket.ts";

/** The rules of the contract page for swaps, written down once more, plainly. */

type Code = SwapRefusal["code"];

/** What may become of an order: one of the refusals, or what the transaction must say. */
export interface Judgement {
  /** Empty where nothing stands in the way. */
  readonly refusals: ReadonlySet<Code>;
  readonly terms: Terms | undefined;
}

export interface Terms {
  readonly recipient: Address;
  readonly fee: { readonly recipient: Address; readonly bps: number } | undefined;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly mostIn: bigint;
  readonly leastOut: bigint;
  readonly feeAmount: bigint;
  readonly deadline: number;
  readonly paths: ReadonlyArray<PlainPath>;
}

interface PlainPath {
  readonly hops: ReadonlyArray<PlainHop>;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** What goes into each hop. */
  readonly inputs: ReadonlyArray<bigint>;
}

interface PlainHop {
  readonly pool: PlainPool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

const END = 2n ** 256n;

/** Judges an order; router and permit are another matter. */
export function judge(order: SwapOrder, pools: ReadonlyMap<string, PlainPool>): Judgement {
  const refusals = new Set<Code>();
  const when = (isFault: boolean, code: Code = "INVALID_REQUEST") => {
    if (isFault) refusals.add(code);
    return isFault;
  };
  const [sender, recipient] = [lower(order.sender), lower(order.recipient ?? order.sender)];
  when(!canReceive(sender, pools));
  when(!canReceive(recipient, pools));
  const bps = order.fee?.bps ?? 0;
  when(!Number.isInteger(bps) || bps < 0 || bps > 1000);
  const fee = bps === 0 ? undefined : { recipient: lower(order.fee!.recipient), bps };
  when(fee !== undefined && !canReceive(fee.recipient, pools));
  const { slippagePpm, deadline = NOW_SECONDS + 1200 } = order;
  when(!Number.isInteger(slippagePpm) || slippagePpm < 0 || slippagePpm > 500_000);
  when(!Number.isInteger(deadline) || deadline < NOW_SECONDS || deadline > NOW_SECONDS + 3600);
  for (const amount of [order.amountIn, order.amountOut]) {
    when(amount < 0n || amount >= END);
    when(amount === 0n, "AMOUNT_TOO_SMALL");
  }
  const route =
    lower(order.tokenIn) === lower(order.tokenOut) ? wrapping(order) : routeOf(order, pools);
  if (typeof route === "string") refusals.add(route);
  else if (Array.isArray(route)) for (const code of route) refusals.add(code);
  if (refusals.size > 0) return { refusals, terms: undefined };
  const now = route as Route;
  const { amountIn, amountOut, paths } = now;
  const [kept, allowed] = [1_000_000n - BigInt(slippagePpm), 1_000_000n + BigInt(slippagePpm)];
  const isIn = order.kind === "exactIn";
  const isWrapping = paths.length === 0;
  // Compared as fractions: a floor would forgive what is less than a unit.
  const isWorse = isIn
    ? amountOut * 1_000_000n < order.amountOut * kept
    : amountIn * 1_000_000n > order.amountIn * allowed;
  if (isWorse) return { refusals: new Set(["PRICE_MOVED"]), terms: undefined };
  let [better, cheaper] = [order.amountOut, order.amountIn];
  if (amountOut > better) better = amountOut;
  if (amountIn < cheaper) cheaper = amountIn;
  const least = isWrapping || !isIn ? amountOut : (better * kept) / 1_000_000n;
  const gross = least > 0n ? least : 1n;
  return {
    refusals,
    terms: {
      ...{ recipient, fee, amountIn, amountOut, deadline, paths },
      mostIn: isIn || isWrapping ? amountIn : (cheaper * allowed) / 1_000_000n,
      leastOut: gross - (gross * BigInt(bps)) / 10_000n,
      feeAmount: (amountOut * BigInt(bps)) / 10_000n,
    },
  };
}

const lower = (address: string) => address.toLowerCase() as Address;
const isAddress = (text: string) => /^0x[0-9a-f]{40}$/.test(text);
const isNobody = (address: string) => address === NATIVE_PLACEHOLDER || BigInt(address) < 2n ** 16n;

function canReceive(address: string, pools: ReadonlyMap<string, PlainPool>): boolean {
  if (!isAddress(address) || isNobody(address) || pools.has(address)) return false;
  return ![...TOKENS, EXECUTOR, UNIVERSAL, PERMIT2].includes(address as Address);
}

interface Route {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly paths: ReadonlyArray<PlainPath>;
}

function wrapping({
  tokenIn,
  isNativeIn,
  isNativeOut,
  steps,
  ...order
}: SwapOrder): Route | Code[] {
  const isSound =
    lower(tokenIn) === WRAPPED &&
    isNativeIn !== isNativeOut &&
    steps.length === 0 &&
    order.amountIn === order.amountOut;
  if (isSound) return { amountIn: order.amountIn, amountOut: order.amountIn, paths: [] };
  return TOKENS.includes(lower(tokenIn))
    ? ["INVALID_REQUEST"]
    : ["INVALID_REQUEST", "UNKNOWN_TOKEN"];
}

function routeOf(order: SwapOrder, pools: ReadonlyMap<string, PlainPool>): Route | Code[] {
  const [tokenIn, tokenOut] = [lower(order.tokenIn), lower(order.tokenOut)];
  const faults: Code[] = [];
  if (!TOKENS.includes(tokenIn) || !TOKENS.includes(tokenOut)) faults.push("UNKNOWN_TOKEN");
  if (order.isNativeIn && tokenIn !== WRAPPED) faults.push("INVALID_REQUEST");
  if (order.isNativeOut && tokenOut !== WRAPPED) faults.push("INVALID_REQUEST");
  if (order.steps.some(({ pool }) => !pools.has(lower(pool)))) faults.push("UNKNOWN_POOL");
  const paths = pathsOf(order.steps, tokenIn);
  const { kind } = order;
  const isLinked =
    paths.length >= 1 &&
    paths.length <= 64 &&
    paths.every((path) => isPath(path, tokenIn, tokenOut, pools)) &&
    areOneWay(order.steps);
  if (!isLinked) faults.push("INVALID_REQUEST");
  const given = paths.map((path) => givenOf(path, kind));
  const whole = kind === "exactIn" ? order.amountIn : order.amountOut;
  const amounts = given.map((amount) => amount ?? (paths.length === 1 ? whole : -1n));
  const sum = amounts.reduce((total, amount) => total + amount, 0n);
  const areAmounts = amounts.every((amount) => amount >= 1n && amount < END) && sum === whole;
  if (!areAmounts) faults.push("INVALID_REQUEST");
  if (faults.length > 0) return faults;
  return execute(kind, paths, amounts, pools) ?? ["AMOUNT_TOO_SMALL", "INSUFFICIENT_LIQUIDITY"];
}

type Steps = SwapOrder["steps"];

/** A step that takes what the order takes begins a path. */
function pathsOf(steps: Steps, tokenIn: string): Steps[number][][] {
  const paths: Steps[number][][] = [];
  for (const step of steps) {
    if (paths.length === 0 || lower(step.tokenIn) === tokenIn) paths.push([step]);
    else paths.at(-1)!.push(step);
  }
  return paths;
}

function isPath(
  path: Steps,
  tokenIn: string,
  tokenOut: string,
  pools: ReadonlyMap<string, PlainPool>,
): boolean {
  const tokens = [tokenIn, ...path.map((step) => lower(step.tokenOut))];
  return (
    path.length <= 4 &&
    tokens.at(-1) === tokenOut &&
    new Set(tokens).size === tokens.length &&
    new Set(path.map(({ pool }) => lower(pool))).size === path.length &&
    path.every((step, place) => {
      const pool = pools.get(lower(step.pool));
      const ends = [tokens[place], tokens[place + 1]].sort();
      const isTorn = lower(step.tokenIn) !== tokens[place];
      return (
        pool !== undefined && !isTorn && ends.join() === [pool.token0, pool.token1].sort().join()
      );
    })
  );
}

/** No pool is sold to in both directions. */
function areOneWay(steps: Steps): boolean {
  const ways = new Set(steps.map(({ pool, tokenIn }) => `${lower(pool)} ${lower(tokenIn)}`));
  return ways.size === new Set(steps.map(({ pool }) => lower(pool))).size;
}

function givenOf(path: Steps, kind: SwapOrder["kind"]): bigint | undefined {
  return kind === "exactIn" ? path[0]!.amountIn : path.at(-1)!.amountOut;
}

/**
 * Path after path, each in the state that those before it have left; by the reference's arithmetic.
 */
export function execute(
  kind: SwapOrder["kind"],
  paths: ReadonlyArray<ReadonlyArray<Pick<Steps[number], "pool" | "tokenIn" | "tokenOut">>>,
  amounts: ReadonlyArray<bigint>,
  pools: ReadonlyMap<string, PlainPool>,
): Route | undefined {
  const states = new Map<string, PlainPool>();
  const done: PlainPath[] = [];
  for (const [place, steps] of paths.entries()) {
    let amount = amounts[place]!;
    const inputs: bigint[] = [];
    for (const step of kind === "exactIn" ? steps : steps.toReversed()) {
      const pool = states.get(lower(step.pool)) ?? pools.get(lower(step.pool))!;
      const swap = rememberedPoolAfter(pool, lower(step.tokenIn) === pool.token0, kind, amount);
      if (swap === undefined || swap.amountIn < 1n || swap.amountOut < 1n) return undefined;
      states.set(lower(step.pool), swap.after);
      inputs.push(swap.amountIn);
      amount = kind === "exactIn" ? swap.amountOut : swap.amountIn;
    }
    if (kind === "exactOut") inputs.reverse();
    done.push({
      hops: steps.map((step) => ({
        pool: pools.get(lower(step.pool))!,
        ...{ tokenIn: lower(step.tokenIn), tokenOut: lower(step.tokenOut) },
      })),
      amountIn: inputs[0]!,
      amountOut: kind === "exactIn" ? amount : amounts[place]!,
      inputs,
    });
  }
  const sum = (side: "amountIn" | "amountOut") => done.reduce((all, path) => all + path[side], 0n);
  return { amountIn: sum("amountIn"), amountOut: sum("amountOut"), paths: done };
}
