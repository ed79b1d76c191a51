import { env } from "node:process";
import type { Address, Hex } from "@millrace/core";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenAbi } from "./contracts/Arena.ts";
import { HostileWorld, type Mined, type Wealth } from "./contracts/HostileWorld.ts";
import { drawAct, drawAmount, drawOrder, type HostileOrder } from "./contracts/hostileOrders.ts";
import { performance, rehearsal, reservesAnswer, SELECTORS } from "./contracts/puppets.ts";
import { seededRandom } from "./reference/random.ts";

const SEQUENCES = Number(env["MILLRACE_EXECUTOR_SEQUENCES"] ?? 300);
const SEED = Number(env["MILLRACE_EXECUTOR_SEED"] ?? 20_261_205);
const ORDERS = 3;
const PATIENCE_MS = 100_000 + SEQUENCES * 2_000;

describe("whatever pools, tokens and senders do to the executor", { timeout: PATIENCE_MS }, () => {
  let world: HostileWorld;
  const random = seededRandom(SEED);
  beforeAll(async () => {
    world = await HostileWorld.open(6);
  });
  afterAll(() => world?.close());

  it("no third party loses, its user loses no more than the order says, and it keeps nothing", async () => {
    const tally = { orders: 0, succeeded: 0, byCustomer: 0, hostile: 0 };
    for (let sequence = 0; sequence < SEQUENCES; sequence++) {
      await world.rewind();
      for (let index = 0; index < ORDERS; index++) {
        const drawn = drawOrder(world, random);
        await prepare(drawn);
        const isCustomers = random.integer(2) === 0;
        const before = await world.wealth([drawn.order.recipient]);
        const mined = await (isCustomers ? byCustomer(drawn) : byAttacker(drawn));
        const after = await world.wealth([drawn.order.recipient]);
        const told = `sequence ${sequence}, order ${index}`;
        checkThirdParties(before, after, told);
        checkExecutor(before, after, mined, told);
        checkCustomer(before, after, isCustomers ? drawn : undefined, mined, told);
        tally.orders++;
        if (!mined.succeeded) continue;
        tally.succeeded++;
        if (isCustomers) tally.byCustomer++;
        if (isCustomers && drawn.plans.size > 0) tally.hostile++;
      }
    }
    // Enough of them get through for the rest to mean something.
    expect(tally.succeeded).toBeGreaterThan(tally.orders / 4);
    expect(tally.byCustomer).toBeGreaterThan(tally.orders / 25);
    expect(tally.hostile).toBeGreaterThan(tally.orders / 30);
  });

  /** Puppets learn their parts; the hostile token is given its manners. */
  async function prepare({ plans }: HostileOrder): Promise<void> {
    const { puppets, hostileToken } = world;
    const calls: Array<readonly [Address, Hex]> = [];
    for (const puppet of puppets) {
      const acts = plans.get(puppet) ?? [drawAct(world, random, 0)];
      const part = (selector: Hex, answer?: Hex) =>
        calls.push([puppet, rehearsal(selector, acts, answer)]);
      part(SELECTORS.concentratedSwap, reservesAnswer(drawAmount(random), drawAmount(random)));
      part(SELECTORS.pairSwap);
      part(SELECTORS.received);
      const reserves = reservesAnswer(drawAmount(random) + 1n, drawAmount(random) + 1n);
      calls.push([puppet, rehearsal(SELECTORS.getReserves, [], reserves)]);
    }
    const set = (functionName: "setTax" | "setAnswer", value: bigint) =>
      calls.push([
        hostileToken,
        encodeFunctionData({ abi: tokenAbi, functionName, args: [value] }),
      ]);
    set("setTax", random.pick([0n, 0n, 300n, 9_999n]));
    set("setAnswer", random.pick([0n, 0n, 0n, 0n, 1n, 1n, 2n, 3n]));
    const acts = Array.from({ length: 1 + random.integer(2) }, () => drawAct(world, random, 0));
    const hook = { functionName: "setHook", args: [puppets[0]!, performance(acts)] } as const;
    calls.push([hostileToken, encodeFunctionData({ abi: tokenAbi, ...hook })]);
    await world.prepare(calls);
  }

  const byCustomer = ({ data, value }: HostileOrder) =>
    world.send(world.customer, world.stage.arena.executor, data, value);

  /** From an account, or from a puppet, which does more before and after. */
  function byAttacker({ data, value }: HostileOrder): Promise<Mined> {
    const { executor } = world.stage.arena;
    if (random.integer(2) === 0) return world.send(world.attacker, executor, data, value);
    const sent = { target: executor, data, value, must: false };
    const acts = [drawAct(world, random, 0), sent, drawAct(world, random, 0), sent];
    return world.send(world.attacker, random.pick(world.puppets), performance(acts), value * 2n);
  }

  function checkThirdParties(before: Wealth, after: Wealth, told: string): void {
    for (const holder of world.thirdParties)
      for (const [index, amount] of before.get(holder)!.entries())
        expect(after.get(holder)![index]!, told).toBeGreaterThanOrEqual(amount);
  }

  /** But for what puppets threw at it, which nobody asked for. */
  function checkExecutor(before: Wealth, after: Wealth, { gifts }: Mined, told: string): void {
    const { executor } = world.stage.arena;
    const had = before.get(executor)!;
    for (const [index, amount] of after.get(executor)!.entries()) {
      const token = world.tokens[index];
      const gift = token === undefined ? 0n : (gifts.get(token) ?? 0n);
      expect(amount, `${told}: token ${index}`).toBeLessThanOrEqual(had[index]! + gift);
    }
  }

  function checkCustomer(
    before: Wealth,
    after: Wealth,
    sent: HostileOrder | undefined,
    { succeeded, costWei }: Mined,
    told: string,
  ): void {
    const { customer, tokens } = world;
    const had = before.get(customer)!;
    for (const [index, amount] of after.get(customer)!.entries()) {
      const isNative = index === tokens.length;
      const cost = isNative && sent !== undefined ? costWei : 0n;
      expect(
        amount + cost + mayGo(sent, succeeded, index),
        `${told}: token ${index}`,
      ).toBeGreaterThanOrEqual(had[index]!);
    }
    if (sent === undefined || !succeeded) return;
    const { recipient, tokenOut, nativeOut, amountOutMin } = sent.order;
    const index = nativeOut ? tokens.length : tokens.indexOf(tokenOut as Address);
    const gained = after.get(recipient)![index]! - before.get(recipient)![index]!;
    // A puppet does with what it gets what it likes, and at once.
    if (world.puppets.includes(recipient)) return;
    const cost = nativeOut && recipient === customer ? costWei : 0n;
    expect(gained + cost, told).toBeGreaterThanOrEqual(amountOutMin);
  }

  /** The most that an order's sender may lose of a token. */
  function mayGo(sent: HostileOrder | undefined, succeeded: boolean, index: number): bigint {
    if (sent === undefined || !succeeded) return 0n;
    const { tokenIn, amountIn } = sent.order;
    if (sent.value > 0n) return index === world.tokens.length ? sent.value : 0n;
    return world.tokens[index] === tokenIn ? amountIn : 0n;
  }
});
