import { curves } from "@millrace/protocols";
import { describe, expect, it } from "vitest";
import { describeFamily } from "./familiesUnderTest.ts";

describe.each(curves)("pools of the family $name", (curve) => {
  const family = describeFamily[curve.name];
  it("have a reference to be held against", () => expect(family).toBeDefined());
  family?.(curve);
});
