import { describe, expect, it } from "vitest";
import { curves, protocols } from "../src/index.ts";

describe("the list of curves", () => {
  it("has those of all protocols, each once, in their order", () => {
    expect(curves).toEqual([...new Set(protocols.flatMap((each) => each.curves))]);
  });
});
