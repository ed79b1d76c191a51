import { budget } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import {
  committedContracts,
  compileCommitted,
  readCommitted,
} from "../contracts/compileContracts.ts";

const CODE_BYTES_MAX = 24_576;

describe("the compiled form of each contract", () => {
  // Those of the product stand first.
  for (const committed of committedContracts.slice(0, budget(10))) {
    it(`is what its source compiles to: ${committed.contract}`, () => {
      const fresh = compileCommitted(committed);
      expect(readCommitted(committed)).toEqual(fresh);
      expect(fresh.deployedBytecode.length / 2 - 1).toBeLessThanOrEqual(CODE_BYTES_MAX);
    });
  }
});
