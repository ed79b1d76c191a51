import type { Address, Hex } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import { concatHex, encodeFunctionData, multicall3Abi, numberToHex } from "viem";
import { erc20Abi, NO_DEADLINE, positionsAbi, swapRouterAbi, v2RouterAbi } from "./abis.ts";
import type { Scene, Sending } from "./Crowd.ts";
import { type PoolReading, V3_FEES, v2FactoryAbi, v2PairAbi, v3FactoryAbi } from "./readPools.ts";

/** One thing that a trader does: as many transactions as it takes, none when it cannot. */
export type Act = (scene: Scene) => ReadonlyArray<Sending>;

const MAX_UINT128 = 2n ** 128n - 1n;
const TICK_MAX = 887_272;
const WORD = 256;
const SPACING_FEES: Readonly<Record<number, number>> = { 1: 100, 10: 500, 60: 3000, 200: 10000 };

const swapConcentrated: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = pickConcentrated(scene);
  if (pool === undefined) return [];
  const { address: from } = random.pick(devnet.traders);
  const [tokenIn, tokenOut, reserveIn, reserveOut] = oriented(pool, random.integer(2));
  const hop = { tokenIn, tokenOut, fee: feeOf(pool), recipient: from, sqrtPriceLimitX96: 0n };
  const to = devnet.contracts.swapRouter02;
  if (random.integer(4) > 0) {
    const args = [{ ...hop, amountIn: someOf(scene, reserveIn), amountOutMinimum: 0n }] as const;
    const functionName = "exactInputSingle";
    return [{ from, to, data: encodeFunctionData({ abi: swapRouterAbi, functionName, args }) }];
  }
  const amountOut = someOf(scene, reserveOut);
  const args = [{ ...hop, amountOut, amountInMaximum: MAX_UINT128 }] as const;
  const functionName = "exactOutputSingle";
  return [{ from, to, data: encodeFunctionData({ abi: swapRouterAbi, functionName, args }) }];
};

/** Two swaps of opposite directions at once: there, and more than back again. */
const swapThereAndBack: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = pickConcentrated(scene);
  if (pool === undefined) return [];
  const { address: from } = random.pick(devnet.traders);
  const direction = random.integer(2);
  return [direction, 1 - direction].map((inPlace) => {
    const [tokenIn, tokenOut, reserveIn] = oriented(pool, inPlace);
    const hop = { tokenIn, tokenOut, fee: feeOf(pool), recipient: from, sqrtPriceLimitX96: 0n };
    const args = [{ ...hop, amountIn: reserveIn / 3n + 1n, amountOutMinimum: 0n }] as const;
    const functionName = "exactInputSingle";
    const data = encodeFunctionData({ abi: swapRouterAbi, functionName, args });
    return { from, to: devnet.contracts.swapRouter02, data };
  });
};

const swapPair: Act = (scene) => {
  const { devnet, random } = scene;
  const pair = pickPair(scene);
  if (pair === undefined) return [];
  const { address: from } = random.pick(devnet.traders);
  const [tokenIn, tokenOut, reserveIn, reserveOut] = oriented(pair, random.integer(2));
  const router = routerOf(devnet, pair);
  const path = [tokenIn, tokenOut];
  const amountIn = someOf(scene, reserveIn);
  if (router === undefined) {
    // Half of what would be fair: the pair takes it, and the rest is the others'.
    const amountOut = (amountIn * reserveOut) / (reserveIn + amountIn) / 2n;
    if (amountOut === 0n) return [];
    const outs = pair.tokens[0] === tokenIn ? [0n, amountOut] : [amountOut, 0n];
    const swap = { functionName: "swap", args: [outs[0]!, outs[1]!, from, "0x"] } as const;
    return [
      together(devnet, from, [
        pay(tokenIn, from, pair.address, amountIn),
        [pair.address, encodeFunctionData({ abi: v2PairAbi, ...swap })],
      ]),
    ];
  }
  if (random.integer(3) > 0) {
    const args = [amountIn, 0n, path, from, NO_DEADLINE] as const;
    const functionName = "swapExactTokensForTokens";
    return [
      { from, to: router, data: encodeFunctionData({ abi: v2RouterAbi, functionName, args }) },
    ];
  }
  const args = [someOf(scene, reserveOut), MAX_UINT128, path, from, NO_DEADLINE] as const;
  const functionName = "swapTokensForExactTokens";
  return [{ from, to: router, data: encodeFunctionData({ abi: v2RouterAbi, functionName, args }) }];
};

/** Adds to a pair, takes what a donation left, or makes it part of the reserves. */
const tendPair: Act = (scene) => {
  const { devnet, random } = scene;
  const pair = random.pick(pairsOf(scene));
  const { address: from } = random.pick(devnet.traders);
  const amounts = pair.head.map((reserve) => someOf(scene, reserve) + 1_001n);
  const pays = pair.tokens.map((token, index) => pay(token, from, pair.address, amounts[index]!));
  const call = (data: Hex) => [pair.address, data] as const;
  const mint = { functionName: "mint", args: [from] } as const;
  const skim = { functionName: "skim", args: [from] } as const;
  const ending = random.pick([
    encodeFunctionData({ abi: v2PairAbi, ...mint }),
    encodeFunctionData({ abi: v2PairAbi, ...mint }),
    encodeFunctionData({ abi: v2PairAbi, functionName: "sync" }),
    encodeFunctionData({ abi: v2PairAbi, ...skim }),
  ]);
  return [together(devnet, from, [...pays, call(ending)])];
};

/** Takes the shares in a pair that its own trader holds, or some of them. */
const leavePair: Act = (scene) => {
  const { devnet, random } = scene;
  const pair = random.pick(pairsOf(scene));
  const { address: from } = random.pick(devnet.traders);
  const burn = encodeFunctionData({ abi: v2PairAbi, functionName: "burn", args: [from] });
  const amount = 10n ** BigInt(4 + random.integer(12));
  const transfer = { functionName: "transfer", args: [pair.address, amount] } as const;
  return [
    { from, to: pair.address, data: encodeFunctionData({ abi: erc20Abi, ...transfer }) },
    { from, to: pair.address, data: burn },
  ];
};

/** One or two positions, the second beginning where the first ends. */
const openPositions: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = pickConcentrated(scene);
  if (pool === undefined) return [];
  const { address: from } = random.pick(devnet.traders);
  const [lower, middle, upper] = boundaries(scene, pool);
  const ranges = random.integer(2) === 0 ? [[lower, middle]] : [[lower, middle], [middle, upper]];
  return ranges.map((range) => openPosition(scene, pool, from, range[0]!, range[1]!));
};

function openPosition(
  scene: Scene,
  pool: PoolReading,
  from: Address,
  tickLower: number,
  tickUpper: number,
): Sending {
  const [token0, token1, reserve0, reserve1] = oriented(pool, 0);
  const mint = {
    ...{ token0, token1, fee: feeOf(pool), tickLower, tickUpper },
    amount0Desired: someOf(scene, reserve0) + 1_000n,
    amount1Desired: someOf(scene, reserve1) + 1_000n,
    ...{ amount0Min: 0n, amount1Min: 0n, recipient: from, deadline: NO_DEADLINE },
  };
  const data = encodeFunctionData({ abi: positionsAbi, functionName: "mint", args: [mint] });
  return { from, to: scene.devnet.contracts.positionManager, data };
}

/** Three ascending ticks of the pool: around the price, at ends of words, or of the whole range. */
function boundaries({ random }: Scene, { parameter: spacing, head }: PoolReading) {
  const last = Math.floor(TICK_MAX / spacing);
  const current = Math.floor(Number(head[1]) / spacing);
  const words = Math.floor(current / WORD) * WORD;
  const near = () => current + random.integer(41) - 20;
  const places = random.pick([
    [current, current + 1, current + 2],
    [near(), near(), near()],
    [words, words + WORD, words + 2 * WORD],
    [words - 1, words, words + WORD - 1],
    [-last, current, last],
    [-last, -last + 1, last],
    [current - 2 * WORD, last - 1, last],
  ]);
  const ascending = places
    .map((place) => Math.min(Math.max(place, -last), last))
    .sort((left, right) => left - right);
  // No range is empty.
  const [first, second, third] = ascending as [number, number, number];
  const lower = Math.min(first, last - 2);
  const middle = Math.max(second, lower + 1);
  return [lower, middle, Math.max(third, middle + 1)].map((place) => place * spacing) as [
    number,
    number,
    number,
  ];
}

/** Makes the greater of two positions that meet at a tick as large as the other: its net is 0. */
const balancePositions: Act = ({ devnet, positions, random }) => {
  if (positions.length === 0) return [];
  const start = random.integer(positions.length);
  for (let index = 0; index < positions.length; index++) {
    const left = positions[(start + index) % positions.length]!;
    const right = positions.find(
      (other) =>
        other.token0 === left.token0 &&
        other.token1 === left.token1 &&
        other.fee === left.fee &&
        other.tickLower === left.tickUpper &&
        other.liquidity !== left.liquidity,
    );
    if (right === undefined) continue;
    const [greater, lesser] = left.liquidity > right.liquidity ? [left, right] : [right, left];
    return [decrease(devnet, greater, greater.liquidity - lesser.liquidity)];
  }
  return [];
};

const shrinkPosition: Act = ({ devnet, positions, random }) => {
  if (positions.length === 0) return [];
  const position = random.pick(positions);
  const isWhole = random.integer(2) === 0;
  const { liquidity } = position;
  // Burning nothing is allowed in the pool, and tells of itself; the manager has no such thing.
  return [decrease(devnet, position, isWhole ? liquidity : random.bigint(liquidity) + 1n)];
};

function decrease(devnet: Devnet, { tokenId, owner }: Scene["positions"][number], amount: bigint) {
  const params = { tokenId, liquidity: amount, amount0Min: 0n, amount1Min: 0n };
  const args = [{ ...params, deadline: NO_DEADLINE }] as const;
  const data = encodeFunctionData({ abi: positionsAbi, functionName: "decreaseLiquidity", args });
  return { from: owner, to: devnet.contracts.positionManager, data };
}

/** A pair, with nothing in it or with its first liquidity. */
const createPair: Act = (scene) => {
  const { devnet, random } = scene;
  const { address: from } = random.pick(devnet.traders);
  const factories = devnet.dexes.filter(({ protocol }) => protocol === "constant-product");
  const [tokenA, tokenB] = pickTokens(scene);
  const create = { functionName: "createPair", args: [tokenA, tokenB] } as const;
  const data = encodeFunctionData({ abi: v2FactoryAbi, ...create });
  const { factory } = random.pick(factories);
  if (random.integer(2) === 0 || factory === devnet.contracts.v2ForkFactory)
    return [{ from, to: factory, data }];
  const { v2Router, v2SisterRouter, v2Factory } = devnet.contracts;
  const amounts = [10n ** 8n + random.bigint(10n ** 12n), 10n ** 8n + random.bigint(10n ** 12n)];
  const args = [tokenA, tokenB, ...(amounts as [bigint, bigint]), 0n, 0n, from, NO_DEADLINE] as const;
  return [
    {
      from,
      to: factory === v2Factory ? v2Router : v2SisterRouter,
      data: encodeFunctionData({ abi: v2RouterAbi, functionName: "addLiquidity", args }),
    },
  ];
};

/** A concentrated pool: without a price, with one, or with a position as well. */
const createConcentrated: Act = (scene) => {
  const { devnet, random } = scene;
  const { address: from } = random.pick(devnet.traders);
  const [token0, token1] = pickTokens(scene);
  const fee = random.pick(V3_FEES);
  const kind = random.integer(3);
  if (kind === 0) {
    const create = { functionName: "createPool", args: [token0, token1, fee] } as const;
    const data = encodeFunctionData({ abi: v3FactoryAbi, ...create });
    return [{ from, to: devnet.contracts.v3Factory, data }];
  }
  const sqrtPriceX96 = 2n ** BigInt(60 + random.integer(70)) + random.bigint(2n ** 60n);
  const create = {
    functionName: "createAndInitializePoolIfNecessary",
    args: [token0, token1, fee, sqrtPriceX96],
  } as const;
  const created = {
    from,
    to: devnet.contracts.positionManager,
    data: encodeFunctionData({ abi: positionsAbi, ...create }),
  };
  if (kind === 1) return [created];
  const spacing = Number(Object.keys(SPACING_FEES).find((key) => SPACING_FEES[Number(key)] === fee));
  const widest = Math.floor(TICK_MAX / spacing) * spacing;
  const unplaced = { address: from, factory: devnet.contracts.v3Factory };
  const unborn = { parameter: spacing, tokens: [token0, token1] };
  const pool = { ...unborn, ...unplaced, head: [2n ** 96n, 0n, 10n ** 12n], ticks: [] };
  return [created, openPosition(scene, pool, from, -widest, widest)];
};

/** Each with how often it happens, relative to the others. */
export const ACTS = {
  swapConcentrated: { weight: 40, act: swapConcentrated },
  swapThereAndBack: { weight: 4, act: swapThereAndBack },
  swapPair: { weight: 30, act: swapPair },
  tendPair: { weight: 6, act: tendPair },
  leavePair: { weight: 3, act: leavePair },
  openPositions: { weight: 9, act: openPositions },
  balancePositions: { weight: 3, act: balancePositions },
  shrinkPosition: { weight: 8, act: shrinkPosition },
  createPair: { weight: 1, act: createPair },
  createConcentrated: { weight: 1, act: createConcentrated },
} satisfies Readonly<Record<string, { readonly weight: number; readonly act: Act }>>;

/** Pools come and go, and positions are opened and left, in blocks that are taken back. */
export const RESTLESS: Partial<typeof ACTS> = {
  createPair: { ...ACTS.createPair, weight: 4 },
  createConcentrated: { ...ACTS.createConcentrated, weight: 2 },
  openPositions: { ...ACTS.openPositions, weight: 18 },
  shrinkPosition: { ...ACTS.shrinkPosition, weight: 16 },
};

const isPair = ({ parameter }: PoolReading) => parameter === 0;

const pairsOf = ({ pools }: Scene) => pools.filter(isPair);

function pickPair(scene: Scene): PoolReading | undefined {
  const filled = pairsOf(scene).filter(({ head }) => head[0]! > 0n);
  return filled.length === 0 ? undefined : scene.random.pick(filled);
}

function pickConcentrated({ pools, random }: Scene): PoolReading | undefined {
  const filled = pools.filter((pool) => !isPair(pool) && pool.head[2]! > 0n);
  return filled.length === 0 ? undefined : random.pick(filled);
}

function pickTokens({ devnet, random }: Scene): [Address, Address] {
  const first = random.pick(devnet.tokens).address;
  const second = random.pick(devnet.tokens.filter(({ address }) => address !== first)).address;
  return first < second ? [first, second] : [second, first];
}

export const feeOf = ({ parameter }: Pick<PoolReading, "parameter">): number =>
  SPACING_FEES[parameter]!;

/** Tokens and reserves, virtual ones in a concentrated pool, as a swap of one of its tokens sees them. */
export function oriented(
  pool: PoolReading,
  inPlace: number,
): [tokenIn: Address, tokenOut: Address, reserveIn: bigint, reserveOut: bigint] {
  const [price, , liquidity] = pool.head as [bigint, bigint, bigint];
  const reserves = isPair(pool)
    ? pool.head
    : [price === 0n ? 0n : (liquidity << 96n) / price, (liquidity * price) >> 96n];
  const outPlace = 1 - inPlace;
  return [pool.tokens[inPlace]!, pool.tokens[outPlace]!, reserves[inPlace]!, reserves[outPlace]!];
}

/** Mostly up to a fiftieth, every order of magnitude as likely; now and then up to all. */
function someOf({ random }: Scene, reserve: bigint): bigint {
  const most = random.integer(12) === 0 ? reserve : reserve / 50n;
  const digits = String(most).length;
  const bound = 10n ** BigInt(1 + random.integer(digits));
  return random.bigint(bound < most ? bound : most + 1n) + 1n;
}

function routerOf({ contracts }: Devnet, { factory }: PoolReading): Address | undefined {
  if (factory === contracts.v2Factory) return contracts.v2Router;
  return factory === contracts.v2SisterFactory ? contracts.v2SisterRouter : undefined;
}

export function pay(token: Address, from: Address, to: Address, amount: bigint): readonly [Address, Hex] {
  const transfer = { functionName: "transferFrom", args: [from, to, amount] } as const;
  return [token, encodeFunctionData({ abi: erc20Abi, ...transfer })];
}

/** All of these calls, made by Multicall3, which may take the traders' tokens; or none. */
export function together(
  { contracts }: Devnet,
  from: Address,
  calls: ReadonlyArray<readonly [target: Address, callData: Hex]>,
): Sending {
  const args = [calls.map(([target, callData]) => ({ target, callData, allowFailure: false }))];
  return {
    from,
    to: contracts.multicall3,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: args as [(typeof args)[0]],
    }),
  };
}

/** Tokens with the fees between them, as QuoterV2 and SwapRouter02 take a path. */
export const packPath = (tokens: ReadonlyArray<Address>, fees: ReadonlyArray<number>): Hex =>
  concatHex(
    tokens.flatMap((token, index) =>
      index === 0 ? [token] : [numberToHex(fees[index - 1]!, { size: 3 }), token],
    ),
  );
