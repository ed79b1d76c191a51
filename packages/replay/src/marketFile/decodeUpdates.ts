import type { Address, PoolState, PoolStateChange } from "@millrace/core";
import { addressOf, checkState, fieldOf, type PoolEntry, type Pools } from "./decodePools.ts";
import { type Faults, shown } from "./Faults.ts";
import { STATE_MARKS } from "./kinds/PoolKind.ts";
import { readUpdateShape } from "./shape.ts";

/** The changes of a block after the first. */
export interface RecordedUpdate {
  readonly block: number;
  readonly states: ReadonlyArray<PoolStateChange>;
}

export function decodeUpdates(
  inputs: ReadonlyArray<unknown>,
  firstBlock: number,
  pools: Pools,
  faults: Faults,
): ReadonlyArray<RecordedUpdate> {
  const updates: RecordedUpdate[] = [];
  let previous = firstBlock;
  for (const [place, input] of inputs.entries()) {
    const path = `updates[${place}]`;
    const update = readUpdateShape(input, path, faults);
    if (update === undefined) continue;
    const { block } = update;
    if (block <= previous) faults.add(`${path}.block`, `block ${block} after block ${previous}`);
    previous = block;
    updates.push({ block, states: decodeChanges(update.pools, `${path}.pools`, pools, faults) });
  }
  return updates;
}

function decodeChanges(
  input: unknown,
  path: string,
  pools: Pools,
  faults: Faults,
): ReadonlyArray<PoolStateChange> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    faults.add(path, `expected an object, is ${shown(input)}`);
    return [];
  }
  const changes = new Map<Address, PoolStateChange>();
  for (const [id, change] of Object.entries(input)) {
    const here = `${path}[${shown(id)}]`;
    const pool = pools.get(addressOf(id));
    if (pool?.id !== id.toLowerCase()) {
      faults.add(here, "unknown pool");
      continue;
    }
    const { address } = pool.listing;
    if (changes.has(address)) faults.add(here, "stands twice");
    const state = decodeChange(pool, change, here, faults);
    if (state !== undefined) changes.set(address, { pool: address, state });
  }
  return [...changes.values()];
}

/**
 * The new state, under `state` or directly; it may include the constant keys with their old values.
 */
function decodeChange(
  pool: PoolEntry,
  change: unknown,
  path: string,
  faults: Faults,
): PoolState | undefined {
  const isUnderKey = pool.kind.isNested && fieldOf(change, "state") !== undefined;
  return isUnderKey
    ? decodeState(pool, fieldOf(change, "state"), `${path}.state`, faults)
    : decodeState(pool, change, path, faults);
}

function decodeState(
  pool: PoolEntry,
  input: unknown,
  path: string,
  faults: Faults,
): PoolState | undefined {
  const { kind, constants } = pool;
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    faults.add(path, `expected an object, is ${shown(input)}`);
    return undefined;
  }
  if (STATE_MARKS.some((mark) => mark !== kind.mark && Object.hasOwn(input, mark))) {
    faults.add(path, `a ${kind.name} pool changes its kind`);
    return undefined;
  }
  for (const [key, was] of constants) {
    const now = Object.hasOwn(input, key) ? fieldOf(input, key) : was;
    if (textOf(now) !== textOf(was)) {
      faults.add(`${path}.${key}`, `expected ${was} as before, is ${shown(now)}`);
    }
  }
  const decoded = kind.decode({ ...Object.fromEntries(constants), ...input }, path, faults);
  if (decoded !== undefined) checkState(pool, decoded.state, path, faults);
  return decoded?.state;
}

/** Small numbers may be text. */
function textOf(value: unknown): unknown {
  if (typeof value === "number") return String(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
