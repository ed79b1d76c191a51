import {
  type Address,
  type PlannedRoute,
  type PoolIndex,
  pathsOf,
  type Quote,
  type QuoteStep,
  type RecomputedRoute,
} from "@millrace/core";
import type { BuiltSwap, SwapOrder } from "@millrace/execution";
import type { RandomSource } from "@millrace/testing";
import { encodeFunctionData, maxUint48, maxUint160, maxUint256, numberToHex, parseAbi } from "viem";
import { NATIVE, SwapSender } from "../live/SwapSender.ts";
import { orderedStep } from "../live/swapCases.ts";
import { repeatedIn, usesOtherGas } from "./gasOfPools.ts";

/** Accounts that hold some of every token. */
const RECIPIENT: Address = `0x${"feed0001".padStart(40, "0")}`;
const PARTNER: Address = `0x${"feed0002".padStart(40, "0")}`;
const HELD = 1_000n;
const approvalAbi = parseAbi([
  "function approve(address spender, uint256 amount)",
  "function approve(address token, address spender, uint160 amount, uint48 expiration)",
  "function transfer(address to, uint256 amount)",
  "function observationLength() view returns (uint256)",
]);
const MOST_HOPS = 4;
/** The fees of some pools depend on the time: within a second, one has cost half a percent more. */
const SLIPPAGE_PPM = 50_000;
/**
 * Some numbers are repeated, so that they are more frequent: the paths of the result also depend on
 * the size.
 */
const MOST_PATHS = [1, 1, 1, 2, 4, 8, 8, 8];

/** A mined swap, and its gas. */
export interface MinedSwap {
  readonly built: BuiltSwap;
  /** Of the route, as recomputed before the swap. */
  readonly gas: number;
  readonly typicalGas: number;
  readonly gasUsed: number;
  /** See `GasShape.repeatedGas`. */
  readonly repeatedGas: number;
  /** The recipients that held none of the token before. */
  readonly firsts: Firsts;
  /** A Solidly pool wrote an observation, as it does every half hour. */
  readonly isObserved: boolean;
}

type Firsts = Readonly<Record<"isFirstReceipt" | "isFirstFee", boolean>>;
const NO_FIRSTS: Firsts = { isFirstReceipt: false, isFirstFee: false };

/** A desk with approvals, on a market where recipients already hold their tokens. */
export async function openGasDesk(
  network: "ETH" | "BASE",
  seed: number,
  untraded = false,
): Promise<SwapSender> {
  const desk = await SwapSender.open(network, seed, untraded);
  // As on a real chain: no pool was used before in the same second.
  const seconds = desk.live.devnet.blockTimeMs / 1_000;
  await desk.live.chain.request("anvil_setBlockTimestampInterval", [seconds]);
  await desk.live.chain.request("anvil_setBalance", [RECIPIENT, numberToHex(HELD)]);
  for (const { address: to } of desk.live.devnet.tokens) {
    for (const holder of [RECIPIENT, PARTNER]) {
      const args = [holder, HELD] as const;
      await send(
        desk,
        to,
        encodeFunctionData({ abi: approvalAbi, functionName: "transfer", args }),
      );
    }
    await approve(desk, to, maxUint256);
  }
  await desk.live.caughtUp();
  return desk;
}

/**
 * Large swaps in pools without earlier trades, after a small sale on either side: they cross ticks
 * for the first time.
 */
export async function mineFirstCrossings(
  desk: SwapSender,
  poolsMost: number,
): Promise<ReadonlyArray<MinedSwap>> {
  const { graph } = desk.live.engine;
  const firstCrossings: MinedSwap[] = [];
  const poolStep = Math.max(1, Math.floor(graph.poolCount / poolsMost));
  for (let pool = 0 as PoolIndex; pool < graph.poolCount; pool = (pool + poolStep) as PoolIndex) {
    if (graph.isLive(pool)) firstCrossings.push(...(await tradeAround(desk, pool)));
  }
  return firstCrossings;
}

/**
 * Sells a little on both sides, then much on one, then as much on the other; gives the last two.
 */
async function tradeAround(desk: SwapSender, pool: PoolIndex): Promise<ReadonlyArray<MinedSwap>> {
  const { familyOf, graph } = desk.live.engine;
  const share = tradedShare(graph.curveNames[graph.poolCurve[pool]!]!, graph.poolParameter[pool]!);
  const { sqrtPriceX96, liquidity } = familyOf(pool).priceAndLiquidity(pool);
  const most0 = scaled((liquidity << 96n) / sqrtPriceX96, share);
  const most1 = scaled((liquidity * sqrtPriceX96) >> 96n, share);
  for (const [place, most] of [most0, most1].entries())
    await sell(desk, pool, place, scaled(most, 1e-6));
  const there = await sell(desk, pool, 0, most0);
  const beyond = await sell(desk, pool, 1, there.built.intent.amountOut + most1);
  return [there, beyond];
}

/**
 * The traded part of the reserves: enough to pass most ticks, which are closer for narrower
 * spacings.
 */
function tradedShare(protocol: string, tickSpacing: number): number {
  if (protocol === "constant-product") return 0.001;
  return tickSpacing === 1 ? 0.01 : tickSpacing === 10 ? 0.06 : 0.3;
}

const scaled = (amount: bigint, share: number): bigint =>
  (amount * BigInt(Math.round(share * 1e9))) / 1_000_000_000n + 1n;

async function sell(
  desk: SwapSender,
  pool: PoolIndex,
  place: number,
  amount: bigint,
): Promise<MinedSwap> {
  const { graph, recompute } = desk.live.engine;
  const [tokenIn, tokenOut] = [graph.poolToken(pool, place), graph.poolToken(pool, 1 - place)];
  const route = recompute({
    kind: "exactIn",
    paths: [{ amount, hops: [{ pool, tokenIn, tokenOut }] }],
  });
  if (!route.filled) throw new Error(`${route.reason} in ${graph.poolAddress(pool)}`);
  const built = desk.build(orderOf(desk, { ...route, steps: route.paths.flat() }, {}));
  return mine(desk, built, route);
}

/** Mines an order that must be possible; everything is approved. */
async function mine(
  desk: SwapSender,
  built: ReturnType<SwapSender["build"]>,
  { gas, typicalGas }: Pick<RecomputedRoute, "gas" | "typicalGas">,
  firsts: Firsts = NO_FIRSTS,
): Promise<MinedSwap> {
  if (built.refused) throw new Error(`${built.code}: ${built.detail}`);
  const repeatedGas = repeatedIn(desk, built);
  const before = await observationsOf(desk, built);
  const { gasUsed, status } = await desk.send(built.swap);
  if (status !== "0x1") throw new Error(`reverted: ${wordsOf(built)}`);
  await desk.live.caughtUp();
  const isObserved = (await observationsOf(desk, built)) !== before;
  return { built, gas, typicalGas, gasUsed: Number(gasUsed), repeatedGas, firsts, isObserved };
}

/** The counts of observations of the Solidly pools on a swap's route, as text. */
async function observationsOf({ live }: SwapSender, { intent }: BuiltSwap): Promise<string> {
  const pools = intent.paths.flatMap(({ legs }) =>
    legs.flatMap(({ protocol, pool }) => (protocol.startsWith("aerodrome") ? [pool] : [])),
  );
  const data = encodeFunctionData({ abi: approvalAbi, functionName: "observationLength" });
  const counts = pools.map((to) =>
    live.chain.request<string>("eth_call", [{ to, data }, "latest"]),
  );
  return (await Promise.all(counts)).join();
}

function wordsOf({ intent, router }: BuiltSwap): string {
  const { paths: _, ...terms } = intent;
  const paths = intent.paths.map(({ legs }) => legs.map(({ dexId }) => dexId));
  const shown = { router: router.kind, ...terms, paths };
  return JSON.stringify(shown, (_key, value) => (typeof value === "bigint" ? `${value}` : value));
}

async function send(desk: SwapSender, to: Address, data: `0x${string}`): Promise<void> {
  const { status } = await desk.send({ to, data, value: 0n });
  if (status !== "0x1") throw new Error("reverted");
}

/** Approves `amount` for both routers; the maximum is not decremented. */
async function approve(desk: SwapSender, token: Address, amount: bigint): Promise<void> {
  const { address: router, permit2 } = desk.table.universalRouter!;
  const functionName = "approve";
  for (const spender of [desk.executor, permit2]) {
    await send(
      desk,
      token,
      encodeFunctionData({ abi: approvalAbi, functionName, args: [spender, amount] }),
    );
  }
  const kept = amount < maxUint160 ? amount : maxUint160;
  const args = [token, router, kept, Number(maxUint48)] as const;
  await send(desk, permit2, encodeFunctionData({ abi: approvalAbi, functionName, args }));
}

type Wishes = Partial<Pick<SwapOrder, "recipient" | "fee" | "isNativeIn" | "isNativeOut" | "kind">>;

function orderOf(
  desk: SwapSender,
  { amountIn, amountOut, steps }: Pick<Quote, "amountIn" | "amountOut" | "steps">,
  wishes: Wishes,
): SwapOrder {
  const { graph } = desk.live.engine;
  return {
    sender: desk.sender,
    tokenIn: graph.tokenAddress(steps[0]!.tokenIn),
    tokenOut: graph.tokenAddress(steps.at(-1)!.tokenOut),
    ...{ isNativeIn: false, isNativeOut: false, kind: "exactIn", amountIn, amountOut },
    steps: steps.map((step) => orderedStep(desk, step)),
    slippagePpm: SLIPPAGE_PPM,
    ...wishes,
  };
}

/**
 * Draws a swap, approves its input, and mines it. Undefined where there is no quote for it, where
 * it does not fit into a transaction, or where the sender has too little.
 */
export async function mineOne(
  desk: SwapSender,
  random: RandomSource,
): Promise<MinedSwap | undefined> {
  const { engine } = desk.live;
  const kind = random.integer(3) === 0 ? "exactOut" : "exactIn";
  const steps = drawRoute(desk, kind, random);
  if (steps === undefined || steps.some(({ pool }) => usesOtherGas(desk, pool))) return undefined;
  const route = engine.recompute(plannedOf(kind, steps));
  if (!route.filled) return undefined;
  const ends = [steps[0]!.tokenIn, steps.at(-1)!.tokenOut].map(
    engine.graph.tokenAddress,
    engine.graph,
  );
  const [isNativeIn, isNativeOut] = ends.map(
    (token) => token === desk.wrappedNative && random.integer(3) > 0,
  );
  const hasFee = random.integer(3) === 0;
  const firsts = {
    isFirstReceipt: random.integer(isNativeOut ? 2 : 4) === 0,
    isFirstFee: hasFee && random.integer(3) === 0,
  };
  const order = orderOf(
    desk,
    { ...route, steps: route.paths.flat() },
    {
      ...{ kind, isNativeIn: isNativeIn!, isNativeOut: isNativeOut! },
      recipient: firsts.isFirstReceipt ? newAccount(random) : RECIPIENT,
      ...(hasFee && {
        fee: {
          recipient: firsts.isFirstFee ? newAccount(random) : PARTNER,
          bps: 1 + random.integer(1_000),
        },
      }),
    },
  );
  const { universalRouter: _, ...ownOnly } = desk.table;
  const built = desk.build(order, random.integer(2) === 0 ? ownOnly : desk.table);
  if (built.refused) return undefined;
  const { intent } = built;
  const [held] = await desk.balances([desk.sender], [intent.tokenIn]);
  if (held!.get(isNativeIn ? NATIVE : intent.tokenIn)! < intent.amountInMax) return undefined;
  if (!isNativeIn)
    await approve(desk, intent.tokenIn, random.integer(2) === 0 ? maxUint256 : intent.amountInMax);
  return mine(desk, built, route, firsts);
}

/** A random account that was never used. */
const newAccount = (random: RandomSource): Address =>
  `0x${((0xfeedn << 144n) | random.bigint(1n << 128n)).toString(16)}`;

/** Native to wrapped, or back. */
export async function mineWrapping(desk: SwapSender, isNativeIn: boolean): Promise<MinedSwap> {
  const [tokenIn, tokenOut] = [desk.wrappedNative, desk.wrappedNative];
  const amounts = { amountIn: 10n ** 18n, amountOut: 10n ** 18n };
  const native = { isNativeIn, isNativeOut: !isNativeIn };
  const order = { sender: desk.sender, tokenIn, tokenOut, ...native, ...amounts };
  const built = desk.build({ ...order, kind: "exactIn", steps: [], slippagePpm: 0 });
  return mine(desk, built, { gas: 0, typicalGas: 0 });
}

/** The steps of the best route between two tokens, or of one over random pools. */
function drawRoute(
  desk: SwapSender,
  kind: SwapOrder["kind"],
  random: RandomSource,
): ReadonlyArray<QuoteStep> | undefined {
  const { graph, quoteUnsafe } = desk.live.engine;
  const tokenIn = drawToken(desk, random);
  const tokenOut = drawToken(desk, random);
  if (tokenIn === tokenOut) return undefined;
  const onlyDexes = graph.dexes.flatMap(({ id }, dex) => (id.startsWith("UNISWAP") ? [dex] : []));
  const withoutPools = Array.from(
    { length: graph.poolCount },
    (_, pool) => pool as PoolIndex,
  ).filter(() => random.integer(3) === 0);
  const filter = { withoutPools, ...(random.integer(2) === 0 && { onlyDexes }) };
  const maxHops = 1 + random.integer(MOST_HOPS);
  const maxSplits = random.pick(MOST_PATHS);
  const amount = drawAmount(desk, kind === "exactIn" ? tokenIn : tokenOut, maxSplits, random);
  const quote = quoteUnsafe({ tokenIn, tokenOut, kind, amount, maxHops, maxSplits, filter });
  return quote.found ? quote.steps : undefined;
}

/** The wrapped native token in one of four cases. */
function drawToken(desk: SwapSender, random: RandomSource): QuoteStep["tokenIn"] {
  const { graph } = desk.live.engine;
  if (random.integer(4) === 0) return graph.findToken(desk.wrappedNative)!;
  return random.integer(graph.tokenCount) as QuoteStep["tokenIn"];
}

/**
 * Up to a twentieth of the token's deepest pool, all orders of magnitude equally likely; larger
 * where it may be split, since small amounts gain nothing from splits.
 */
function drawAmount(
  { live }: SwapSender,
  token: QuoteStep["tokenIn"],
  maxSplits: number,
  random: RandomSource,
): bigint {
  const { familyOf, graph } = live.engine;
  let deepest = 0n;
  for (let pool = 0 as PoolIndex; pool < graph.poolCount; pool++) {
    const place = graph.poolPosition(pool, token);
    if (place < 0) continue;
    const held = familyOf(pool).tokenAmounts(pool)[place]!;
    if (held > deepest) deepest = held;
  }
  const [first, digits] = maxSplits > 3 ? [0.6, 1.5] : [1.3, 4];
  return scaled(deepest, 10 ** -(first + (digits * random.integer(1_000)) / 1_000));
}

function plannedOf(kind: SwapOrder["kind"], steps: ReadonlyArray<QuoteStep>): PlannedRoute {
  return {
    kind,
    paths: pathsOf({ steps }).map((hops) => ({
      amount: kind === "exactIn" ? hops[0]!.amountIn : hops.at(-1)!.amountOut,
      hops,
    })),
  };
}
