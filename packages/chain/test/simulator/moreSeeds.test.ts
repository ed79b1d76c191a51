import { describe } from "vitest";
import { testSeeds } from "./seedTests.ts";

// A file of its own, so that both cores work.
describe("a chain source among more faults", () => {
  testSeeds("more seeds");
});
