export { type ChainAccess, ChainAccessError } from "./ChainAccess.ts";
export { executorAbi } from "./executor/abi.ts";
export type { Permit } from "./Permit.ts";
export type { IntentPath, SwapIntent, SwapLeg } from "./SwapIntent.ts";
export type { OrderedStep, SwapOrder } from "./SwapOrder.ts";
export type { SwapRefusal } from "./SwapRefusal.ts";
export type {
  BuildResult,
  BuiltSwap,
  PermitKind,
  RouterTable,
  SwapCall,
  SwapRouter,
} from "./SwapRouter.ts";
