import type { SwapOrder } from "@millrace/execution";
import { describe, expect, it } from "vitest";
import { amounts, natives, permits } from "./attacks/swapAttackAmounts.ts";
import {
  fork,
  nativeIn,
  nativeOut,
  one,
  output,
  outputs,
  path,
  split,
  wrap,
} from "./attacks/swapAttackOrders.ts";
import { numbers, parties } from "./attacks/swapAttackParties.ts";
import { links, parts } from "./attacks/swapAttackPaths.ts";
import { pools, tokens } from "./attacks/swapAttackRoutes.ts";
import { expectOutcome } from "./attacks/swapOutcomes.ts";
import { build, TABLES } from "./model/swapBuilder.ts";

// Hand-made attacks on orders. Each names the refusal that it must meet, or that the transaction is
// still ours in every field.

const LISTS = { parties, numbers, amounts, natives, permits, pools, tokens, links, parts };
const SOUND = [one, fork, output, nativeIn, nativeOut, wrap, path, split, outputs];

/** Of every kind of attack that there must be some, by their names. */
const KINDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "foreign pool": ["a foreign pool", "a foreign pool at the end", "one digit of another"],
  "swapped tokens": ["in and out exchanged", "a step's tokens exchanged", "steps backwards"],
  "huge or negative numbers": ["2^256 - 1 in", "exactIn: negative in", "exactOut: 2^4096 in"],
  "another chain's addresses": ["a foreign token in", "a foreign token out", "a foreign pool"],
  "cyclic steps": ["around a ring", "around a ring, and on", "there and back through a pool"],
  "duplicate pools": ["the same pool twice in a path", "a pool in two paths", "a step twice"],
  "other recipient": [
    "recipient: the executor",
    "recipient: the zero address",
    "recipient: another pool",
  ],
  "fee above cap": ["fee: 1001", "fee: 10000", "fee: Infinity"],
  "look-alike texts": ["a token look-alike", "a look-alike x", "a prototype", "a full-width digit"],
  "a million steps": ["a million steps", "257 steps", "65 paths"],
};

describe("an attack on an order of a swap", () => {
  for (const [list, attacks] of Object.entries(LISTS)) {
    for (const [name, order, outcome, where] of attacks) {
      it(`through its ${list} comes to nothing: ${name}`, () => {
        expectOutcome(build(order), order, TABLES[0]!, outcome, where);
      });
    }
  }

  it("is one of at least two hundred, all different from one another and from what is sound", () => {
    const attacks = Object.values(LISTS).flat();
    const texts = new Set(attacks.map(([, order]) => textOf(order)));
    for (const order of SOUND) texts.delete(textOf(order));
    expect(texts.size).toBeGreaterThanOrEqual(250);
    // Some share a sound order's text: what is not said is what was meant.
    expect(attacks.length - texts.size).toBeLessThanOrEqual(10);
    const refused = attacks.filter(([, , outcome]) => outcome !== "ours");
    expect(refused.length).toBeGreaterThanOrEqual(200);
    expect(new Set(refused.map(([, , outcome]) => outcome)).size).toBe(7);
  });

  it.each(Object.entries(KINDS))("may be of any kind: %s", (_, names) => {
    const known = new Set(Object.values(LISTS).flatMap((list) => list.map(([name]) => name)));
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it("begins from an order that is sound", () => {
    for (const order of SOUND) expect(build(order).refused).not.toBe(true);
  });

  it("finds no router where the network has none that reaches a pool", () => {
    const [, withoutExecutor, withoutUniversal] = TABLES;
    for (const order of [fork, path, split, outputs]) {
      expect(build(order, withoutExecutor)).toMatchObject({ code: "NO_ROUTER" });
      expect(build(order, withoutUniversal).refused).not.toBe(true);
    }
    expect(build(one, withoutExecutor).refused).not.toBe(true);
  });
});

/** A million steps in short; numbers as they are, as NaN and Infinity are none of JSON's. */
function textOf({ steps, ...order }: SwapOrder): string {
  const plain = (_: string, value: unknown) =>
    typeof value === "bigint" || typeof value === "number" ? `${value}` : value;
  return JSON.stringify([order, steps.length, steps.slice(0, 300)], plain);
}
