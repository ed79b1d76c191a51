import type { Address } from "@millrace/core";
import type { SimulatedPool } from "./contracts.ts";

/** The chain's own state of a pool; never changed once made. */
export type SimulatedState = PairState | BookState | VaultState | ModuleState;

interface PairState {
  readonly kind: "pair";
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

export interface VaultState {
  readonly kind: "vault";
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  readonly baseFee: number;
  readonly paused: boolean;
  /** Its fee cannot be read. */
  readonly burns: boolean;
}

/** State that all vaults share; kept beside the pools. */
export interface ModuleState {
  readonly kind: "module";
  readonly baseFee: number;
  readonly isPaused: boolean;
  /** Creations with a hook so far, by DEX. */
  readonly hooks: ReadonlyMap<string, number>;
}

export interface BookState {
  readonly kind: "book";
  /** 0n until the pool is initialised. */
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  readonly ticks: ReadonlyMap<number, TickState>;
  readonly positions: ReadonlyArray<Position>;
}

export interface TickState {
  readonly gross: bigint;
  readonly net: bigint;
}

export interface Position {
  readonly owner: Address;
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
}

export function createdState(pool: SimulatedPool): SimulatedState {
  if (pool.kind === "pair") return { kind: "pair", reserve0: 0n, reserve1: 0n };
  return {
    kind: "book",
    sqrtPriceX96: 0n,
    tick: 0,
    liquidity: 0n,
    ticks: new Map(),
    positions: [],
  };
}

/** Whether a source is to load the pool. */
export function isLoadable(state: SimulatedState): boolean {
  return state.kind !== "module" && !(state.kind === "vault" && (state.paused || state.burns));
}

/** The liquidity of all ranges around a tick, summed over all ticks at each call. */
export function liquidityAt(ticks: ReadonlyMap<number, TickState>, tick: number): bigint {
  let sum = 0n;
  for (const [at, { net }] of ticks) if (at <= tick) sum += net;
  return sum;
}

/** The book after liquidity was added to a position, or removed where negative. */
export function withPosition(
  state: BookState,
  owner: Address,
  lower: number,
  upper: number,
  change: bigint,
): BookState {
  const ticks = new Map(state.ticks);
  moveTick(ticks, lower, change, change);
  moveTick(ticks, upper, change, -change);
  const isIt = (position: Position) =>
    position.owner === owner && position.lower === lower && position.upper === upper;
  const old = state.positions.find(isIt)?.liquidity ?? 0n;
  const positions = state.positions.filter((position) => !isIt(position));
  if (old + change > 0n) positions.push({ owner, lower, upper, liquidity: old + change });
  return { ...state, ticks, positions, liquidity: liquidityAt(ticks, state.tick) };
}

function moveTick(ticks: Map<number, TickState>, tick: number, gross: bigint, net: bigint): void {
  const old = ticks.get(tick) ?? { gross: 0n, net: 0n };
  const after = { gross: old.gross + gross, net: old.net + net };
  if (after.gross === 0n) ticks.delete(tick);
  else ticks.set(tick, after);
}
