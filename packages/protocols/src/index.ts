export { concentratedLiquidity, encodeConcentrated } from "./concentratedLiquidity/pool.ts";
export { FEE_FIRST, FEE_INSIDE } from "./constantProduct/math.ts";
export { constantProduct, encodeReserves } from "./constantProduct/pool.ts";
export { calldataProtocols, chainProtocols, protocols } from "./registry.ts";
