export * from "./chainOptionsOf.ts";
export * from "./openTestDevnet.ts";
