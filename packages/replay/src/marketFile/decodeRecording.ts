import { createHash } from "node:crypto";
import {
  ADDRESS_BYTES,
  type Address,
  type Curve,
  type Dex,
  type MarketBlock,
  NO_HASH,
  type PoolListing,
  type PoolState,
  type PoolStateChange,
  type TokenListing,
} from "@millrace/core";
import { FEE_INSIDE } from "@millrace/protocols";
import { dexOf } from "../dexes.ts";
import { decodeState, protocolOf } from "./decodeState.ts";
import { type Faults, shown } from "./Faults.ts";
import {
  type RecordedPool,
  readFileShape,
  readPoolShape,
  readTokenShape,
  readUpdateShape,
} from "./shape.ts";

/** A market file, decoded. */
export interface Recording {
  readonly chainId: number;
  /** The market as recorded. */
  readonly first: MarketBlock;
  /** The blocks that followed, ascending. */
  readonly updates: ReadonlyArray<MarketBlock>;
}

const BLOCK_MS = 12_000;
const TEXT_LENGTH_MAX = 64;
/** A graph counts its DEXes in 16 bits. */
const DEX_COUNT_MAX = 65_536;

/** The recording that a file's JSON holds. What is wrong with it goes to `faults`, all of it. */
export function decodeRecording(json: unknown, faults: Faults): Recording | undefined {
  const file = readFileShape(json, "", faults);
  if (file === undefined) return undefined;
  const number = file.block ?? 0;
  const startMs = 1_000 * (file.blockTimestamp ?? 0);
  const blockAt = (at: number): MarketBlock => ({
    stamp: { number: at, hash: NO_HASH, timestampMs: startMs + BLOCK_MS * (at - number) },
    dexes: [],
    tokens: [],
    pools: [],
    removedPools: [],
    states: [],
    swaps: [],
    supplies: [],
  });

  const tokens = decodeTokens(file.tokens, faults);
  const { dexes, pools } = decodePools(file.chainId, file.pools, tokens, faults);
  const entries = [...pools.values()];
  return {
    chainId: file.chainId,
    first: {
      ...blockAt(number),
      dexes: [...dexes.values()],
      tokens: [...tokens.values()],
      pools: entries.map(({ listing }) => listing),
      states: entries.map(({ listing, state }) => ({ pool: listing.address, state })),
    },
    updates: decodeUpdates(file.updates ?? [], number, pools, faults).map(({ block, states }) => ({
      ...blockAt(block),
      states,
    })),
  };
}

function decodeTokens(
  inputs: ReadonlyArray<unknown>,
  faults: Faults,
): ReadonlyMap<string, TokenListing> {
  const tokens = new Map<string, TokenListing>();
  for (const [place, input] of inputs.entries()) {
    const path = `tokens[${place}]`;
    const token = readTokenShape(input, path, faults);
    if (token === undefined) continue;
    const address = token.address.toLowerCase() as Address;
    if (tokens.has(address)) faults.add(path, `${address} stands twice`);
    // A token that says nothing of itself is shown by its address.
    const symbol = cleanText(token.symbol) || address;
    const name = cleanText(token.name ?? "") || symbol;
    tokens.set(address, { address, decimals: token.decimals, symbol, name });
  }
  return tokens;
}

/** Text as it is safe to show: no control, bidirectional or zero-width characters, not long. */
function cleanText(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, "").trim();
  return [...visible].slice(0, TEXT_LENGTH_MAX).join("");
}

interface PoolEntry {
  readonly listing: PoolListing;
  readonly kind: RecordedPool["kind"];
  readonly state: PoolState;
}

/** Pools by the lower case of their ids in the file. */
type Pools = ReadonlyMap<string, PoolEntry>;

function decodePools(
  chainId: number,
  inputs: ReadonlyArray<unknown>,
  tokens: ReadonlyMap<string, TokenListing>,
  faults: Faults,
): { dexes: ReadonlyMap<string, Dex>; pools: Pools } {
  const dexes = new Map<string, Dex>();
  const pools = new Map<string, PoolEntry>();
  for (const [place, input] of inputs.entries()) {
    const path = `pools[${place}]`;
    const pool = readPoolShape(input, path, faults);
    if (pool === undefined) continue;
    const id = pool.id.toLowerCase();
    if (pools.has(id)) faults.add(path, `${shown(pool.id)} stands twice`);
    checkTokens(pool, tokens, path, faults);
    const protocol = protocolOf(pool.kind);
    const dexId = decodeDex(chainId, pool, protocol, dexes, path, faults);
    const listing = listingOf(pool, dexId);
    const state = decodeState(listing, protocol, input, path, faults);
    if (state !== undefined) pools.set(id, { listing, kind: pool.kind, state });
  }
  return { dexes, pools };
}

function checkTokens(
  pool: RecordedPool,
  tokens: ReadonlyMap<string, TokenListing>,
  path: string,
  faults: Faults,
): void {
  for (const key of ["token0", "token1"] as const) {
    const token = pool[key].toLowerCase();
    if (!tokens.has(token)) faults.add(`${path}.${key}`, `unknown token ${token}`);
  }
  if (pool.token0.toLowerCase() === pool.token1.toLowerCase()) {
    faults.add(path, "token0 and token1 are the same");
  }
}

/** Adds the pool's DEX to `dexes` and gives its id. */
function decodeDex(
  chainId: number,
  pool: RecordedPool,
  protocol: Curve,
  dexes: Map<string, Dex>,
  path: string,
  faults: Faults,
): string {
  const id = (pool.dex ?? `UNISWAP_${pool.kind}`).toUpperCase();
  const dex = dexes.get(id) ?? dexOf(chainId, id, protocol.name);
  if (dex.protocol !== protocol.name) {
    faults.add(`${path}.dex`, `${id} is a DEX of ${dex.protocol} pools, not of ${pool.kind}`);
  }
  if (dexes.size === DEX_COUNT_MAX && !dexes.has(id)) {
    faults.add(`${path}.dex`, `more than ${DEX_COUNT_MAX} DEXes`);
  }
  dexes.set(id, dex);
  return id;
}

function listingOf(pool: RecordedPool, dexId: string): PoolListing {
  return {
    address: addressOf(pool.id),
    dexId,
    tokens: [pool.token0.toLowerCase() as Address, pool.token1.toLowerCase() as Address],
    feePips: pool.fee,
    // The state's decoder tells what is wrong with a tick spacing.
    parameter: pool.kind === "v2" ? FEE_INSIDE : Number(pool.tickSpacing),
  };
}

/** A pool's address, or for a label one made from it: the same on every machine. */
function addressOf(id: string): Address {
  const lowerCase = id.toLowerCase();
  if (lowerCase.startsWith("0x")) return lowerCase as Address;
  const digest = createHash("sha256").update(`pool ${lowerCase}`).digest("hex");
  return `0x${digest.slice(0, 2 * ADDRESS_BYTES)}`;
}

interface Update {
  readonly block: number;
  readonly states: ReadonlyArray<PoolStateChange>;
}

function decodeUpdates(
  inputs: ReadonlyArray<unknown>,
  firstBlock: number,
  pools: Pools,
  faults: Faults,
): ReadonlyArray<Update> {
  const updates: Update[] = [];
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
    const pool = pools.get(id.toLowerCase());
    if (pool === undefined) {
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

/** The new state; what of a pool never changes may stand there too, as it was. */
function decodeChange(
  pool: PoolEntry,
  change: unknown,
  path: string,
  faults: Faults,
): PoolState | undefined {
  const { listing, kind } = pool;
  if (typeof change !== "object" || change === null || Array.isArray(change)) {
    faults.add(path, `expected an object, is ${shown(change)}`);
    return undefined;
  }
  const given = new Map<string, unknown>(Object.entries(change));
  if (given.has(kind === "v2" ? "sqrtPriceX96" : "reserve0")) {
    faults.add(path, `a ${kind} pool changes its kind`);
    return undefined;
  }
  const constants =
    kind === "v2"
      ? { fee: listing.feePips }
      : { fee: listing.feePips, tickSpacing: listing.parameter };
  for (const [key, was] of Object.entries(constants)) {
    const now = given.has(key) ? given.get(key) : was;
    if (now !== was) faults.add(`${path}.${key}`, `expected ${was} as before, is ${shown(now)}`);
  }
  return decodeState(listing, protocolOf(kind), { ...constants, ...change }, path, faults);
}
