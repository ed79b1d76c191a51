export * from "./documents.ts";
export * from "./Law.ts";
export * from "./LawReporter.ts";
export * from "./RandomSource.ts";
export * from "./testEnvironment.ts";
