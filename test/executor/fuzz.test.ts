import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { budget, law, type RandomSource, surely } from "@millrace/testing";
import { concatHex, encodeFunctionData, encodePacked, numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Asked, watchExecutor } from "../contracts/callTraces.ts";
import { tokenAbi } from "../contracts/ExecutorFixture.ts";
import { HostileFixture, type Mined, type Wealth } from "../contracts/HostileFixture.ts";
import {
  drawAct,
  drawAmount,
  drawOrder,
  type HostileOrder,
  TAKING_KINDS,
} from "../contracts/hostileOrders.ts";
import { NATIVE } from "../contracts/orders.ts";
import { ONE } from "../contracts/PoolFixture.ts";
import {
  hookParts,
  performData,
  reservesAnswer,
  SELECTORS,
  scriptData,
} from "../contracts/scriptedContracts.ts";

/** Sequences; each starts with a fresh world. */
const SEQUENCES = 35;
const ORDERS = 3;
const PATIENCE_MS = 100_000 + budget(SEQUENCES) * 4_000;

/** The least occurrences per thousand orders for the test to be meaningful. */
const MET_PER_THOUSAND = {
  "customer true": 80,
  "customer false": 150,
  "attacker true": 80,
  "attacker false": 150,
  // Outcomes of orders, including inner ones.
  "order none": 200,
  "order TooLittleOut": 80,
  "order TooMuchIn": 30,
  "order InvalidOrder": 20,
  "order TransferFailed": 25,
  "order PaymentTooLarge": 15,
  "order NotTheCalledPool": 30,
  "order Reentered": 800,
  "callback none": 400,
  "callback NotTheCalledPool": 1_500,
  "callback PaymentTooLarge": 200,
  "callback TooMuchIn": 80,
  "callback TransferFailed": 20,
  "native none": 20,
  "native UnexpectedNative": 600,
  // Features of orders that succeeded.
  exactIn: 80,
  exactOut: 80,
  "native in": 10,
  "native out": 15,
  fee: 40,
  permit: 20,
  allowances: 40,
  vaults: 20,
  "honest pools": 20,
  "hostile pools": 120,
  "hostile token": 50,
  "taxed token": 15,
  "silent token": 8,
  "fake token": 6,
  "hostile recipient": 45,
} as const;

describe("whatever pools, tokens and senders do to the executor", { timeout: PATIENCE_MS }, () => {
  let world: HostileFixture;
  let random: RandomSource;
  beforeAll(async () => {
    world = await HostileFixture.open(6);
  }, PATIENCE_MS);
  afterAll(() => world?.close());

  it("no third party loses, its user loses no more than the order says, and it keeps nothing", async () => {
    const tally = new Map<string, number>();
    const count = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1);
    const sequences = law("the executor among hostile pools, tokens and senders", SEQUENCES);
    for (const [sequence, source] of sequences.sources()) {
      random = source;
      await world.rewind();
      let before = await world.wealth();
      for (let index = 0; index < ORDERS; index++) {
        const drawn = drawOrder(world, random);
        const manners = await prepare(drawn);
        const isCustomers = random.integer(2) === 0;
        const mined = await (isCustomers ? byCustomer(drawn) : byAttacker(drawn));
        const after = await world.wealth();
        const told = `sequence ${sequence}, order ${index}`;
        const asked = checkCalls(mined, told);
        checkThirdParties(before, after, told);
        checkExecutor(before, after, mined, told);
        expect(await world.allowed(), told).toEqual([]);
        checkCustomer(before, after, isCustomers ? drawn : undefined, mined, told);
        before = after;
        for (const { what, error } of asked) count(`${what} ${error}`);
        const hasSucceeded = mined.succeeded && asked.some(succeeded);
        count(`${isCustomers ? "customer" : "attacker"} ${hasSucceeded}`);
        if (hasSucceeded) for (const feature of featuresOf(drawn, manners)) count(feature);
      }
    }
    const orders = sequences.cases * ORDERS;
    for (const [what, least] of Object.entries(MET_PER_THOUSAND))
      expect(tally.get(what) ?? 0, what).toBeGreaterThanOrEqual(
        surely((least / 2) * (orders / 1_000)),
      );
  });

  const succeeded = ({ what, error }: Asked) => what === "order" && error === "none";

  /** The features of an order that succeeded. */
  function featuresOf(
    { kind, order, plans, kinds, value, isPermitted }: HostileOrder,
    { taxBps, answer }: Manners,
  ): ReadonlyArray<string> {
    const involves = (token: Address) => order.tokenIn === token || order.tokenOut === token;
    const features: Record<string, boolean> = {
      exactIn: kind === "exactIn",
      exactOut: kind === "exactOut",
      "native in": value > 0n,
      "native out": order.nativeOut,
      fee: order.fee !== 0n,
      permit: isPermitted,
      allowances: TAKING_KINDS.some((each) => kinds.has(each)),
      vaults: kinds.has("balancerV3"),
      "hostile pools": plans.size > 0,
      "honest pools": plans.size === 0,
      "hostile token": involves(world.hostileToken),
      "fake token": involves(world.fakeToken),
      "taxed token": involves(world.hostileToken) && taxBps > 0n,
      "silent token": involves(world.hostileToken) && answer === 1n,
      "hostile recipient": world.scriptedContracts.includes(order.recipient),
    };
    return Object.keys(features).filter((feature) => features[feature]);
  }

  const drawReserve = () => 10n * ONE + random.bigint(4_000n * ONE);

  /** Gives scripted contracts their scripts, and the hostile token its behaviour. */
  async function prepare({ plans, kinds }: HostileOrder): Promise<Manners> {
    const { scriptedContracts, hostileToken, fakeToken } = world;
    const calls: Array<readonly [Address, Hex]> = [];
    for (const scripted of scriptedContracts) {
      const acts = plans.get(scripted) ?? [drawAct(world, random, 0)];
      const part = (selector: Hex, answer?: Hex) =>
        calls.push([scripted, scriptData(selector, acts, answer)]);
      part(SELECTORS.concentratedSwap, reservesAnswer(drawAmount(random), drawAmount(random)));
      for (const name of ["pairSwap", "received", "unlock"] as const) part(SELECTORS[name]);
      for (const [kind, names] of CALLED) {
        if (kinds.has(kind)) for (const name of names) part(SELECTORS[name]);
      }
      if (kinds.has("balancerV3")) {
        const [paid, given] = [drawAmount(random), drawAmount(random)];
        const told = [
          [SELECTORS.vaultV3Settle, [paid]],
          [SELECTORS.vaultV3Swap, [given, paid, given]],
          [SELECTORS.sendTo, []],
        ] as const;
        for (const [selector, words] of told) {
          const answer = concatHex(words.map((word) => numberToHex(word, { size: 32 })));
          calls.push([scripted, scriptData(selector, [drawAct(world, random, 0)], answer)]);
        }
      }
      // As a manager: its answers to swaps, mostly invalid, and its other acts.
      const deltas = random.shuffled([-drawAmount(random), drawAmount(random)]);
      const said = deltas.map((delta) => BigInt.asIntN(128, delta)) as [bigint, bigint];
      const swapped = encodePacked(["int128", "int128"], said);
      calls.push([
        scripted,
        scriptData(SELECTORS.managerSwap, [drawAct(world, random, 0)], swapped),
      ]);
      for (const name of ["sync", "settle", "take"] as const)
        calls.push([scripted, scriptData(SELECTORS[name], [drawAct(world, random, 0)])]);
      // Reports fewer reserves than it has, as if something had just been paid.
      const reserves = reservesAnswer(drawReserve(), drawReserve());
      calls.push([scripted, scriptData(SELECTORS.getReserves, [], reserves)]);
      const given = numberToHex(drawAmount(random), { size: 32 });
      calls.push([scripted, scriptData(SELECTORS.getAmountOut, [], given)]);
    }
    const hookActs = { before: [drawAct(world, random, 0)], after: [drawAct(world, random, 0)] };
    for (const hooked of hookParts(random.integer(2) === 0 ? {} : hookActs))
      calls.push([world.hook, scriptData(...hooked)]);
    const set = (functionName: "setTax" | "setAnswer", value: bigint) =>
      calls.push([
        hostileToken,
        encodeFunctionData({ abi: tokenAbi, functionName, args: [value] }),
      ]);
    const taxBps = random.pick([0n, 0n, 300n, 9_999n]);
    const answer = random.pick([0n, 0n, 0n, 0n, 1n, 1n, 2n, 3n]);
    set("setTax", taxBps);
    set("setAnswer", answer);
    const acts = Array.from({ length: 1 + random.integer(2) }, () => drawAct(world, random, 0));
    const hook = {
      functionName: "setHook",
      args: [scriptedContracts[0]!, performData(acts)],
    } as const;
    calls.push([hostileToken, encodeFunctionData({ abi: tokenAbi, ...hook })]);
    for (const name of ["transfer", "transferFrom", "permit", "balanceOf"] as const) {
      // A balance is a view: an act in it would revert.
      const tried = name === "balanceOf" ? [] : [drawAct(world, random, 0)];
      const said = name === "balanceOf" ? drawAmount(random) : random.pick([1n, 1n, 1n, 0n]);
      calls.push([fakeToken, scriptData(SELECTORS[name], tried, numberToHex(said, { size: 32 }))]);
    }
    await world.prepare(calls);
    return { taxBps, answer };
  }

  const byCustomer = ({ data, value }: HostileOrder) =>
    world.send(world.customer, world.stage.arena.executor, data, value);

  /** From an account, or from a scripted contract, which does more before and after. */
  function byAttacker({ data, value }: HostileOrder): Promise<Mined> {
    const { executor } = world.stage.arena;
    if (random.integer(2) === 0) return world.send(world.attacker, executor, data, value);
    const sent = { target: executor, data, value, must: false };
    const acts = [drawAct(world, random, 0), sent, drawAct(world, random, 0), sent];
    return world.send(
      world.attacker,
      random.pick(world.scriptedContracts),
      performData(acts),
      value * 2n,
    );
  }

  function checkCalls({ trace }: Mined, told: string): ReadonlyArray<Asked> {
    const { executor, wrappedNative } = world.stage.arena;
    const { asked, offences } = watchExecutor(trace, executor, wrappedNative);
    expect(offences, told).toEqual([]);
    return asked;
  }

  function checkThirdParties(before: Wealth, after: Wealth, told: string): void {
    for (const holder of world.thirdParties)
      for (const [index, amount] of before.get(holder)!.entries())
        expect(after.get(holder)![index]!, told).toBeGreaterThanOrEqual(amount);
  }

  /** Checks that the executor keeps nothing except unsolicited gifts of scripted contracts. */
  function checkExecutor(before: Wealth, after: Wealth, { gifts }: Mined, told: string): void {
    const { executor } = world.stage.arena;
    const had = before.get(executor)!;
    for (const [index, amount] of after.get(executor)!.entries()) {
      const gift = gifts.get(world.tokens[index] ?? NATIVE) ?? 0n;
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
    const isNative = nativeOut || tokenOut === NATIVE;
    const index = isNative ? tokens.length : tokens.indexOf(tokenOut as Address);
    const gained = after.get(recipient)![index]! - before.get(recipient)![index]!;
    // A scripted contract may spend its receipts at once.
    if (world.scriptedContracts.includes(recipient)) return;
    // A recipient that is also the sender has paid first.
    const paid =
      recipient === customer ? mayGo(sent, succeeded, index) + (isNative ? costWei : 0n) : 0n;
    expect(gained + paid, told).toBeGreaterThanOrEqual(amountOutMin);
  }

  /** The most that an order's sender may lose of a token. */
  function mayGo(sent: HostileOrder | undefined, succeeded: boolean, index: number): bigint {
    if (sent === undefined || !succeeded) return 0n;
    const { tokenIn, amountIn } = sent.order;
    if (sent.value > 0n) return index === world.tokens.length ? sent.value : 0n;
    return world.tokens[index] === tokenIn ? amountIn : 0n;
  }
});

/**
 * Functions in which a scripted contract runs its plan, as a contract that takes its input itself.
 */
const CALLED = [
  ["stableSwap", ["exchange"]],
  ["cryptoSwap", ["exchangeByIndex"]],
  ["balancerV2", ["vaultSwap", "vaultBatchSwap"]],
  ["shares", ["deposit", "redeem"]],
  ["wrapper", ["wrap", "unwrap"]],
] as const;

/** How the hostile token behaves. */
interface Manners {
  readonly taxBps: bigint;
  readonly answer: bigint;
}
