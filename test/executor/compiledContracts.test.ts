import { budget } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import {
  compilePublished,
  describePublished,
  publishedContracts,
  readPublished,
} from "../contracts/compileBalancer.ts";
import {
  committedContracts,
  compileCommitted,
  readCommitted,
} from "../contracts/compileContracts.ts";

const CODE_BYTES_MAX = 24_576;

describe("the compiled form of each contract", () => {
  // The product's own contracts come first.
  for (const committed of committedContracts.slice(0, budget(10))) {
    it(`is what its source compiles to: ${committed.contract}`, () => {
      const fresh = compileCommitted(committed);
      expect(readCommitted(committed)).toEqual(fresh);
      expect(fresh.deployedBytecode.length / 2 - 1).toBeLessThanOrEqual(CODE_BYTES_MAX);
    });
  }
});

describe("the compiled form of Balancer V3", () => {
  it.for(publishedContracts)("is of the sources that are installed: $contract", (contract) => {
    expect(readPublished(contract)).toMatchObject(describePublished(contract));
  });

  // A minute for some of them: skipped with an effort below 1, as on a push.
  it.runIf(budget(10) >= 10).for(publishedContracts)("is what they give: $contract", (contract) => {
    expect(readPublished(contract)).toEqual(compilePublished(contract));
  });
});
