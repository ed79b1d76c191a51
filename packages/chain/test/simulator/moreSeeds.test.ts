import { describe } from "vitest";
import { testSeeds } from "./seedTests.ts";

// In a file of its own, so that both cores are at work.
describe("a chain source among more faults", () => {
  testSeeds("more seeds");
});
