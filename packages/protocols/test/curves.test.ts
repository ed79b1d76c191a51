import { expect, it } from "vitest";
import { curves, protocols } from "../src/index.ts";

it("the list of curves has those of all protocols, each once, in their order", () => {
  expect(curves).toEqual([...new Set(protocols.flatMap((each) => each.curves))]);
});
