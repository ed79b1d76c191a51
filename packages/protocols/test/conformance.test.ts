import type { Curve } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { describeCurve } from "@millrace/testing/conformance";
import { describe, expect, it } from "vitest";
import { familiesUnderTest } from "./familiesUnderTest.ts";
import { vaultsUnderTest } from "./wrapper/vaults.ts";

/** By `Curve.name`; those with a reference of their own beside the plain ones. */
const OTHERS: Readonly<Record<string, (curve: Curve) => void>> = {
  wrapper: (curve) => describeCurve(curve, vaultsUnderTest),
};

describe.each(curves)("pools of the family $name", (curve) => {
  const family = familiesUnderTest[curve.name];
  const describeOther = OTHERS[curve.name];
  it("have a reference to be held against", () => expect(family ?? describeOther).toBeDefined());
  if (family !== undefined) describeCurve(curve, family);
  describeOther?.(curve);
});
