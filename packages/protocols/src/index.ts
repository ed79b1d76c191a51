export type { CalldataLeg, CalldataProtocol, ManagedPoolKey } from "./CalldataProtocol.ts";
export {
  type CallAnswer,
  type ChainCall,
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  type FollowedState,
  type Hex,
  IMPOSSIBLE,
  type LogEffect,
  type LoggedSwap,
} from "./ChainProtocol.ts";
export { concentratedLiquidity } from "./concentratedLiquidity/pool.ts";
export { encodeConcentrated } from "./concentratedLiquidity/state.ts";
export { FEE_FIRST, FEE_INSIDE } from "./constantProduct/math.ts";
export { constantProduct, encodeReserves } from "./constantProduct/pool.ts";
export type { DecodedLeg, LegDecoder } from "./LegDecoder.ts";
export { calldataProtocols, chainProtocols, legDecoders, protocols } from "./registry.ts";
