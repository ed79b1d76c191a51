import { sqrtRatioAtTick, TICK_MAX } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import { type SimulatedPool, STRANGERS, TOPICS } from "./contracts.ts";
import type { Deed, RawLog } from "./Deed.ts";
import { type BookState, liquidityAt, type Position, withPosition } from "./poolStates.ts";
import { addressWord, hexOf, word } from "./words.ts";

/** The largest distance of prices from tick 0. */
const TICK_REACH = 20_000;

/** One transaction with a V3 pool. */
export function bookActivity(dice: RandomSource, pool: SimulatedPool, state: BookState): Deed {
  if (state.sqrtPriceX96 === 0n) return initialize(dice, pool, state);
  const draw = dice.next();
  if (state.positions.length === 0 || draw < 0.25) return mint(dice, pool, state);
  if (draw < 0.45) return burn(dice, pool, state, dice.pick(state.positions));
  if (draw < 0.5) return collect(dice, pool, state, dice.pick(state.positions));
  return swap(dice, pool, state);
}

export function initialize(dice: RandomSource, pool: SimulatedPool, state: BookState): Deed {
  const tick = dice.between(-TICK_REACH, TICK_REACH);
  const sqrtPriceX96 = priceWithin(dice, tick);
  const data = hexOf(word(sqrtPriceX96), word(tick));
  return {
    state: { ...state, sqrtPriceX96, tick },
    logs: [{ address: pool.address, topics: [TOPICS.initialize], data }],
  };
}

function mint(dice: RandomSource, pool: SimulatedPool, state: BookState): Deed {
  const owner = dice.pick(STRANGERS);
  const [lower, upper] = range(dice, pool.tickSpacing, state);
  const amount = dice.amount(dice.chance(0.1) ? 100 : 70);
  const data = hexOf(
    addressWord(STRANGERS[0]!),
    word(amount),
    word(dice.amount(90)),
    word(dice.amount(90)),
  );
  const topics = positionTopics(TOPICS.mint, { owner, lower, upper, liquidity: 0n });
  return {
    state: withPosition(state, owner, lower, upper, amount),
    logs: [{ address: pool.address, topics, data }],
  };
}

/** A range: at times the whole one, often one that touches another position's. */
function range(dice: RandomSource, spacing: number, state: BookState): readonly [number, number] {
  const last = Math.floor(TICK_MAX / spacing) * spacing;
  if (dice.chance(0.1)) return [-last, last];
  const near = Math.floor(state.tick / spacing) * spacing;
  const known = state.positions.flatMap(({ lower, upper }) => [lower, upper]);
  const lower =
    known.length > 0 && dice.chance(0.4)
      ? dice.pick(known)
      : near + spacing * dice.between(-12, 10);
  const upper = lower + spacing * dice.between(1, 20);
  const fits = lower >= -last && upper <= last;
  return fits ? [lower, upper] : [near - spacing, near + spacing];
}

/** Burns all, a part, or nothing of a position; nothing only settles its fees. */
function burn(dice: RandomSource, pool: SimulatedPool, state: BookState, position: Position): Deed {
  const { owner, lower, upper, liquidity } = position;
  const draw = dice.next();
  const amount = draw < 0.1 ? 0n : draw < 0.5 ? liquidity : liquidity / 2n;
  const data = hexOf(word(amount), word(dice.amount(90)), word(dice.amount(90)));
  return {
    state: amount === 0n ? state : withPosition(state, owner, lower, upper, -amount),
    logs: [{ address: pool.address, topics: positionTopics(TOPICS.burn, position), data }],
  };
}

function collect(
  dice: RandomSource,
  pool: SimulatedPool,
  state: BookState,
  position: Position,
): Deed {
  const to = addressWord(dice.pick(STRANGERS));
  const data = hexOf(to, word(dice.amount(90)), word(dice.amount(90)));
  const topics = positionTopics(TOPICS.collect, position);
  return { state, logs: [{ address: pool.address, topics, data }] };
}

function positionTopics(topic: Hex, { owner, lower, upper }: Position): ReadonlyArray<Hex> {
  return [topic, hexOf(addressWord(owner)), hexOf(word(lower)), hexOf(word(upper))];
}

function swap(dice: RandomSource, pool: SimulatedPool, state: BookState): Deed {
  const reach = dice.chance(0.3) ? 3 * pool.tickSpacing * 10 : pool.tickSpacing * 2;
  const aimed = state.tick + dice.between(-reach, reach);
  const end = endOfSwap(dice, pool, state, Math.min(Math.max(aimed, -TICK_REACH), TICK_REACH));
  if (end.sqrtPriceX96 === state.sqrtPriceX96) return { state, logs: [] };
  const zeroForOne = end.sqrtPriceX96 < state.sqrtPriceX96;
  const amountIn = dice.amount(90);
  const amountOut = dice.amount(90);
  const liquidity = liquidityAt(state.ticks, end.tick);
  const amounts = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn];
  const data = hexOf(...amounts.map(word), word(end.sqrtPriceX96), word(liquidity), word(end.tick));
  const trader = hexOf(addressWord(dice.pick(STRANGERS)));
  const price = (Number(end.sqrtPriceX96) / 2 ** 96) ** 2;
  const log: RawLog = {
    address: pool.address,
    topics: [TOPICS.swap, trader, trader],
    data,
    swap: { zeroForOne, amountIn, amountOut, priceAfter: zeroForOne ? price : 1 / price },
  };
  return { state: { ...state, ...end, liquidity }, logs: [log] };
}

/** The end of a swap towards a tick: within it, or on an initialised tick that it just crossed. */
function endOfSwap(
  dice: RandomSource,
  pool: SimulatedPool,
  state: BookState,
  aimed: number,
): { readonly sqrtPriceX96: bigint; readonly tick: number } {
  if (dice.chance(0.3) && state.ticks.size > 0) {
    const near = [...state.ticks.keys()].filter((tick) => Math.abs(tick) <= TICK_REACH);
    if (near.length > 0) {
      const tick = dice.pick(near);
      const sqrtPriceX96 = sqrtRatioAtTick(tick);
      // Downwards, reaching a tick's price crosses it: the pool's tick is then the one below.
      if (sqrtPriceX96 < state.sqrtPriceX96) return { sqrtPriceX96, tick: tick - 1 };
      if (sqrtPriceX96 > state.sqrtPriceX96) return { sqrtPriceX96, tick };
    }
  }
  const sqrtPriceX96 = priceWithin(dice, aimed);
  const onTick = sqrtPriceX96 === sqrtRatioAtTick(aimed);
  const crossed = onTick && sqrtPriceX96 < state.sqrtPriceX96 && aimed % pool.tickSpacing === 0;
  return { sqrtPriceX96, tick: crossed ? aimed - 1 : aimed };
}

/** A price within a tick; at times the tick's lowest price. */
function priceWithin(dice: RandomSource, tick: number): bigint {
  const start = sqrtRatioAtTick(tick);
  if (dice.chance(0.1)) return start;
  const span = sqrtRatioAtTick(tick + 1) - start;
  return start + (span * BigInt(dice.integer(1_000_000))) / 1_000_000n;
}
