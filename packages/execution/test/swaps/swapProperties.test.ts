import { type BuildResult, checkCalldata } from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { budget, law, type RandomSource, surely } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyMutations } from "./attacks/swapMutations.ts";
import { build, LATER_POOLS, POOLS, TABLES } from "./model/swapBuilder.ts";
import { faultOfSwap } from "./model/swapFaults.ts";
import { EXECUTOR, TABLE } from "./model/swapMarket.ts";
import { type Meaning, meaningOf } from "./model/swapMeaning.ts";
import { judge } from "./model/swapModel.ts";
import { faultOfLateMoves, faultOfMoves } from "./model/swapMoves.ts";
import { soundOrders } from "./model/swapOrders.ts";

const PATIENCE = { timeout: 60_000 + budget(600_000) };
/** From so many orders on every end has to be met. */
const ORDERS_OF_ALL_ENDS = 50_000;

const pools = [...POOLS.values()];
const sound = soundOrders(POOLS, 120);

/** What an order may become: a transaction of a router, or a refusal of a part. */
const ENDS = [
  ...["executor", "universal-router", "wrapper"],
  ...["UNKNOWN_TOKEN", "UNKNOWN_POOL", "AMOUNT_TOO_SMALL", "INSUFFICIENT_LIQUIDITY"],
  ...["PRICE_MOVED", "NO_ROUTER", "publicKey", "recipient", "slippage", "deadline"],
  ...["partnerFees.fee", "partnerFees.recipient", "quote.tokenA", "quote.tokenB"],
  ...["quote.amountIn", "quote.amountOut", "quote.routePlan", "quote.routePlan.n.tokenA"],
  ...["quote.routePlan.n.tokenB", "quote.routePlan.n.poolAddress"],
  ...["quote.routePlan.n.amountIn", "quote.routePlan.n.amountOut", "permit"],
  ...["permit.signature", "permit.amount", "permit.deadline", "permit.nonce"],
  "permit.expiration",
];

function endOf(result: BuildResult): string {
  if (!result.refused) return result.router.kind;
  const { code, path } = result;
  return path?.map((key) => (typeof key === "number" ? "n" : key)).join(".") ?? code;
}

describe("the builder of swaps", () => {
  it("builds every order that is sound, as the rules have it", () => {
    let late = 0;
    for (const order of sound) {
      const built = build(order, TABLE);
      if (built.refused) throw new Error(JSON.stringify(built, plain));
      expect(faultOfSwap(order, TABLE, built, POOLS, LATER_POOLS)).toBeUndefined();
      const { terms } = judge(order, POOLS);
      if (!faultOfLateMoves(order, built, terms!, LATER_POOLS).reverts) late++;
    }
    // Prices that have moved stop some of them, and not all.
    expect(late).toBeGreaterThan(sound.length / 10);
    expect(late).toBeLessThan(sound.length);
  });

  it("is judged by a reference that notices who is paid instead, and who pays", () => {
    const digits = (address: string) => address.slice(2);
    let tried = 0;
    for (const order of sound) {
      const built = build(order, TABLE);
      if (built.refused || built.router.kind === "wrapper") continue;
      const terms = judge(order, POOLS).terms!;
      const { swap } = built;
      for (const party of [terms.recipient, terms.fee?.recipient]) {
        if (party === undefined) continue;
        const data = swap.data.replaceAll(digits(party), digits(EXECUTOR)) as Hex;
        if (data === swap.data) continue;
        tried++;
        const turned = { ...built, swap: { ...swap, data } };
        expect(faultOfMoves(order, turned, terms, POOLS)).toBeDefined();
      }
      const unpaid = { ...built, swap: { ...swap, value: swap.value + 1n } };
      expect(faultOfMoves(order, unpaid, terms, POOLS)).toBeDefined();
    }
    expect(tried).toBeGreaterThan(sound.length / 2);
  });

  it(
    "gives for any order what is ours by the rules, or a refusal that fits, and never throws",
    PATIENCE,
    () => {
      const ends = new Map<string, number>();
      let built = 0;
      const { cases, options } = law("any order becomes ours by the rules, or a refusal", 5_000);
      const attack = fc.record({
        order: fc.constantFrom(...sound),
        mutations: anyMutations,
        table: fc.constantFrom(...TABLES),
      });
      fc.assert(
        fc.property(attack, ({ order, mutations, table }) => {
          const mutated = mutations.reduce((changed, mutate) => mutate(changed), order);
          const result = build(mutated, table);
          if (!result.refused) built++;
          const end = endOf(result);
          ends.set(end, (ends.get(end) ?? 0) + 1);
          const fault = faultOfSwap(mutated, table, result, POOLS, LATER_POOLS);
          if (fault !== undefined) throw new Error(`${fault}: ${JSON.stringify(mutated, plain)}`);
        }),
        options,
      );
      expect([...ends.values()].reduce((sum, count) => sum + count)).toBe(cases);
      // What was tried had all ends that there are, and no other.
      expect([...ends.keys()].filter((end) => !ENDS.includes(end))).toEqual([]);
      for (const end of cases < ORDERS_OF_ALL_ENDS ? [] : ENDS)
        expect(ends.get(end) ?? 0, end).toBeGreaterThanOrEqual(surely(cases / 10_000));
      expect(built, `${[...ends]}`).toBeGreaterThanOrEqual(surely(cases / 5));
    },
  );
});

describe("the decoder", () => {
  it("notices every change of meaning in the calldata of sound swaps", PATIENCE, () => {
    const calls = law("every change of calldata's meaning is noticed", 5_000);
    const random = calls.random();
    const swaps = sound.flatMap((order) => {
      const built = build(order, random.pick(TABLES));
      return built.refused ? [] : [{ built, order, terms: judge(order, POOLS).terms! }];
    });
    let unnoticed = 0;
    for (let run = 0; run < calls.cases; run++) {
      const { built, order, terms } = random.pick(swaps);
      const { intent, swap } = built;
      const data = changed(swap.data, random);
      const words = checkCalldata(TABLE, intent, order.permit, { ...swap, data });
      if (words !== undefined || data === swap.data) continue;
      unnoticed++;
      const [before, after] = [swap.data, data].map((text) =>
        meaningOf({ ...swap, data: text }, pools),
      ) as [Meaning, Meaning];
      expect(after).toEqual({ ...before, mostIn: after.mostIn });
      const changedSwap = { ...built, swap: { ...swap, data } };
      expect(faultOfMoves(order, changedSwap, terms, POOLS)).toBeUndefined();
      // A share of the most that may go in may be rounded down.
      expect(after.mostIn).toBeLessThanOrEqual(intent.amountInMax);
      expect(after.mostIn + BigInt(after.paths.length)).toBeGreaterThan(intent.amountInMax);
    }
    // Shares of the most that may go in.
    expect(unnoticed).toBeGreaterThanOrEqual(surely(calls.cases / 2_000));
    expect(unnoticed).toBeLessThan(calls.cases / 100);
  });
});

const WORD = 64;
const SELECTOR_END = 10;

/** Other calldata: a digit, a word, or the length is another. */
function changed(data: Hex, random: RandomSource): Hex {
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
