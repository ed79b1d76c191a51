export * from "./documents.ts";
export * from "./Law.ts";
export * from "./LawReporter.ts";
export * from "./RandomSource.ts";
export * from "./sharedData.ts";
export * from "./TestProcess.ts";
export * from "./testEnvironment.ts";
export * from "./waiting.ts";
