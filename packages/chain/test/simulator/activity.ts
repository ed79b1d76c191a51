import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import { bookActivity, initialize } from "./bookActivity.ts";
import { POOLS, type SimulatedPool, STRANGERS, TOPICS } from "./contracts.ts";
import type { Deed, RawLog } from "./Deed.ts";
import { createdState, type SimulatedState } from "./poolStates.ts";
import { vaultActivity } from "./vaultActivity.ts";
import { addressWord, hexOf, word } from "./words.ts";

/** The states of all pools of a block, by address. */
export type PoolStates = ReadonlyMap<Address, SimulatedState>;

/** Pools that are contracts of their own. */
const OWN_POOLS = POOLS.filter(({ kind }) => kind !== "vault");

/** Reserves have at most 112 bits. */
const RESERVE_MAX = (1n << 112n) - 1n;

/**
 * The activity of one block: `logs[i]` are the logs of transaction i. A quarter of the blocks is
 * empty.
 */
export function blockActivity(
  dice: RandomSource,
  before: PoolStates,
): { readonly pools: PoolStates; readonly transactions: ReadonlyArray<ReadonlyArray<RawLog>> } {
  const pools = new Map(before);
  const transactions: RawLog[][] = [];
  const count = dice.chance(0.25) ? 0 : dice.between(1, 4);
  for (let made = 0; made < count; made++) {
    transactions.push(transaction(dice, pools));
  }
  return { pools, transactions };
}

function transaction(dice: RandomSource, pools: Map<Address, SimulatedState>): RawLog[] {
  const absent = OWN_POOLS.filter(({ address }) => !pools.has(address));
  const draw = dice.next();
  if (draw < 0.12) return [unrelated(dice)];
  if (draw < 0.24) return spoof(dice);
  if (draw > 0.7) return vaultActivity(dice, pools);
  const present = OWN_POOLS.filter(({ address }) => pools.has(address));
  if (absent.length > 0 && (present.length === 0 || draw < 0.24 + 0.04 * absent.length)) {
    return create(dice, dice.pick(absent), pools);
  }
  const pool = dice.pick(present);
  const deed = act(dice, pool, pools.get(pool.address)!);
  pools.set(pool.address, deed.state);
  return [...deed.logs, ...(dice.chance(0.2) ? [unrelated(dice)] : [])];
}

function act(dice: RandomSource, pool: SimulatedPool, state: SimulatedState): Deed {
  if (state.kind === "pair") return pairActivity(dice, pool, state);
  return state.kind === "book" ? bookActivity(dice, pool, state) : { state, logs: [] };
}

/** A pool is created, and often funded in the same transaction. */
function create(
  dice: RandomSource,
  pool: SimulatedPool,
  pools: Map<Address, SimulatedState>,
): RawLog[] {
  const { token0, token1, feePips, tickSpacing, dex } = pool;
  const tokens: Hex[] = [hexOf(addressWord(token0)), hexOf(addressWord(token1))];
  const created: RawLog =
    tickSpacing === 0
      ? {
          address: dex.factory,
          topics: [TOPICS.pairCreated, ...tokens],
          data: hexOf(addressWord(pool.address), word(1 + poolsOf(dex.factory, pools))),
        }
      : {
          address: dex.factory,
          topics: [TOPICS.poolCreated, ...tokens, hexOf(word(feePips))],
          data: hexOf(word(tickSpacing), addressWord(pool.address)),
        };
  let state = createdState(pool);
  const logs = [created];
  if (state.kind === "book" && dice.chance(0.7)) {
    const deed = initialize(dice, pool, state);
    state = deed.state;
    logs.push(...deed.logs);
  }
  for (let left = dice.integer(3); left > 0; left--) {
    const deed = act(dice, pool, state);
    state = deed.state;
    logs.push(...deed.logs);
  }
  pools.set(pool.address, state);
  return logs;
}

function poolsOf(factory: Address, pools: PoolStates): number {
  return POOLS.filter(({ address, dex }) => dex.factory === factory && pools.has(address)).length;
}

function pairActivity(
  dice: RandomSource,
  pool: SimulatedPool,
  state: { readonly reserve0: bigint; readonly reserve1: bigint },
): Deed {
  const { reserve0, reserve1 } = state;
  const draw = dice.next();
  if (reserve0 > 1n && reserve1 > 1n && draw < 0.7) return pairSwap(dice, pool, state);
  // Liquidity is added or removed, or somebody donates and calls sync: any reserves may follow.
  const extreme = dice.chance(0.05);
  const after = {
    kind: "pair" as const,
    reserve0: extreme ? RESERVE_MAX : dice.amount(100),
    reserve1: extreme && dice.chance(0.5) ? RESERVE_MAX : dice.amount(100),
  };
  const logs = [syncLog(pool.address, after)];
  const sender = hexOf(addressWord(STRANGERS[0]!));
  const amounts = hexOf(word(dice.amount(90)), word(dice.amount(90)));
  if (draw < 0.8) {
    logs.push({ address: pool.address, topics: [TOPICS.pairMint, sender], data: amounts });
  } else if (draw < 0.9) {
    logs.push({ address: pool.address, topics: [TOPICS.pairBurn, sender, sender], data: amounts });
  }
  return { state: after, logs };
}

function pairSwap(
  dice: RandomSource,
  pool: SimulatedPool,
  { reserve0, reserve1 }: { readonly reserve0: bigint; readonly reserve1: bigint },
): Deed {
  const zeroForOne = dice.chance(0.5);
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
  const room = RESERVE_MAX - reserveIn;
  const wanted = (reserveIn * BigInt(dice.between(1, 2000))) / 1000n + 1n;
  const amountIn = wanted < room ? wanted : room;
  const fair = (reserveOut * amountIn) / (reserveIn + amountIn);
  if (amountIn === 0n || fair === 0n)
    return { state: { kind: "pair", reserve0, reserve1 }, logs: [] };
  const amountOut = fair < reserveOut ? fair : reserveOut - 1n;
  const state = zeroForOne
    ? { kind: "pair" as const, reserve0: reserve0 + amountIn, reserve1: reserve1 - amountOut }
    : { kind: "pair" as const, reserve0: reserve0 - amountOut, reserve1: reserve1 + amountIn };
  const [in0, in1, out0, out1] = zeroForOne
    ? [amountIn, 0n, 0n, amountOut]
    : [0n, amountIn, amountOut, 0n];
  const trader = hexOf(addressWord(dice.pick(STRANGERS)));
  const [reserve0After, reserve1After] = [Number(state.reserve0), Number(state.reserve1)];
  const price = reserve1After / reserve0After;
  const priceAfter = zeroForOne ? price : 1 / price;
  const swap = { zeroForOne, amountIn, amountOut, priceAfter };
  const data = hexOf(word(in0), word(in1), word(out0), word(out1));
  const log = { address: pool.address, topics: [TOPICS.pairSwap, trader, trader], data, swap };
  return { state, logs: [syncLog(pool.address, state), log] };
}

function syncLog(
  address: Address,
  { reserve0, reserve1 }: { readonly reserve0: bigint; readonly reserve1: bigint },
): RawLog {
  return { address, topics: [TOPICS.sync], data: hexOf(word(reserve0), word(reserve1)) };
}

/** A log that no pool family knows; some without topics, some of tokens. */
function unrelated(dice: RandomSource): RawLog {
  const stranger = dice.pick(STRANGERS);
  const topic = hexOf(addressWord(stranger));
  const topics = dice.pick([[], [TOPICS.transfer, topic, topic], [topic], [TOPICS.collect]]);
  const address = dice.chance(0.5) ? stranger : dice.pick(POOLS).token0;
  return { address, topics, data: dice.hex(4 * dice.integer(20)) };
}

/** Logs of strangers that imitate a factory's or a pool's, some of them malformed. */
function spoof(dice: RandomSource): RawLog[] {
  const address = dice.pick(STRANGERS);
  const pool = dice.pick(OWN_POOLS);
  const tokens = [hexOf(addressWord(pool.token0)), hexOf(addressWord(pool.token1))];
  const made = dice.chance(0.5) ? pool.address : address;
  const kinds: ReadonlyArray<() => RawLog> = [
    () => ({
      address,
      topics: [TOPICS.pairCreated, ...tokens],
      data: hexOf(addressWord(made), word(1)),
    }),
    () => ({
      address,
      topics: [TOPICS.poolCreated, ...tokens, hexOf(word(pool.feePips))],
      data: hexOf(word(60), addressWord(made)),
    }),
    () => syncLog(address, { reserve0: dice.amount(112), reserve1: dice.amount(112) }),
    () => ({ address, topics: [TOPICS.sync], data: "0x01" }),
    () => ({ address, topics: [TOPICS.swap], data: "0x" }),
    () => ({ address, topics: [TOPICS.mint, ...tokens], data: hexOf(word(-1)) }),
  ];
  return [dice.pick(kinds)()];
}
