import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import { encodeFunctionData } from "viem";
import { poolAbi, tokenAbi } from "./ExecutorFixture.ts";
import type { HostileFixture } from "./HostileFixture.ts";
import {
  encodeSwap,
  FAR,
  feeOf,
  NATIVE,
  type Order,
  type OrderLeg,
  type Path,
  pathOf,
} from "./orders.ts";
import { ONE } from "./PoolFixture.ts";
import {
  type Act,
  callbackData,
  managerAbi,
  performData,
  takeData,
  transferData,
  unlockCallback,
} from "./scriptedContracts.ts";

/** An order that somebody may send, and the plans of the scripted contracts in it. */
export interface HostileOrder {
  readonly kind: "exactIn" | "exactOut";
  readonly order: Order;
  readonly data: Hex;
  readonly value: bigint;
  /** With a permit that nobody signed. */
  readonly isPermitted: boolean;
  /** The kinds of its legs. */
  readonly kinds: ReadonlySet<OrderLeg["kind"]>;
  /**
   * The acts of each scripted contract when called as a pool, including its own turn in the path.
   */
  readonly plans: ReadonlyMap<Address, ReadonlyArray<Act>>;
}

const HOSTILE_KINDS = [
  ...(["pair", "volatile", "stable"] as const),
  ...(["concentrated", "concentrated", "managed", "managed"] as const),
];
/** Kinds that support exact input only. */
const INPUT_KINDS = [
  ...(["stableSwap", "cryptoSwap", "balancerV2", "shares", "wrapper"] as const),
  ...(["balancerV3", "balancerV3"] as const),
];
/** Kinds whose contracts take their input by allowance. */
export const TAKING_KINDS: ReadonlyArray<OrderLeg["kind"]> = INPUT_KINDS.slice(0, 5);
const HOPS_BETWEEN = [0, 0, 0, 1, 1, 2, 3];
const PATH_COUNTS = [1, 1, 1, 2, 3];

/**
 * An order over honest pools and scripted contracts, mostly one that could succeed: its paths link
 * and its amounts add up. Scripted contracts in it pay more or less the right amounts to the right
 * places.
 */
export function drawOrder(world: HostileFixture, random: RandomSource, depth = 0): HostileOrder {
  const { arena } = world.stage;
  const kind = random.pick(["exactIn", "exactOut"] as const);
  const [tokenIn, tokenOut] = drawEnds(world, random);
  const nativeOut = tokenOut === arena.wrappedNative && random.integer(2) === 0;
  const isCharged = random.integer(3) === 0;
  const recipient = drawPerson(world, random);
  const paths: Path[] = [];
  const plans = new Map<Address, Act[]>();
  const kinds = new Set<OrderLeg["kind"]>();
  let total = 0n;
  for (let count = random.pick(PATH_COUNTS); count > 0; count--) {
    const amount = drawAmount(random);
    const legs = drawLegs(world, random, kind, tokenIn, tokenOut);
    for (const leg of legs) kinds.add(leg.kind);
    total += amount;
    paths.push(pathOf(amount, ...legs));
    const end = isCharged || nativeOut ? arena.executor : recipient;
    for (const [index, leg] of legs.entries()) {
      if (!world.scriptedContracts.includes(leg.pool)) continue;
      const to = payee(kind, legs[index + 1], end, arena.executor);
      const acts = plans.get(leg.pool) ?? [];
      plans.set(leg.pool, [...acts, ...drawPlan(world, random, leg, amount, to, depth)]);
    }
  }
  const isMalformed = random.integer(20) === 0;
  const amountIn = kind === "exactOut" ? total * random.pick([1n, 2n, 5n, 100n]) : total;
  // The most native tokens of an account.
  const nativeIn =
    (tokenIn === NATIVE || (tokenIn === arena.wrappedNative && random.integer(2) === 0)) &&
    amountIn < 1_000n * ONE;
  const order: Order = {
    ...{ tokenIn, tokenOut, recipient, deadline: FAR, nativeOut },
    amountIn: isMalformed ? amountIn + drawAmount(random) : amountIn,
    amountOutMin: random.pick([1n, 1n, 1n, ONE / 2n, ONE]),
    fee: isCharged ? feeOf(drawPerson(world, random), 1 + random.integer(1_050)) : 0n,
  };
  const permit = { amount: 1n, deadline: FAR, v: 27, r: WORD, s: WORD };
  const isPermitted = !nativeIn && random.integer(4) === 0;
  return {
    ...{ kind, order, plans, kinds, isPermitted, value: nativeIn ? amountIn : 0n },
    data: encodeSwap(kind, order, paths, ...(isPermitted ? [permit] : [])),
  };
}

function drawEnds(world: HostileFixture, random: RandomSource): readonly [Address, Address] {
  const tokenIn = random.pick(world.tokens);
  const tokenOut = random.pick(world.tokens.filter((token) => token !== tokenIn));
  const isFake = () => random.integer(12) === 0;
  if (random.integer(6) === 0) return [NATIVE, tokenOut];
  if (random.integer(6) === 0) return [tokenIn, NATIVE];
  if (isFake()) return [world.fakeToken, tokenOut];
  return [tokenIn, isFake() ? world.fakeToken : tokenOut];
}

const WORD: Hex = `0x${"11".repeat(32)}`;

function drawLegs(
  world: HostileFixture,
  random: RandomSource,
  orderKind: HostileOrder["kind"],
  tokenIn: Address,
  tokenOut: Address,
): ReadonlyArray<OrderLeg> {
  const usual = [...world.tokens, NATIVE];
  const all = random.integer(4) === 0 ? [...usual, world.fakeToken] : usual;
  const between = all.filter((token) => token !== tokenIn && token !== tokenOut);
  const tokens = [tokenIn];
  for (let hops = random.pick(HOPS_BETWEEN); hops > 0 && between.length > 0; hops--)
    tokens.push(...between.splice(random.integer(between.length), 1));
  tokens.push(tokenOut);
  return tokens.slice(1).map((next, index) => {
    const last = tokens[index]!;
    // A few exact outputs ask for kinds that do not support them.
    const isAny = orderKind === "exactIn" || random.integer(20) === 0;
    const honest = world.legs.filter(
      (leg) =>
        leg.tokenIn === last &&
        leg.tokenOut === next &&
        (isAny || !(INPUT_KINDS as ReadonlyArray<string>).includes(leg.kind)),
    );
    if (honest.length > 0 && random.integer(3) > 0) return random.pick(honest);
    const kind = random.pick(isAny ? [...HOSTILE_KINDS, ...INPUT_KINDS] : HOSTILE_KINDS);
    return { kind, pool: random.pick(world.scriptedContracts), tokenIn: last, tokenOut: next };
  });
}

/** The recipient of a leg's output. */
function payee(
  kind: HostileOrder["kind"],
  next: OrderLeg | undefined,
  end: Address,
  executor: Address,
): Address {
  if (next === undefined) return end;
  if (next.kind === "managed" || next.kind === "wrapping") return executor;
  if (TAKING_KINDS.includes(next.kind)) return executor;
  return kind === "exactIn" && next.kind === "concentrated" ? executor : next.pool;
}

function drawPlan(
  world: HostileFixture,
  random: RandomSource,
  { kind, pool, tokenIn, tokenOut }: OrderLeg,
  amount: bigint,
  to: Address,
  depth: number,
): ReadonlyArray<Act> {
  const { executor } = world.stage.arena;
  const asked = random.pick([
    amount,
    amount,
    amount / 2n,
    amount + 1n,
    1n,
    0n,
    -1n,
    2n ** 255n - 1n,
  ]);
  const given = random.pick([amount, amount / 2n, amount * 2n, 1n]);
  const [amount0, amount1] = tokenIn < tokenOut ? [asked, -given] : [-given, asked];
  const isTaking = TAKING_KINDS.includes(kind) && tokenIn !== NATIVE;
  const asks: Act = {
    // A pair's callback is refused, whatever it asks for.
    ...{ value: 0n, must: hasCallback(kind) && random.integer(6) === 0 },
    ...(isTaking
      ? { target: tokenIn, data: takeData(executor, pool, BigInt.asUintN(256, asked)) }
      : {
          target: executor,
          data: isUnlocked(kind)
            ? unlockCallback
            : callbackData(amount0!, amount1!, drawCallback(random)),
        }),
  };
  const paysCaller = ["stableSwap", "cryptoSwap", "wrapper"].includes(kind);
  const taker = paysCaller ? executor : to;
  const pays: Act =
    tokenOut === NATIVE
      ? { target: taker, value: given % (ONE + 1n), must: false, data: "0x" }
      : { target: tokenOut, value: 0n, must: false, data: transferData(taker, given) };
  const plan = random.integer(2) === 0 ? [asks, pays] : [pays, asks];
  const extras = Array.from({ length: random.integer(4) }, () => drawAct(world, random, depth));
  for (const extra of extras) plan.splice(random.integer(plan.length + 1), 0, extra);
  return plan;
}

const isUnlocked = (kind: OrderLeg["kind"]) => kind === "managed" || kind === "balancerV3";

const hasCallback = (kind: OrderLeg["kind"]) => kind === "concentrated" || isUnlocked(kind);

const drawCallback = (random: RandomSource) =>
  random.pick(["uniswapV3SwapCallback", "pancakeV3SwapCallback", "algebraSwapCallback"] as const);

/** An act that a scripted contract tries in any call. */
export function drawAct(world: HostileFixture, random: RandomSource, depth: number): Act {
  const { arena } = world.stage;
  const act = (target: Address, data: Hex, value = 0n): Act => ({
    ...{ target, data, value, must: random.integer(8) === 0 },
  });
  const people = [...world.thirdParties, world.customer];
  const scripted = random.pick(world.scriptedContracts);
  const token = random.pick(world.tokens);
  switch (random.integer(depth < 2 ? 9 : 7)) {
    case 0:
    case 1: {
      const amounts = [drawSigned(random), drawSigned(random)] as const;
      const data = callbackData(...amounts, drawCallback(random));
      return act(arena.executor, random.integer(3) === 0 ? unlockCallback : data);
    }
    case 2: {
      const owner = random.pick([...people, arena.executor]);
      const args = [owner, scripted, drawAmount(random)] as const;
      const take = { functionName: "transferFrom", args } as const;
      return act(token, encodeFunctionData({ abi: tokenAbi, ...take }));
    }
    case 3:
      return act(token, transferData(drawPerson(world, random), drawAmount(random)));
    case 4:
      return act(arena.executor, "0x", 1n);
    case 5: {
      const { pool } = random.pick(world.legs);
      if (random.integer(2) === 0) return drawManagerAct(world, random, token);
      return act(pool, encodeFunctionData({ abi: poolAbi, functionName: "sync" }));
    }
    case 6: {
      const { pool, tokenIn, tokenOut } = random.pick(world.legs);
      const out = random.bigint(ONE / 100n);
      const outs = tokenIn < tokenOut ? ([0n, out] as const) : ([out, 0n] as const);
      const args = [...outs, scripted, "0x"] as const;
      return act(pool, encodeFunctionData({ abi: poolAbi, functionName: "swap", args }));
    }
    case 7:
      return act(scripted, performData([drawAct(world, random, depth + 1)]));
    default:
      return act(arena.executor, drawOrder(world, random, depth + 1).data);
  }
}

/** An act on the real manager, which the executor may have unlocked. */
function drawManagerAct(world: HostileFixture, random: RandomSource, token: Address): Act {
  const currency = random.integer(4) === 0 ? NATIVE : token;
  const call = (data: Hex, value = 0n): Act => ({
    ...{ target: world.manager, data, value, must: false },
  });
  const abi = managerAbi;
  switch (random.integer(3)) {
    case 0:
      return call(encodeFunctionData({ abi, functionName: "sync", args: [currency] }));
    case 1:
      return call(encodeFunctionData({ abi, functionName: "settle" }), random.pick([0n, 0n, 1n]));
    default: {
      const args = [currency, drawPerson(world, random), drawAmount(random)] as const;
      return call(encodeFunctionData({ abi, functionName: "take", args }));
    }
  }
}

function drawPerson(world: HostileFixture, random: RandomSource): Address {
  const { customer, attacker, scriptedContracts, thirdParties } = world;
  return random.pick([customer, attacker, attacker, ...scriptedContracts, ...thirdParties]);
}

const drawSigned = (random: RandomSource): bigint =>
  random.integer(2) === 0 ? drawAmount(random) : -drawAmount(random);

export const drawAmount = (random: RandomSource): bigint =>
  random.integer(25) === 0
    ? random.pick([0n, 1n, 2n ** 100n, 2n ** 240n])
    : random.pick([ONE, ONE / 3n, 7n * ONE, 1_000n, random.bigint(10n * ONE)]);
