import type { Hex } from "@millrace/protocols";
import { METHODS, MULTICALL, POOLS, type Signature, TOKENS } from "./contracts.ts";
import { created } from "./creationCalls.ts";
import type { BookState, SimulatedState } from "./poolStates.ts";
import type { SimulatedBlock } from "./SimulatedChain.ts";
import { isVault, vaultAnswer } from "./vaultAnswers.ts";
import { addressAt, addressWord, hexOf, numberAt, word, wordAt } from "./words.ts";

/** The result of a call at a block, of a contract or of creation code; undefined for a revert. */
export function call(block: SimulatedBlock, to: string, data: string): Hex | undefined {
  if (to === "") return created(data, (target, input) => call(block, target, input));
  if (isVault(to)) return vaultAnswer(block, to, data);
  const method = METHODS.get(data.slice(0, 10));
  const input = data.slice(10);
  if (to === MULTICALL) {
    if (method === "aggregate3((address,bool,bytes)[])") return aggregate(block, input);
    return method === "getBlockNumber()" ? hexOf(word(block.number)) : undefined;
  }
  const pool = POOLS.find(({ address }) => address === to);
  const state = block.pools.get(to as Hex);
  // Without code at the address, a call succeeds and returns nothing.
  if (pool !== undefined)
    return state === undefined ? "0x" : poolAnswer(pool, state, method, input);
  const token = TOKENS.find(({ address }) => address === to);
  if (token !== undefined) return tokenAnswer(token, method);
  return factoryAnswer(block, to, method, input);
}

function poolAnswer(
  pool: (typeof POOLS)[number],
  state: SimulatedState,
  method: Signature | undefined,
  input: string,
): Hex | undefined {
  if (method === "token0()") return hexOf(addressWord(pool.token0));
  if (method === "token1()") return hexOf(addressWord(pool.token1));
  if (method === "factory()") return hexOf(addressWord(pool.dex.factory));
  if (state.kind === "book") return bookAnswer(pool, state, method, input);
  if (state.kind !== "pair") return undefined;
  if (method !== "getReserves()") return undefined;
  return hexOf(word(state.reserve0), word(state.reserve1), word(1));
}

function bookAnswer(
  pool: (typeof POOLS)[number],
  state: BookState,
  method: Signature | undefined,
  input: string,
): Hex | undefined {
  switch (method) {
    case "fee()":
      return hexOf(word(pool.feePips));
    case "tickSpacing()":
      return hexOf(word(pool.tickSpacing));
    case "liquidity()":
      return hexOf(word(state.liquidity));
    case "slot0()": {
      const { sqrtPriceX96, tick } = state;
      const unlocked = sqrtPriceX96 === 0n ? 0 : 1;
      return hexOf(...[sqrtPriceX96, tick, 0, unlocked, unlocked, 0, unlocked].map(word));
    }
    case "tickBitmap(int16)":
      return hexOf(word(bitmapWord(state, pool.tickSpacing, numberAt(input, 0))));
    case "ticks(int24)": {
      const found = state.ticks.get(numberAt(input, 0));
      const initialised = found === undefined ? 0 : 1;
      const { gross, net } = found ?? { gross: 0n, net: 0n };
      return hexOf(...[gross, net, 0, 0, 0, 0, 0, initialised].map(word));
    }
    default:
      return undefined;
  }
}

function bitmapWord(state: BookState, tickSpacing: number, at: number): bigint {
  let bits = 0n;
  for (const tick of state.ticks.keys()) {
    const compressed = tick / tickSpacing;
    if (compressed >> 8 === at) bits |= 1n << BigInt(compressed & 255);
  }
  return bits;
}

function tokenAnswer(
  token: (typeof TOKENS)[number],
  method: Signature | undefined,
): Hex | undefined {
  if (method === "decimals()") return hexOf(word(token.decimals));
  if (method === "symbol()") return token.symbol;
  if (method === "name()") return token.name;
  return method === "totalSupply()" ? hexOf(word(10n ** 24n)) : undefined;
}

function factoryAnswer(
  block: SimulatedBlock,
  to: string,
  method: Signature | undefined,
  input: string,
): Hex | undefined {
  if (!POOLS.some(({ dex }) => dex.factory === to)) return "0x";
  const [first, second] = [addressAt(input, 0), addressAt(input, 1)].sort();
  const found = POOLS.find(
    (pool) =>
      pool.dex.factory === to &&
      pool.token0 === first &&
      pool.token1 === second &&
      (method === "getPair(address,address)" || pool.feePips === numberAt(input, 2)),
  );
  if (method !== "getPair(address,address)" && method !== "getPool(address,address,uint24)") {
    return undefined;
  }
  const exists = found !== undefined && block.pools.has(found.address);
  return hexOf(exists ? addressWord(found.address) : word(0));
}

/** Multicall3: (address target, bool allowFailure, bytes data)[] → (bool success, bytes data)[]. */
function aggregate(block: SimulatedBlock, input: string): Hex | undefined {
  const list = input.slice(2 * Number(wordAt(input, 0)));
  const count = Number(wordAt(list, 0));
  const items = list.slice(64);
  const results: string[] = [];
  for (let index = 0; index < count; index++) {
    const at = 2 * Number(wordAt(items, index));
    const target = `0x${items.slice(at + 24, at + 64)}`;
    const mayFail = items.slice(at + 127, at + 128) === "1";
    const bytesAt = at + 2 * Number.parseInt(items.slice(at + 128, at + 192), 16);
    const length = 2 * Number.parseInt(items.slice(bytesAt, bytesAt + 64), 16);
    const data = `0x${items.slice(bytesAt + 64, bytesAt + 64 + length)}`;
    const answer = call(block, target, data);
    if (answer === undefined && !mayFail) return undefined;
    results.push(resultOf(answer));
  }
  const offsets: string[] = [];
  let offset = 32 * count;
  for (const result of results) {
    offsets.push(word(offset));
    offset += result.length / 2;
  }
  return hexOf(word(32), word(count), ...offsets, ...results);
}

function resultOf(answer: Hex | undefined): string {
  const digits = (answer ?? "0x").slice(2);
  const padded = digits.padEnd(Math.ceil(digits.length / 64) * 64, "0");
  return word(answer === undefined ? 0 : 1) + word(64) + word(digits.length / 2) + padded;
}

/** The logs of blocks that a filter asks for, as a node gives them. */
export function filterLogs(
  blocks: ReadonlyArray<SimulatedBlock>,
  filter: Readonly<Record<string, unknown>>,
): Array<Record<string, unknown>> {
  const addresses = asList(filter["address"])?.map((address) => address.toLowerCase());
  const topics = (filter["topics"] ?? []) as ReadonlyArray<unknown>;
  const wanted = topics.map((topic) => asList(topic));
  return blocks
    .flatMap(({ logs }) => logs)
    .filter(
      (log) =>
        (addresses === undefined || addresses.includes(log.address)) &&
        wanted.every((list, at) => list === undefined || list.includes(log.topics[at] ?? "")),
    )
    .map(({ json }) => ({ ...json }));
}

function asList(value: unknown): ReadonlyArray<string> | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? (value as ReadonlyArray<string>) : [value as string];
}

/** A node's part of a JSON-RPC answer: a result, or an error. */
export type NodeAnswer = { readonly result: unknown } | { readonly error: RpcFailure };

interface RpcFailure {
  readonly code: number;
  readonly message: string;
}

export function failure(code: number, message: string): NodeAnswer {
  return { error: { code, message } };
}
