export { limitsOf, poolOf, requestsOn, stablePool, tinyMarket } from "./arbitraryMarkets.ts";
export { solidlyPool } from "./arbitrarySolidlyPool.ts";
export { NG_RULES, stableSwapPoolOf } from "./arbitraryStableSwap.ts";
export { arbitraryTicks } from "./arbitraryTicks.ts";
export { askedInputs } from "./askedInputs.ts";
export { powUp as balancerPower } from "./balancerFixedPoint.ts";
export { type BalancerPool, swapBalancer } from "./balancerPool.ts";
export { directionFeePips, type StepsBy, swapConcentrated } from "./concentratedLiquidity.ts";
export { type ConstantProductPool, RESERVE_MAX, swapConstantProduct } from "./constantProduct.ts";
export {
  cryptoProduct,
  givenByCrypto,
  swapCrypto,
} from "./cryptoExchange.ts";
export { cryptoD, type PlainCrypto } from "./cryptoNewton.ts";
export { drawBalancerPool } from "./drawBalancerPool.ts";
export {
  type CryptoKind,
  cryptoKinds,
  cryptoShape,
  cryptoStateOf,
  drawAmount,
  drawCrypto,
  engineCrypto,
  scaledBalances,
} from "./drawCryptoPool.ts";
export {
  balancerListing,
  encodeBalancer,
  openBalancerPool,
} from "./engineBalancer.ts";
export { encodeState, engineMarket, listingOf, poolIndexOf } from "./engineMarket.ts";
export { type ExactSwap, exactSwap } from "./exactSwap.ts";
export { type OpenPool, openPool } from "./openPool.ts";
export {
  type FamilyPool,
  type PlainMarket,
  type PlainPool,
  readMarket,
  ticksOf,
} from "./plainMarket.ts";
export type { BruteRequest, PlainRequest } from "./plainRequest.ts";
export { poolAfter } from "./poolAfter.ts";
export { StepCache } from "./StepCache.ts";
export { require, uint, unlessReverted } from "./solidity.ts";
export { type SolidlyPool, swapSolidlyStable } from "./solidlyStable.ts";
export {
  exchangeStableSwap,
  mostStableSwapTakes,
  type StableSwapPool,
  swapStableSwap,
} from "./stableSwap.ts";
export { computeSwapStep } from "./swapMath.ts";
export { nextInitializedTickWithinOneWord } from "./tickBitmap.ts";
export {
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
} from "./tickMath.ts";
export type { TicksOfPool } from "./tickPools.ts";
export { poolSwap } from "./uniswapV3.ts";
