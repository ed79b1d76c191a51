export { contractFiles } from "./contracts/artifacts.ts";
export { curveCryptoAbi, curveNgPoolAbi } from "./contracts/curveAbis.ts";
export type { FamilyContracts } from "./contracts/FamilyContracts.ts";
export * from "./contracts/familyAbis.ts";
export { type Devnet, type DevnetFamilies, type DevnetOptions, startDevnet } from "./Devnet.ts";
export { DevnetError } from "./DevnetError.ts";
export type {
  FamilyPool,
  FamilyQuoteRequest,
  FamilyState,
  SolidlyState,
  TicksState,
} from "./families/FamilyPool.ts";
export { FamilyPools } from "./families/FamilyPools.ts";
export type {
  BalancerPoolState,
  CryptoReading,
  ManyTokenPool,
  ManyTokenState,
  PlacedSwap,
  StableState,
  WrapperState,
} from "./manyTokens/ManyTokenPool.ts";
export { ManyTokenReader } from "./manyTokens/ManyTokenReader.ts";
