import type { Address } from "@millrace/core";
import type { OrderedStep, Permit, SwapOrder } from "@millrace/execution";
import fc from "fast-check";
import { POOLS } from "../model/swapBuilder.ts";
import {
  addressOf,
  EXECUTOR,
  FOREIGN_POOL,
  FOREIGN_TOKEN,
  NATIVE_PLACEHOLDER,
  NOW_SECONDS,
  PARTNER,
  PERMIT2,
  SENDER,
  STRANGER,
  TOKENS,
  UNIVERSAL,
} from "../model/swapMarket.ts";
import { PERMIT } from "../model/swapOrders.ts";

/** A change that an attacker makes to an order; of the right types, and else without mercy. */
type Mutation = (order: SwapOrder) => SwapOrder;

const nobody: ReadonlyArray<Address> = [
  `0x${"0".repeat(40)}`,
  `0x${"1".padStart(40, "0")}`,
  `0x${"2".padStart(40, "0")}`,
  `0x${"ffff".padStart(40, "0")}`,
  NATIVE_PLACEHOLDER,
];
const contracts: ReadonlyArray<Address> = [EXECUTOR, UNIVERSAL, PERMIT2];
const malformed = ["0x", "0x12", "", "__proto__", `0x${"g".repeat(40)}`, `${STRANGER}00`];
const upper = (address: string) => `0x${address.slice(2).toUpperCase()}` as Address;

/** Pools of the market have the addresses from 0x100 on. */
const anyPool = fc.integer({ min: 0x100, max: 0x100 + 89 }).map(addressOf);
const anyToken = fc.constantFrom(...TOKENS);
const anybody = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(STRANGER, PARTNER, SENDER, upper(STRANGER)) },
  { weight: 2, arbitrary: fc.constantFrom(...nobody, ...contracts, ...TOKENS) },
  { weight: 1, arbitrary: anyPool },
  { weight: 1, arbitrary: fc.constantFrom(...malformed).map((text) => text as Address) },
);
const anyAddress = fc.oneof(
  { weight: 3, arbitrary: anyToken },
  { weight: 3, arbitrary: anyPool },
  { weight: 2, arbitrary: fc.constantFrom(FOREIGN_POOL, FOREIGN_TOKEN, STRANGER, EXECUTOR) },
  { weight: 1, arbitrary: anybody },
  { weight: 1, arbitrary: anyToken.map(upper) },
);

type Change = (amount: bigint) => bigint;

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom<Change>(
    (amount) => amount + 1n,
    (amount) => amount - 1n,
    (amount) => -amount,
    (amount) => amount * 2n,
    (amount) => amount / 2n,
    (amount) => (amount * 1_005n) / 1_000n,
    (amount) => (amount * 995n) / 1_000n,
    () => 0n,
    () => 1n,
    () => 2n ** 256n - 1n,
    () => 2n ** 256n,
    () => 2n ** 255n,
  ),
  fc.bigInt({ min: -(2n ** 257n), max: 2n ** 257n }).map((amount) => () => amount),
  fc.integer({ min: -20_000, max: 20_000 }).map((ppm) => (amount: bigint) => {
    return amount + (amount * BigInt(ppm)) / 1_000_000n;
  }),
);

const places = fc.nat({ max: 40 });

function atStep(place: number, change: (step: OrderedStep) => OrderedStep): Mutation {
  return (order) => {
    const { steps } = order;
    if (steps.length === 0) return order;
    const at = place % steps.length;
    return { ...order, steps: steps.with(at, change(steps[at]!)) };
  };
}

function withSteps(change: (steps: ReadonlyArray<OrderedStep>, at: number) => OrderedStep[]) {
  return places.map((place): Mutation => {
    return (order) => ({
      ...order,
      steps: change(order.steps, order.steps.length === 0 ? 0 : place % order.steps.length),
    });
  });
}

/** A further path, which goes back through a pool within the first. */
const thereAndBack: Mutation = (order) => {
  const [first, between] = order.steps;
  if (first === undefined || between === undefined) return order;
  const { pool, tokenIn: before, tokenOut: after } = between;
  const ends = [first.tokenIn, after].sort().join();
  const way = [...POOLS.values()].find(({ token0, token1 }) => `${token0},${token1}` === ends);
  if (way === undefined) return order;
  const amountIn = 10n ** 12n;
  const toIt = { pool: way.address, tokenIn: first.tokenIn, tokenOut: after, amountIn };
  return { ...order, steps: [...order.steps, toIt, { pool, tokenIn: after, tokenOut: before }] };
};

const set = <K extends keyof SwapOrder>(key: K, value: fc.Arbitrary<SwapOrder[K]>) =>
  value.map(
    (chosen): Mutation =>
      (order) => ({ ...order, [key]: chosen }),
  );

const anyStepField = fc
  .record({ place: places, key: fc.constantFrom("pool", "tokenIn", "tokenOut"), to: anyAddress })
  .map(({ place, key, to }) => atStep(place, (step) => ({ ...step, [key]: to })));

const anyStepAmount = fc
  .record({ place: places, key: fc.constantFrom("amountIn", "amountOut"), change: anyChange })
  .map(({ place, key, change }) =>
    atStep(place, (step) => ({ ...step, [key]: change(step[key as "amountIn"] ?? 0n) })),
  );

const anyNumber = (sound: number, end: number) =>
  fc.oneof(
    fc.integer({ min: 0, max: end }),
    fc.constantFrom(0, sound, end, end + 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53),
  );

const anyPermit: fc.Arbitrary<Permit> = fc
  .record({
    signature: fc.oneof(
      { weight: 4, arbitrary: fc.constant(PERMIT.signature) },
      { weight: 1, arbitrary: fc.constantFrom("1d", "1c", "00", "1b00", "").map(signed) },
    ),
    amount: anyChange.map((change) => change(PERMIT.amount)),
    deadline: fc.oneof(
      fc.constant(PERMIT.deadline),
      anyChange.map((change) => change(PERMIT.deadline)),
    ),
    nonce: fc.constantFrom(0n, 0n, 7n, -1n, 2n ** 48n - 1n, 2n ** 48n, 2n ** 256n),
    expiration: fc.oneof(
      fc.constant(PERMIT.deadline),
      anyChange.map((change) => change(PERMIT.deadline)),
    ),
    isWithout: fc.boolean(),
  })
  .map(({ isWithout, expiration, ...permit }) => (isWithout ? permit : { ...permit, expiration }));

/** A signature with another end. */
function signed(end: string): `0x${string}` {
  return `0x${"1f".repeat(64)}${end}`;
}

/** Small as a rule, so that some orders stay sound. */
const anyMutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 3,
    arbitrary: anyChange.map((change) => (order: SwapOrder) => ({
      ...order,
      amountIn: change(order.amountIn),
    })),
  },
  {
    weight: 4,
    arbitrary: anyChange.map((change) => (order: SwapOrder) => ({
      ...order,
      amountOut: change(order.amountOut),
    })),
  },
  { weight: 3, arbitrary: anyStepAmount },
  { weight: 4, arbitrary: anyStepField },
  { weight: 1, arbitrary: set("tokenIn", anyAddress) },
  { weight: 1, arbitrary: set("tokenOut", anyAddress) },
  { weight: 1, arbitrary: set("isNativeIn", fc.boolean()) },
  { weight: 1, arbitrary: set("isNativeOut", fc.boolean()) },
  { weight: 1, arbitrary: set("kind", fc.constantFrom("exactIn", "exactOut")) },
  { weight: 3, arbitrary: set("recipient", anybody) },
  { weight: 1, arbitrary: set("sender", anybody) },
  { weight: 3, arbitrary: set("slippagePpm", anyNumber(5_000, 500_000)) },
  {
    weight: 2,
    arbitrary: set(
      "deadline",
      anyNumber(1_200, 3_600).map((ahead) => NOW_SECONDS + ahead),
    ),
  },
  {
    weight: 3,
    arbitrary: set("fee", fc.record({ recipient: anybody, bps: anyNumber(30, 1_000) })),
  },
  { weight: 1, arbitrary: set("permit", anyPermit) },
  { weight: 1, arbitrary: withSteps((steps, at) => [...steps, ...steps.slice(at, at + 1)]) },
  { weight: 1, arbitrary: withSteps((steps, at) => steps.toSpliced(at, 1)) },
  { weight: 1, arbitrary: withSteps((steps) => steps.toReversed()) },
  { weight: 1, arbitrary: withSteps((steps, at) => [...steps.slice(at), ...steps.slice(0, at)]) },
  { weight: 1, arbitrary: withSteps((steps) => [...steps, ...steps]) },
  { weight: 1, arbitrary: fc.constant(thereAndBack) },
  {
    weight: 1,
    arbitrary: withSteps((steps) =>
      steps.map(({ pool, tokenIn, tokenOut }) => ({ pool, tokenIn, tokenOut })),
    ),
  },
  {
    weight: 1,
    arbitrary: places.map((place) =>
      atStep(place, (step) => ({ ...step, tokenIn: step.tokenOut, tokenOut: step.tokenIn })),
    ),
  },
);

/** From one to three changes, mostly one. */
export const anyMutations: fc.Arbitrary<ReadonlyArray<Mutation>> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(anyMutation) },
  { weight: 1, arbitrary: fc.tuple(anyMutation, anyMutation) },
  { weight: 1, arbitrary: fc.tuple(anyMutation, anyMutation, anyMutation) },
);
