import type { Hex } from "@millrace/core";
import { checkCalldata } from "@millrace/execution";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "./reference/random.ts";
import { build, POOLS, TABLES } from "./reference/swapDesk.ts";
import { faultOfSwap } from "./reference/swapFaults.ts";
import { TABLE } from "./reference/swapMarket.ts";
import { type Meaning, meaningOf } from "./reference/swapMeaning.ts";
import { anyMutation } from "./reference/swapMutations.ts";
import { soundOrders } from "./reference/swapOrders.ts";

// Seeded. MILLRACE_FUZZ multiplies the budget.
const BUDGET = Number(process.env["MILLRACE_FUZZ"] ?? 1);
const ORDERS = 100_000 * BUDGET;
const CALLS = 100_000 * BUDGET;
const SEED = 4;

const pools = [...POOLS.values()];
const sound = soundOrders(POOLS, 120);

describe("the builder of swaps", () => {
  it("builds every order that is sound, as the rules have it", () => {
    for (const order of sound) {
      const built = build(order, TABLE);
      expect(built.refused, JSON.stringify(built, plain)).not.toBe(true);
      expect(faultOfSwap(order, TABLE, built, POOLS)).toBeUndefined();
    }
  });

  it("gives for any order what is ours by the rules, or a refusal that fits, and never throws", () => {
    const outcomes = new Map<string, number>();
    const attack = fc.record({
      order: fc.constantFrom(...sound),
      mutations: fc.array(anyMutation, { minLength: 1, maxLength: 3 }),
      table: fc.constantFrom(...TABLES),
    });
    fc.assert(
      fc.property(attack, ({ order, mutations, table }) => {
        const mutated = mutations.reduce((changed, mutate) => mutate(changed), order);
        const built = build(mutated, table);
        const outcome = built.refused ? built.code : built.router.kind;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        const fault = faultOfSwap(mutated, table, built, POOLS);
        if (fault !== undefined) throw new Error(`${fault}: ${JSON.stringify(mutated, plain)}`);
      }),
      { seed: SEED, numRuns: ORDERS },
    );
    // What was tried had all ends that there are.
    const kinds = ["executor", "universal-router", "wrapper"];
    const codes = ["INVALID_REQUEST", "UNKNOWN_POOL", "UNKNOWN_TOKEN", "PRICE_MOVED", "NO_ROUTER"];
    const rare = ["AMOUNT_TOO_SMALL", "INSUFFICIENT_LIQUIDITY"];
    for (const outcome of [...kinds, ...codes, ...rare]) {
      expect(outcomes.get(outcome), `${outcome} of ${[...outcomes]}`).toBeGreaterThan(
        ORDERS / 5_000,
      );
    }
  });
});

describe("the decoder", () => {
  it("notices every change of meaning in the calldata of sound swaps", () => {
    const random = seededRandom(SEED);
    const swaps = sound.flatMap((order) => {
      const built = build(order, random.pick(TABLES));
      return built.refused ? [] : [{ ...built, permit: order.permit }];
    });
    let unnoticed = 0;
    for (let run = 0; run < CALLS; run++) {
      const { intent, swap, permit } = random.pick(swaps);
      const data = changed(swap.data, random);
      const words = checkCalldata(TABLE, intent, permit, { ...swap, data });
      if (words !== undefined || data === swap.data) continue;
      unnoticed++;
      const [before, after] = [swap.data, data].map((text) =>
        meaningOf({ ...swap, data: text }, pools),
      ) as [Meaning, Meaning];
      expect(after).toEqual({ ...before, mostIn: after.mostIn });
      // A share of the most that may go in may be rounded down.
      expect(after.mostIn).toBeLessThanOrEqual(intent.amountInMax);
      expect(after.mostIn + BigInt(after.paths.length)).toBeGreaterThan(intent.amountInMax);
    }
    // Minimums of swaps whose output is weighed afterwards, payers of what is paid already.
    expect(unnoticed).toBeGreaterThan(0);
    expect(unnoticed).toBeLessThan(CALLS / 100);
  });
});

const WORD = 64;
const SELECTOR_END = 10;

/** Other calldata: a digit, a word, or the length is another. */
function changed(data: Hex, random: ReturnType<typeof seededRandom>): Hex {
  const count = (data.length - SELECTOR_END) / WORD;
  const at = SELECTOR_END + WORD * random.integer(count);
  const word = data.slice(at, at + WORD);
  const put = (text: string, end = at + WORD) =>
    `${data.slice(0, at)}${text}${data.slice(end)}` as Hex;
  const number = (value: bigint) =>
    put(BigInt.asUintN(256, value).toString(16).padStart(WORD, "0"));
  const digit = 2 + random.integer(data.length - 2);
  const other = SELECTOR_END + WORD * random.integer(count);
  const ways: ReadonlyArray<() => Hex> = [
    () =>
      `${data.slice(0, digit)}${random.integer(16).toString(16)}${data.slice(digit + 1)}` as Hex,
    () => number(BigInt(`0x${word || 0}`) ^ (1n << BigInt(random.integer(256)))),
    () => number(BigInt(`0x${word || 0}`) + random.pick([1n, -1n, 32n, -32n])),
    () => number(random.pick([0n, 1n, 2n, 2n ** 255n, 2n ** 256n - 1n, random.bigint(2n ** 256n)])),
    () => put(data.slice(other, other + WORD)),
    () => put(""),
    () => put(word + word),
    () => put("", data.length),
    () => `${data}${random.pick(["00", "0", "0".repeat(WORD)])}` as Hex,
  ];
  return random.pick([ways[0]!, ways[0]!, ways[1]!, ways[1]!, ...ways])();
}

const plain = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
