import { parseAbi } from "viem";

/** ABIs of Balancer's contracts, as far as the devnet uses them. */

const FUNDS =
  "struct FundManagement { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }";

export const balancerV2VaultAbi = parseAbi([
  FUNDS,
  "struct SingleSwap { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }",
  "struct BatchSwapStep { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }",
  "struct JoinPoolRequest { address[] assets; uint256[] maxAmountsIn; bytes userData; bool fromInternalBalance; }",
  "struct ExitPoolRequest { address[] assets; uint256[] minAmountsOut; bytes userData; bool toInternalBalance; }",
  "function swap(SingleSwap singleSwap, FundManagement funds, uint256 limit, uint256 deadline) payable returns (uint256)",
  "function queryBatchSwap(uint8 kind, BatchSwapStep[] swaps, address[] assets, FundManagement funds) returns (int256[] assetDeltas)",
  "function joinPool(bytes32 poolId, address sender, address recipient, JoinPoolRequest request) payable",
  "function exitPool(bytes32 poolId, address sender, address recipient, ExitPoolRequest request)",
  "function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)",
  "function getPausedState() view returns (bool paused, uint256 pauseWindowEndTime, uint256 bufferPeriodEndTime)",
  "function setPaused(bool paused)",
]);

export const balancerV2AuthorizerAbi = parseAbi([
  "function grantRole(bytes32 role, address account)",
]);

/** One ABI for all factories: their `create` functions differ. */
export const balancerV2WeightedFactoryAbi = parseAbi([
  "function create(string name, string symbol, address[] tokens, uint256[] normalizedWeights, address[] rateProviders, uint256 swapFeePercentage, address owner) returns (address)",
]);
export const balancerV2StableFactoryAbi = parseAbi([
  "function create(string name, string symbol, address[] tokens, uint256 amplificationParameter, uint256 swapFeePercentage, address owner) returns (address)",
]);
export const balancerV2ComposableFactoryAbi = parseAbi([
  "function create(string name, string symbol, address[] tokens, uint256 amplificationParameter, address[] rateProviders, uint256[] tokenRateCacheDurations, bool[] exemptFromYieldProtocolFeeFlags, uint256 swapFeePercentage, address owner) returns (address)",
]);

export const balancerV2PoolAbi = parseAbi([
  "function getSwapFeePercentage() view returns (uint256)",
  "function getNormalizedWeights() view returns (uint256[])",
  "function getAmplificationParameter() view returns (uint256 value, bool isUpdating, uint256 precision)",
  "function getScalingFactors() view returns (uint256[])",
  "function getTokenRateCache(address token) view returns (uint256 rate, uint256 oldRate, uint256 duration, uint256 expires)",
  "function getPausedState() view returns (bool paused, uint256 pauseWindowEndTime, uint256 bufferPeriodEndTime)",
  "function inRecoveryMode() view returns (bool)",
  "function setSwapFeePercentage(uint256 swapFeePercentage)",
  "function startAmplificationParameterUpdate(uint256 rawEndValue, uint256 endTime)",
  "function stopAmplificationParameterUpdate()",
  "function updateTokenRateCache(address token)",
  "function enableRecoveryMode()",
  "function disableRecoveryMode()",
  "function pause()",
  "function unpause()",
]);

const POOL_ROLES =
  "struct PoolRoleAccounts { address pauseManager; address swapFeeManager; address poolCreator; }";
const TOKEN_CONFIG =
  "struct TokenConfig { address token; uint8 tokenType; address rateProvider; bool paysYieldFees; }";

export const balancerV3WeightedFactoryAbi = parseAbi([
  POOL_ROLES,
  TOKEN_CONFIG,
  "function create(string name, string symbol, TokenConfig[] tokens, uint256[] normalizedWeights, PoolRoleAccounts roleAccounts, uint256 swapFeePercentage, address poolHooksContract, bool enableDonation, bool disableUnbalancedLiquidity, bytes32 salt) returns (address pool)",
]);
export const balancerV3StableFactoryAbi = parseAbi([
  POOL_ROLES,
  TOKEN_CONFIG,
  "function create(string name, string symbol, TokenConfig[] tokens, uint256 amplificationParameter, PoolRoleAccounts roleAccounts, uint256 swapFeePercentage, address poolHooksContract, bool enableDonation, bool disableUnbalancedLiquidity, bytes32 salt) returns (address pool)",
]);

/** The Vault with its extension and its administration, to which it forwards calls. */
export const balancerV3VaultAbi = parseAbi([
  "struct LiquidityManagement { bool disableUnbalancedLiquidity; bool enableAddLiquidityCustom; bool enableRemoveLiquidityCustom; bool enableDonation; }",
  "struct PoolConfig { LiquidityManagement liquidityManagement; uint256 staticSwapFeePercentage; uint256 aggregateSwapFeePercentage; uint256 aggregateYieldFeePercentage; uint40 tokenDecimalDiffs; uint32 pauseWindowEndTime; bool isPoolRegistered; bool isPoolInitialized; bool isPoolPaused; bool isPoolInRecoveryMode; }",
  "struct TokenInfo { uint8 tokenType; address rateProvider; bool paysYieldFees; }",
  "struct PoolData { bytes32 poolConfigBits; address[] tokens; TokenInfo[] tokenInfo; uint256[] balancesRaw; uint256[] balancesLiveScaled18; uint256[] tokenRates; uint256[] decimalScalingFactors; }",
  "function getPoolConfig(address pool) view returns (PoolConfig)",
  "function getPoolData(address pool) view returns (PoolData)",
  "function isVaultPaused() view returns (bool)",
  "function setStaticSwapFeePercentage(address pool, uint256 swapFeePercentage)",
  "function pausePool(address pool)",
  "function unpausePool(address pool)",
]);

export const balancerV3RouterAbi = parseAbi([
  "function initialize(address pool, address[] tokens, uint256[] exactAmountsIn, uint256 minBptAmountOut, bool wethIsEth, bytes userData) payable returns (uint256 bptAmountOut)",
  "function addLiquidityProportional(address pool, uint256[] maxAmountsIn, uint256 exactBptAmountOut, bool wethIsEth, bytes userData) payable returns (uint256[] amountsIn)",
  "function addLiquidityUnbalanced(address pool, uint256[] exactAmountsIn, uint256 minBptAmountOut, bool wethIsEth, bytes userData) payable returns (uint256 bptAmountOut)",
  "function removeLiquidityProportional(address pool, uint256 exactBptAmountIn, uint256[] minAmountsOut, bool wethIsEth, bytes userData) payable returns (uint256[] amountsOut)",
  "function removeLiquiditySingleTokenExactIn(address pool, uint256 exactBptAmountIn, address tokenOut, uint256 minAmountOut, bool wethIsEth, bytes userData) payable returns (uint256 amountOut)",
  "function swapSingleTokenExactIn(address pool, address tokenIn, address tokenOut, uint256 exactAmountIn, uint256 minAmountOut, uint256 deadline, bool wethIsEth, bytes userData) payable returns (uint256)",
  "function swapSingleTokenExactOut(address pool, address tokenIn, address tokenOut, uint256 exactAmountOut, uint256 maxAmountIn, uint256 deadline, bool wethIsEth, bytes userData) payable returns (uint256)",
  "function querySwapSingleTokenExactIn(address pool, address tokenIn, address tokenOut, uint256 exactAmountIn, address sender, bytes userData) returns (uint256 amountCalculated)",
]);

export const balancerV3PoolAbi = parseAbi([
  "function getNormalizedWeights() view returns (uint256[])",
  "function getMinTokenBalances() view returns (uint256[])",
  "function getAmplificationParameter() view returns (uint256 value, bool isUpdating, uint256 precision)",
  "function startAmplificationParameterUpdate(uint256 rawEndValue, uint256 endTime)",
  "function stopAmplificationParameterUpdate()",
]);

/** See `StableSurge.sol` and `RateProvider.sol`. */
export const stableSurgeAbi = parseAbi([
  "function getMaxSurgeFeePercentage(address pool) view returns (uint256)",
  "function getSurgeThresholdPercentage(address pool) view returns (uint256)",
  "function setMaxSurgeFeePercentage(address pool, uint256 percentage)",
  "function setSurgeThresholdPercentage(address pool, uint256 percentage)",
]);
export const rateProviderAbi = parseAbi([
  "function getRate() view returns (uint256)",
  "function setRate(uint256 rate)",
]);
