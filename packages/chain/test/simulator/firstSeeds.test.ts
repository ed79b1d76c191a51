import { describe } from "vitest";
import { runSeeds } from "./seeds.ts";

describe("a chain source among faults", () => {
  runSeeds(1);
});
