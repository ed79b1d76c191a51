import { describe } from "vitest";
import { runSeeds } from "./seeds.ts";

// In a file of its own, so that both cores are at work.
describe("a chain source among faults", () => {
  runSeeds(1_000_001);
});
