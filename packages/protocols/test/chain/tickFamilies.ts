import type { Address, PoolListing } from "@millrace/core";
import {
  type CallAnswer,
  type ChainCall,
  type ChainLog,
  chainProtocols,
  type FollowedDex,
  type Hex,
} from "@millrace/protocols";
import type { StepsBy } from "@millrace/testing/reference";
import { encodeAbiParameters, keccak256, parseAbi, parseAbiParameters } from "viem";
import type { NaiveTicks } from "./NaiveTicks.ts";
import { answerCall, eventLog } from "./realEncodings.ts";

/** Pools with ticks of further contracts: their logs and answers in real encodings. */

export const MANAGER: Address = `0x${"fa".repeat(20)}`;
export const STATE_VIEW: Address = `0x${"5e".repeat(20)}`;
export const QUOTER: Address = `0x${"0f".repeat(20)}`;
export const MODULE: Address = `0x${"fe".repeat(20)}`;
export const TOKEN0: Address = `0x${"11".repeat(20)}`;
export const TOKEN1: Address = `0x${"22".repeat(20)}`;
const POOL: Address = `0x${"aa".repeat(20)}`;
const SOMEBODY: Address = `0x${"bb".repeat(20)}`;
export const NO_HOOKS: Address = `0x${"00".repeat(20)}`;
const NO_SALT: Hex = `0x${"00".repeat(32)}`;

/** A protocol as it is configured. */
export function dexOf(protocol: string, settings: Readonly<Record<string, unknown>>): FollowedDex {
  const { open } = chainProtocols.find(({ name }) => name === protocol)!;
  return open({
    ...{ id: "ANY", name: "Any", protocol, factory: MANAGER, startBlock: 0 },
    ...settings,
  });
}

export const v4Id = (
  token0: Address,
  token1: Address,
  fee: number,
  tickSpacing: number,
  hooks: Address,
): Hex =>
  keccak256(
    encodeAbiParameters(parseAbiParameters("address, address, uint24, int24, address"), [
      ...([token0, token1, fee, tickSpacing, hooks] as const),
    ]),
  );

export const EVENTS = {
  v4Initialize:
    "event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)",
  v4ModifyLiquidity:
    "event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)",
  v4Swap:
    "event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)",
  v4ProtocolFeeUpdated: "event ProtocolFeeUpdated(bytes32 indexed id, uint24 protocolFee)",
  v4Donate:
    "event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1)",
  initialize: "event Initialize(uint160 price, int24 tick)",
  mint: "event Mint(address sender, address indexed owner, int24 indexed bottomTick, int24 indexed topTick, uint128 amount, uint256 amount0, uint256 amount1)",
  burn: "event Burn(address indexed owner, int24 indexed bottomTick, int24 indexed topTick, uint128 amount, uint256 amount0, uint256 amount1)",
  swap: "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick)",
  pancakeSwap:
    "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)",
  pancakePoolCreated:
    "event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
  slipstreamPoolCreated:
    "event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)",
  swapFeeModuleChanged:
    "event SwapFeeModuleChanged(address indexed oldFeeModule, address indexed newFeeModule)",
  algebraPool: "event Pool(address indexed token0, address indexed token1, address pool)",
  algebraCustomPool:
    "event CustomPool(address indexed deployer, address indexed token0, address indexed token1, address pool)",
  algebraSwapFee: "event SwapFee(address indexed sender, uint24 overrideFee, uint24 pluginFee)",
  algebraSwapWithFees:
    "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick, uint24 overrideFee, uint24 pluginFee)",
  algebraBurnWithFee:
    "event Burn(address indexed owner, int24 indexed bottomTick, int24 indexed topTick, uint128 liquidityAmount, uint256 amount0, uint256 amount1, uint24 pluginFee)",
  algebraFee: "event Fee(uint16 fee)",
  algebraPluginConfig: "event PluginConfig(uint8 newPluginConfig)",
  algebraPlugin: "event Plugin(address newPluginAddress)",
} as const;

/** How a family's pool shows itself. */
export interface TickFamily {
  readonly name: string;
  readonly contract: StepsBy | undefined;
  readonly dex: FollowedDex;
  /** The fee that pools start with, and their spacing; some choose. */
  readonly spacings: ReadonlyArray<number>;
  readonly creation: (
    tickSpacing: number,
    feePips: number,
    sqrtPriceX96: bigint,
    tick: number,
  ) => ChainLog;
  readonly position: (model: NaiveTicks, lower: number, upper: number, change: bigint) => ChainLog;
  /** All logs of a swap by which the pool grew by these amounts. */
  readonly swap: (
    model: NaiveTicks,
    amounts: readonly [bigint, bigint],
    feePips: number,
  ) => ReadonlyArray<ChainLog>;
  readonly answer: (model: NaiveTicks, call: ChainCall) => CallAnswer;
}

const VIEW_ABI = parseAbi([
  "function getSlot0(bytes32 poolId) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)",
  "function getLiquidity(bytes32 poolId) view returns (uint128 liquidity)",
  "function getTickBitmap(bytes32 poolId, int16 tick) view returns (uint256 tickBitmap)",
  "function getTickLiquidity(bytes32 poolId, int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet)",
]);

const V3_ABI = parseAbi([
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, bool unlocked)",
  "function liquidity() view returns (uint128)",
  "function tickBitmap(int16) view returns (uint256)",
  "function ticks(int24) view returns (uint128 liquidityGross, int128 liquidityNet, int128 stakedLiquidityNet, uint256 feeGrowthOutside0X128, uint256 feeGrowthOutside1X128, uint256 rewardGrowthOutsideX128, int56 tickCumulativeOutside, uint160 secondsPerLiquidityOutsideX128, uint32 secondsOutside, bool initialized)",
  "function fee() view returns (uint24)",
  "function swapFeeModule() view returns (address)",
]);

const ALGEBRA_ABI = parseAbi([
  "function globalState() view returns (uint160 price, int24 tick, uint16 lastFee, uint8 pluginConfig, uint16 communityFee, bool unlocked)",
  "function liquidity() view returns (uint128)",
  "function fee() view returns (uint16)",
  "function tickTreeRoot() view returns (uint32)",
  "function tickTreeSecondLayer(int16) view returns (uint256)",
  "function tickTable(int16) view returns (uint256)",
  "function ticks(int24) view returns (uint256 liquidityTotal, int128 liquidityDelta, int24 prevTick, int24 nextTick, uint256 outerFeeGrowth0Token, uint256 outerFeeGrowth1Token)",
]);

const mintOrBurn: TickFamily["position"] = ({ listing }, lower, upper, change) =>
  change >= 0n
    ? eventLog(EVENTS.mint, [SOMEBODY, SOMEBODY, lower, upper, change, 5n, 7n], listing.address)
    : eventLog(EVENTS.burn, [SOMEBODY, lower, upper, -change, 5n, 7n], listing.address);

const swapped = ({ sqrtPriceX96, liquidity, tick }: NaiveTicks) => [sqrtPriceX96, liquidity, tick];

const v3Answer: TickFamily["answer"] = (model, call) =>
  answerCall(V3_ABI, call, (name, [argument]) => {
    switch (name) {
      case "slot0":
        return [model.sqrtPriceX96, model.tick, 7, 100, 100, true];
      case "liquidity":
        return model.liquidity;
      case "tickBitmap":
        return model.word(argument as number, (tick) => tick / model.listing.parameter);
      case "ticks":
        return [...model.contents(argument as number), -3n, 1n, 2n, 3n, -4n, 5n, 6, true];
      case "fee":
        return model.feePips;
      default:
        return MODULE;
    }
  });

export const uniswapV4: TickFamily = {
  name: "uniswap-v4",
  contract: "uniswapV4",
  dex: dexOf("uniswap-v4", { stateView: STATE_VIEW, quoter: QUOTER }),
  spacings: [10, 60, 32_767],
  creation: (tickSpacing, feePips, sqrtPriceX96, tick) => {
    const key = [TOKEN0, TOKEN1, feePips, tickSpacing, NO_HOOKS] as const;
    return eventLog(EVENTS.v4Initialize, [v4Id(...key), ...key, sqrtPriceX96, tick], MANAGER);
  },
  position: ({ listing }, lower, upper, change) =>
    eventLog(
      EVENTS.v4ModifyLiquidity,
      [idOfListing(listing), SOMEBODY, lower, upper, change, NO_SALT],
      MANAGER,
    ),
  swap: (model, [amount0, amount1], feePips) => [
    eventLog(
      EVENTS.v4Swap,
      [idOfListing(model.listing), SOMEBODY, -amount0, -amount1, ...swapped(model), feePips],
      MANAGER,
    ),
  ],
  answer: (model, call) =>
    answerCall(VIEW_ABI, call, (name, [, argument]) => {
      switch (name) {
        case "getSlot0":
          return [model.sqrtPriceX96, model.tick, model.protocolFee, model.feePips];
        case "getLiquidity":
          return model.liquidity;
        case "getTickBitmap":
          return model.word(argument as number, (tick) => tick / model.listing.parameter);
        default:
          return model.contents(argument as number);
      }
    }),
};

/** The id behind a pool's key. */
export function idOfListing({ constants }: PoolListing): Hex {
  const words = [...constants!.slice(-4)].map((word) => word.toString(16).padStart(16, "0"));
  return `0x${words.join("")}`;
}

export const slipstream: TickFamily = {
  name: "slipstream",
  contract: undefined,
  dex: dexOf("slipstream", { quoter: QUOTER }),
  spacings: [50, 100, 2_000],
  creation: (tickSpacing) =>
    eventLog(EVENTS.slipstreamPoolCreated, [TOKEN0, TOKEN1, tickSpacing, POOL], MANAGER),
  position: mintOrBurn,
  swap: (model, amounts) => [
    eventLog(EVENTS.swap, [SOMEBODY, SOMEBODY, ...amounts, ...swapped(model)], POOL),
  ],
  answer: v3Answer,
};

export const pancakeV3: TickFamily = {
  name: "pancake-v3",
  contract: undefined,
  dex: dexOf("pancake-v3", { quoter: QUOTER }),
  spacings: [10, 50, 200],
  creation: (tickSpacing, feePips) =>
    eventLog(EVENTS.pancakePoolCreated, [TOKEN0, TOKEN1, feePips, tickSpacing, POOL], MANAGER),
  position: mintOrBurn,
  swap: (model, amounts) => [
    eventLog(EVENTS.pancakeSwap, [SOMEBODY, SOMEBODY, ...amounts, ...swapped(model), 3n, 0n], POOL),
  ],
  answer: v3Answer,
};

/** `TickTree` counts words of ticks from here. */
const FIRST_LEAF = -3_466;

export const algebraIntegral: TickFamily = {
  name: "algebra-integral",
  contract: "algebraIntegral",
  dex: dexOf("algebra-integral", { quoter: QUOTER }),
  // Whatever its spacing is, the listing does not say.
  spacings: [1, 60, 10_000],
  creation: () => eventLog(EVENTS.algebraPool, [TOKEN0, TOKEN1, POOL], MANAGER),
  position: mintOrBurn,
  swap: (model, amounts, feePips) => [
    eventLog(EVENTS.algebraSwapFee, [SOMEBODY, feePips, 0], POOL),
    eventLog(EVENTS.swap, [SOMEBODY, SOMEBODY, ...amounts, ...swapped(model)], POOL),
  ],
  answer: (model, call) =>
    answerCall(ALGEBRA_ABI, call, (name, [argument]) => {
      const leafOf = (tick: number) => Math.floor(tick / 256) - FIRST_LEAF;
      switch (name) {
        case "globalState":
          return [model.sqrtPriceX96, model.tick, 500, 193, 100, true];
        case "liquidity":
          return model.liquidity;
        case "fee":
          return model.feePips;
        case "tickTreeRoot":
          return Number(model.word(0, (tick) => Math.floor(leafOf(tick) / 256)));
        case "tickTreeSecondLayer":
          return model.word(argument as number, leafOf);
        case "tickTable":
          return model.word(argument as number, (tick) => tick);
        default:
          return [...model.contents(argument as number), -60, 60, 1n, 2n];
      }
    }),
};

export const tickFamilies = [uniswapV4, pancakeV3, slipstream, algebraIntegral] as const;
