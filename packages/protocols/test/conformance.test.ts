import { curves } from "@millrace/protocols";
import { describeCurve } from "@millrace/testing/conformance";
import { describe, expect, it } from "vitest";
import { familiesUnderTest } from "./familiesUnderTest.ts";

describe.each(curves)("pools of the family $name", (curve) => {
  const family = familiesUnderTest[curve.name];
  it("have a reference to be held against", () => expect(family).toBeDefined());
  if (family !== undefined) describeCurve(curve, family);
});
