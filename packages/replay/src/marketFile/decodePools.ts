import { createHash } from "node:crypto";
import {
  ADDRESS_BYTES,
  type Address,
  type Curve,
  type Dex,
  encodePoolId,
  isPoolId,
  NO_CONSTANTS,
  type PoolId,
  type PoolListing,
  type PoolState,
  poolKey,
  type TokenListing,
} from "@millrace/core";
import { dexOf } from "../dexes.ts";
import { type Faults, shown } from "./Faults.ts";
import type { DecodedState, PoolKind } from "./kinds/PoolKind.ts";
import { poolKinds } from "./kinds/poolKinds.ts";
import { type RecordedPool, readPoolShape, readTokenPairShape, readTokensShape } from "./shape.ts";

/** A pool of a market file, as recorded. */
export interface PoolEntry {
  /** Its id in the file, in lower case. */
  readonly id: string;
  readonly kind: PoolKind;
  readonly curve: Curve;
  readonly listing: PoolListing;
  readonly state: PoolState;
  /** Decimals of its tokens. */
  readonly decimals: ReadonlyArray<number>;
  /** The file's values for the keys that never change. */
  readonly constants: ReadonlyMap<string, unknown>;
}

/** By address. */
export type Pools = ReadonlyMap<Address, PoolEntry>;

/** A graph counts its DEXes in 16 bits. */
const DEX_COUNT_MAX = 65_536;
/** Used for tokens that are missing in the file, which is a separate fault. */
const DECIMALS_UNKNOWN = 18;

/** The pools of a file, and the DEXes that they use. */
export function decodePools(
  chainId: number,
  inputs: ReadonlyArray<unknown>,
  tokens: ReadonlyMap<string, TokenListing>,
  faults: Faults,
): { dexes: ReadonlyMap<string, Dex>; pools: Pools } {
  const dexes = new Map<string, Dex>();
  const pools = new Map<Address, PoolEntry>();
  for (const [place, input] of inputs.entries()) {
    const path = `pools[${place}]`;
    const pool = readPoolShape(input, path, faults);
    if (pool === undefined) continue;
    const kind = poolKinds.get(pool.kind)!;
    const address = addressOf(pool.id);
    if (pools.has(address)) faults.add(path, `${shown(pool.id)} stands twice`);
    const dexId = decodeDex(chainId, pool, kind, dexes, path, faults);
    const addresses = decodeTokens(input, kind, tokens, path, faults);
    const state = kind.isNested ? fieldOf(input, "state") : input;
    const statePath = kind.isNested ? `${path}.state` : path;
    const decoded = kind.decode(state, statePath, faults);
    if (addresses === undefined || decoded === undefined) continue;
    const curve = decoded.curve ?? kind.curve;
    const listing: PoolListing = {
      address,
      dexId,
      ...(curve.name !== kind.protocol && { curve: curve.name }),
      tokens: addresses,
      feePips: decoded.feePips,
      parameter: decoded.parameter,
      ...constantsOf(pool.id, decoded),
    };
    const entry: PoolEntry = {
      id: pool.id.toLowerCase(),
      kind,
      curve,
      listing,
      state: decoded.state,
      decimals: addresses.map((token) => tokens.get(token)?.decimals ?? DECIMALS_UNKNOWN),
      constants: new Map(kind.constants.map((key) => [key, fieldOf(state, key)])),
    };
    checkState(entry, decoded.state, statePath, faults);
    pools.set(address, entry);
  }
  return { dexes, pools };
}

/** A pool's address; for a label, one derived from it: the same on every machine. */
export function addressOf(id: string): Address {
  const lowerCase = id.toLowerCase();
  if (isPoolId(lowerCase)) return poolKey(lowerCase as PoolId);
  if (lowerCase.startsWith("0x")) return lowerCase as Address;
  const digest = createHash("sha256").update(`pool ${lowerCase}`).digest("hex");
  return `0x${digest.slice(0, 2 * ADDRESS_BYTES)}`;
}

/** Adds a fault if a pool cannot be in a state. */
export function checkState(
  { curve, listing, decimals }: PoolEntry,
  state: PoolState,
  path: string,
  faults: Faults,
): void {
  const shape = { ...listing, decimals, constants: listing.constants ?? NO_CONSTANTS };
  const problem = curve.check(shape, state);
  if (problem !== undefined) faults.add(path, `impossible state: ${problem}`);
}

export function fieldOf(input: unknown, key: string): unknown {
  return typeof input === "object" && input !== null && Object.hasOwn(input, key)
    ? (input as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** For a pool with an id but no constants: a curve reads this as none. */
const PLAIN_CONSTANTS = BigUint64Array.of(0n);

/** An id that is longer than an address follows the words that the curve reads. */
function constantsOf(id: string, { constants }: DecodedState): Pick<PoolListing, "constants"> {
  const lowerCase = id.toLowerCase();
  if (isPoolId(lowerCase)) {
    return { constants: encodePoolId(lowerCase as PoolId, constants ?? PLAIN_CONSTANTS) };
  }
  return constants === undefined ? {} : { constants };
}

/** The addresses of a pool's tokens; undefined, with faults, if their shape is invalid. */
function decodeTokens(
  input: unknown,
  kind: PoolKind,
  tokens: ReadonlyMap<string, TokenListing>,
  path: string,
  faults: Faults,
): ReadonlyArray<Address> | undefined {
  const named = kind.isNested
    ? readTokensShape(input, path, faults)?.tokens.map((token, at) => [`tokens[${at}]`, token])
    : Object.entries(readTokenPairShape(input, path, faults) ?? {});
  const seen = new Set<Address>();
  for (const [key, text] of named ?? []) {
    const token = text!.toLowerCase() as Address;
    if (!tokens.has(token)) faults.add(`${path}.${key}`, `unknown token ${token}`);
    if (seen.has(token)) faults.add(`${path}.${key}`, "the same as another token of the pool");
    seen.add(token);
  }
  return named && [...seen];
}

/** Adds the pool's DEX to `dexes`, and returns its id. */
function decodeDex(
  chainId: number,
  pool: RecordedPool,
  kind: PoolKind,
  dexes: Map<string, Dex>,
  path: string,
  faults: Faults,
): string {
  const id = (pool.dex ?? kind.dexId).toUpperCase();
  const dex = dexes.get(id) ?? dexOf(chainId, id, kind.protocol);
  if (dex.protocol !== kind.protocol) {
    faults.add(`${path}.dex`, `${id} is a DEX of ${dex.protocol} pools, not of ${kind.name}`);
  }
  if (dexes.size === DEX_COUNT_MAX && !dexes.has(id)) {
    faults.add(`${path}.dex`, `more than ${DEX_COUNT_MAX} DEXes`);
  }
  dexes.set(id, dex);
  return id;
}
