export * from "./chainOptionsOf.ts";
export * from "./openTestDevnet.ts";
export * from "./tradesOnChain.ts";
