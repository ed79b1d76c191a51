import type { Address } from "@millrace/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Arena } from "./contracts/Arena.ts";
import { encodeSwap, FAR, type Order, pathOf } from "./contracts/orders.ts";

const ONE = 10n ** 18n;

describe("the executor swaps", () => {
  let arena: Arena;
  let sender: Address;
  beforeAll(async () => {
    arena = await Arena.open(1);
    sender = await arena.account();
  });
  afterAll(() => arena?.close());

  it("one pool", async () => {
    const [a, b] = [await arena.token(), await arena.token()];
    const pair = await arena.pair([a, 1000n * ONE], [b, 1000n * ONE]);
    const v3 = await arena.concentratedPool([a, b], 3000, 1000n * ONE);
    await arena.fund(a, sender, 1000n * ONE);
    await arena.give(b, sender, 1n);
    const order = (most: bigint): Order => ({
      ...{ tokenIn: a, tokenOut: b, amountIn: most, amountOutMin: 1n, recipient: sender },
      ...{ fee: 0n, deadline: FAR, nativeOut: false },
    });
    for (const leg of [
      { kind: "pair", pool: pair, tokenIn: a, tokenOut: b },
      { kind: "concentrated", pool: v3, tokenIn: a, tokenOut: b },
    ] as const)
      for (const kind of ["exactIn", "exactOut"] as const)
        console.log(
          leg.kind,
          kind,
          await arena.send({
            ...{ from: sender, to: arena.executor },
            data: encodeSwap(kind, order(2n * ONE), [
              pathOf(kind === "exactIn" ? 2n * ONE : ONE, leg),
            ]),
          }),
        );
    expect(await arena.balance(a, arena.executor)).toBe(0n);
  });
});
