export { balancerConstants, encodeBalancerState } from "./balancerState.ts";
export type { CalldataLeg, ManagedPoolKey, PoolKey, VaultPoolKey } from "./CalldataLeg.ts";
export { type CalldataProtocol, legDigits, placedLegDigits } from "./CalldataProtocol.ts";
export {
  type Asking,
  type CallAnswer,
  type ChainCall,
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  type Creation,
  EACH_BLOCK_GAS,
  type EachBlock,
  EVERY_POOL,
  type FollowedDex,
  type FollowedState,
  type Hex,
  IMPOSSIBLE,
  type LogEffect,
  type LoggedSwap,
  type NewPool,
  type PoolRefusal,
  type QuoteCall,
  type Resolved,
  type SharedLogs,
  type UnresolvedPool,
} from "./ChainProtocol.ts";
export {
  addressWord,
  arrayWords,
  bytesWords,
  flagWord,
  WORD_BYTES,
  word,
} from "./calldataWords.ts";
export { addressInWord, callOfWords, loggedSwap, NATIVE_ADDRESS, wordsOf } from "./chainWords.ts";
export {
  balancerStable,
  NO_OWN_TOKEN,
  STABLE_V2,
  STABLE_V2_FIRST,
  STABLE_V3,
  STABLE_V3_BOUNDED,
} from "./curves/balancerStable/pool.ts";
export { FEE_FIRST, FEE_INSIDE } from "./curves/constantProduct/math.ts";
export { constantProduct } from "./curves/constantProduct/pool.ts";
export { CRYPTO_CONTRACTS } from "./curves/cryptoSwap/contracts.ts";
export { cryptoSwap } from "./curves/cryptoSwap/pool.ts";
export {
  encodeCrypto,
  encodeCryptoConstants,
  invariantOf,
  sharesAtPar,
} from "./curves/cryptoSwap/state.ts";
export { solidlyStable } from "./curves/solidlyStable/pool.ts";
export {
  DIVIDES_EACH,
  DIVIDES_EACH_PLUS_ONE,
  DIVIDES_ONCE,
  FEE_OF_UNITS,
  KEEPS_ORACLE,
  TAKES_UNFINISHED,
} from "./curves/stableSwap/market.ts";
export { stableSwap } from "./curves/stableSwap/pool.ts";
export { encodeStableSwap } from "./curves/stableSwap/state.ts";
export { concentratedLiquidity } from "./curves/ticks/pool.ts";
export {
  ALGEBRA_INTEGRAL_STEPS,
  SLIPSTREAM_STEPS,
  UNISWAP_V4_STEPS,
} from "./curves/ticks/StepRule.ts";
export { encodeConcentrated } from "./curves/ticks/state.ts";
export {
  WEIGHTED_V2,
  WEIGHTED_V2_FIRST,
  WEIGHTED_V3,
  WEIGHTED_V3_LEAST,
  weighted,
} from "./curves/weighted/pool.ts";
export { COUNTED, COUNTED_LATER, wrapper, wrapperState } from "./curves/wrapper/pool.ts";
export { curves } from "./curves.ts";
export {
  type DecodedLeg,
  type LegDecoder,
  placedLegDecoder,
  plainLegDecoder,
} from "./LegDecoder.ts";
export {
  curveLegGas,
  depositGas,
  redemptionGas,
  STAKING_GAS_BESIDE,
  vaultV2LegGas,
  vaultV3LegGas,
} from "./legGas.ts";
export { Mismatch, must, same } from "./Mismatch.ts";
export type { Protocol } from "./Protocol.ts";
export { encodeReserves } from "./pairState.ts";
export {
  ALL_OF_IT,
  type EncodedCommand,
  PAID_ALREADY,
  type RouterCommand,
} from "./RouterCommand.ts";
export type {
  DecodedRouterSwap,
  RouterCommandDecoder,
} from "./RouterCommandDecoder.ts";
export {
  calldataProtocols,
  chainProtocols,
  legDecoders,
  legNameOf,
  legNamesOf,
  protocols,
} from "./registry.ts";
export { WordReader } from "./WordReader.ts";
export {
  answerOfRange,
  callsOfRange,
  entryOf,
  restOfRange,
  wordsInRange,
} from "./wordRange.ts";
