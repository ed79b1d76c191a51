import { describe } from "vitest";
import { testSeeds } from "./seedTests.ts";

describe("a chain source among faults", () => {
  testSeeds("first seeds");
});
