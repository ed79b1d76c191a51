import { curves } from "@millrace/protocols";
import { describeCurve, type FamilyUnderTest } from "@millrace/testing/conformance";
import type { FamilyPool } from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { familiesUnderTest } from "./familiesUnderTest.ts";

describe.each(curves)("pools of the family $name", (curve) => {
  const family = familiesUnderTest[curve.name];
  it("have a reference to be held against", () => expect(family).toBeDefined());
  // Each says of its own pools what it is asked.
  if (family !== undefined) describeCurve(curve, family as FamilyUnderTest<FamilyPool>);
});
