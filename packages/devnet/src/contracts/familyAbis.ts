import { parseAbi, parseAbiParameter } from "viem";

/** ABIs of the families' contracts; `abis.ts` has those of the first families. */

const POOL_KEY =
  "struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }";

export const poolKeyParameter = parseAbiParameter(["PoolKey key", POOL_KEY]);

export const poolManagerAbi = parseAbi([
  POOL_KEY,
  "function initialize(PoolKey key, uint160 sqrtPriceX96) returns (int24)",
  "function setProtocolFeeController(address controller)",
  "function setProtocolFee(PoolKey key, uint24 newProtocolFee)",
  "event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)",
  "event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)",
  "event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)",
  "event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1)",
  "event ProtocolFeeUpdated(bytes32 indexed id, uint24 protocolFee)",
]);

export const stateViewAbi = parseAbi([
  "function getSlot0(bytes32 poolId) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)",
  "function getLiquidity(bytes32 poolId) view returns (uint128 liquidity)",
  "function getTickLiquidity(bytes32 poolId, int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet)",
]);

export const v4QuoterAbi = parseAbi([
  POOL_KEY,
  "struct QuoteExactSingleParams { PoolKey poolKey; bool zeroForOne; uint128 exactAmount; bytes hookData; }",
  "function quoteExactInputSingle(QuoteExactSingleParams params) returns (uint256 amountOut, uint256 gasEstimate)",
  "function quoteExactOutputSingle(QuoteExactSingleParams params) returns (uint256 amountIn, uint256 gasEstimate)",
]);

export const pancakeV3FactoryAbi = parseAbi([
  "function createPool(address tokenA, address tokenB, uint24 fee) returns (address)",
  "function getPool(address tokenA, address tokenB, uint24 fee) view returns (address)",
  "function enableFeeAmount(uint24 fee, int24 tickSpacing)",
  "function setFeeProtocol(address pool, uint32 feeProtocol0, uint32 feeProtocol1)",
  "event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
]);

/**
 * What pools at their own addresses have in common; only the first words of their answers are
 * alike.
 */
export const ticksPoolAbi = parseAbi([
  "function initialize(uint160 sqrtPriceX96)",
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick)",
  "function liquidity() view returns (uint128)",
  "function tickSpacing() view returns (int24)",
  "function fee() view returns (uint24)",
  "function ticks(int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet)",
  "event Initialize(uint160 sqrtPriceX96, int24 tick)",
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)",
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
]);

/** Has two fields more than the other contracts' event. */
export const pancakeV3SwapAbi = parseAbi([
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)",
]);

export const algebraFactoryAbi = parseAbi([
  "function createPool(address tokenA, address tokenB, bytes data) returns (address)",
  "function poolByPair(address tokenA, address tokenB) view returns (address)",
  "function setDefaultPluginFactory(address pluginFactory)",
  "event Pool(address indexed token0, address indexed token1, address pool)",
]);

export const algebraPoolAbi = parseAbi([
  "function globalState() view returns (uint160 price, int24 tick, uint16 lastFee, uint8 pluginConfig, uint16 communityFee, bool unlocked)",
  "function ticks(int24 tick) view returns (uint256 liquidityTotal, int128 liquidityDelta, int24 prevTick, int24 nextTick, uint256 outerFeeGrowth0Token, uint256 outerFeeGrowth1Token)",
  "function plugin() view returns (address)",
  "function setFee(uint16 newFee)",
  "event SwapFee(address indexed sender, uint24 overrideFee, uint24 pluginFee)",
  "event Fee(uint16 fee)",
]);

export const algebraQuoterAbi = parseAbi([
  "struct ExactInputSingle { address tokenIn; address tokenOut; address deployer; uint256 amountIn; uint160 limitSqrtPrice; }",
  "function quoteExactInputSingle(ExactInputSingle params) returns (uint256 amountOut, uint256 amountIn, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate, uint16 fee)",
]);

/** See `AerodromeFactory.sol`: its deployer may change fees, and pause. */
export const aerodromeFactoryAbi = parseAbi([
  "function createPool(address tokenA, address tokenB, bool stable) returns (address)",
  "function getPool(address tokenA, address tokenB, bool stable) view returns (address)",
  "function getFee(address pool, bool stable) view returns (uint256)",
  "function isPaused() view returns (bool)",
  "function setFee(bool stable, uint256 fee)",
  "function setCustomFee(address pool, uint256 fee)",
  "function setPauseState(bool state)",
  "event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 poolCount)",
  "event SetCustomFee(address indexed pool, uint256 fee)",
  "event SetPauseState(bool indexed state)",
]);

export const aerodromePoolAbi = parseAbi([
  "function metadata() view returns (uint256 decimals0, uint256 decimals1, uint256 reserve0, uint256 reserve1, bool stable, address token0, address token1)",
  "function getReserves() view returns (uint256 reserve0, uint256 reserve1, uint256 blockTimestampLast)",
  "function getAmountOut(uint256 amountIn, address tokenIn) view returns (uint256)",
  "function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)",
  "function mint(address to) returns (uint256 liquidity)",
  "function burn(address to) returns (uint256 amount0, uint256 amount1)",
  "function sync()",
  "function claimFees() returns (uint256 claimed0, uint256 claimed1)",
  "event Sync(uint256 reserve0, uint256 reserve1)",
  "event Fees(address indexed sender, uint256 amount0, uint256 amount1)",
  "event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)",
]);

/** See `SlipstreamFactory.sol`: its deployer may replace the fee module. */
export const slipstreamFactoryAbi = parseAbi([
  "function createPool(address tokenA, address tokenB, int24 tickSpacing, uint160 sqrtPriceX96) returns (address)",
  "function getPool(address tokenA, address tokenB, int24 tickSpacing) view returns (address)",
  "function getSwapFee(address pool) view returns (uint24)",
  "function tickSpacingToFee(int24 tickSpacing) view returns (uint24)",
  "function swapFeeModule() view returns (address)",
  "function setSwapFeeModule(address module)",
  "event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)",
  "event SwapFeeModuleChanged(address indexed oldFeeModule, address indexed newFeeModule)",
]);

/** Where it differs from Uniswap V3: `slot0` has six fields, `ticks` ten. */
export const slipstreamPoolAbi = parseAbi([
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, bool unlocked)",
  "function ticks(int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet, int128 stakedLiquidityNet, uint256 feeGrowthOutside0X128, uint256 feeGrowthOutside1X128, uint256 rewardGrowthOutsideX128, int56 tickCumulativeOutside, uint160 secondsPerLiquidityOutsideX128, uint32 secondsOutside, bool initialized)",
  "function observations(uint256 index) view returns (uint32 blockTimestamp, int56 tickCumulative, uint160 secondsPerLiquidityCumulativeX128, bool initialized)",
  "function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)",
  "function increaseObservationCardinalityNext(uint16 observationCardinalityNext)",
]);

/** See `SlipstreamFeeModule.sol`: the factory's deployer may change fees. */
export const slipstreamFeeModuleAbi = parseAbi([
  "function getFee(address pool) view returns (uint24)",
  "function dynamicFeeConfig(address pool) view returns (uint24 baseFee, uint24 feeCap, uint64 scalingFactor)",
  "function setCustomFee(address pool, uint24 fee)",
  "function setFeeCap(address pool, uint24 feeCap)",
  "function setScalingFactor(address pool, uint64 scalingFactor)",
  "function registerDiscounted(address receiver, uint24 discount)",
]);

/** See `DevnetRouter.sol`; a positive swap amount is an exact input. */
export const devnetRouterAbi = parseAbi([
  POOL_KEY,
  "struct Position { bytes32 pool; int24 tickLower; int24 tickUpper; uint128 liquidity; }",
  "function multicall(bytes[] calls) payable",
  "function positionsOf(address owner) view returns (Position[])",
  "function swap(address pool, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96) returns (int256 amount0, int256 amount1)",
  "function mint(address pool, bool isAlgebra, address owner, int24 tickLower, int24 tickUpper, uint128 liquidity)",
  "function burn(address pool, bool isAlgebra, uint256 index, uint128 liquidity)",
  "function swapSolidly(address pool, address tokenIn, uint256 amountIn) returns (uint256 amountOut)",
  "function swapV4(PoolKey key, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96) payable",
  "function mintV4(PoolKey key, address owner, int24 tickLower, int24 tickUpper, uint128 liquidity) payable",
  "function burnV4(PoolKey key, uint256 index, uint128 liquidity)",
  "function perform(address target, bytes data, address[] tokens, uint256[] amounts) payable returns (uint256[] received)",
  "function donateV4(PoolKey key, uint256 amount0, uint256 amount1) payable",
]);

/** See `SwapQuoter.sol`. */
export const swapQuoterAbi = parseAbi([
  "function quote(address pool, bool zeroForOne, int256 amount) returns (int256 amount0, int256 amount1)",
  "function ask(address target, bytes data)",
]);
