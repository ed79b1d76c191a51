import { describe, expect, it } from "vitest";
import {
  committedContracts,
  compileCommitted,
  readCommitted,
} from "../contracts/compileContracts.ts";

const CODE_BYTES_MAX = 24_576;

describe("the compiled form of each contract", () => {
  for (const committed of committedContracts) {
    it(`is what its source compiles to: ${committed.contract}`, () => {
      const fresh = compileCommitted(committed);
      expect(readCommitted(committed)).toEqual(fresh);
      expect(fresh.deployedBytecode.length / 2 - 1).toBeLessThanOrEqual(CODE_BYTES_MAX);
    });
  }
});
