export { type ApprovalTerms, approvalsFor } from "./approvals/approvalsFor.ts";
export { type PermitRequest, permitFor, type TypedData } from "./approvals/permitFor.ts";
export { type BuildTerms, buildSwap } from "./buildSwap.ts";
export { type ChainAccess, ChainAccessError } from "./ChainAccess.ts";
export { checkCalldata } from "./decode/checkCalldata.ts";
export { executorAbi } from "./executor/abi.ts";
export {
  type ExecutorDeployment,
  executorCreationCode,
  executorDeployment,
  isExecutorCode,
} from "./executor/executorCode.ts";
export { repeatedGasOf, type SwappedPair } from "./gas/repeatedGas.ts";
export { type RouteShape, routeShape } from "./gas/routeShape.ts";
export { type GasShape, swapGas } from "./gas/swapGas.ts";
export {
  type GasPrice,
  type GasPriceOptions,
  type GasPrices,
  makeGasPrices,
} from "./gasPrice/makeGasPrices.ts";
export type { Permit } from "./Permit.ts";
export type { ReviewTerms } from "./review/ReviewTerms.ts";
export { reviewSwap } from "./review/reviewSwap.ts";
export { legProtocol, legToken, swapLeg } from "./review/swapLeg.ts";
export { openRouters, type Routers } from "./routers/openRouters.ts";
export type { IntentPath, SwapIntent, SwapLeg } from "./SwapIntent.ts";
export type { OrderedStep, SwapOrder } from "./SwapOrder.ts";
export type { SwapRefusal } from "./SwapRefusal.ts";
export type {
  BuildResult,
  BuiltSwap,
  PermitKind,
  RoutedLeg,
  RoutedSwap,
  RouterTable,
  SwapCall,
  SwapRouter,
} from "./SwapRouter.ts";
export { type Simulation, simulateSwap } from "./simulate/simulateSwap.ts";
export type { TokenVerdict } from "./verdicts/TokenVerdict.ts";
export {
  makeTokenVerdicts,
  type TokenVerdicts,
  type VerdictOptions,
} from "./verdicts/TokenVerdicts.ts";
