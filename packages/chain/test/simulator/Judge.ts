import {
  type Address,
  type BlockStamp,
  type MarketBlock,
  type OpenMarket,
  openMarket,
  type PoolIndex,
  type PoolState,
} from "@millrace/core";
import {
  constantProduct,
  curves,
  encodeConcentrated,
  encodeReserves,
  FEE_INSIDE,
} from "@millrace/protocols";
import type { DexStatus } from "../../src/ChainStatus.ts";
import { NOT_LOADABLE } from "../../src/follow/Admissions.ts";
import { CHAIN_ID, LIAR, POOLS, type SimulatedPool, TOKENS } from "./contracts.ts";
import { checkStamp, checkSwaps, PublishedSwaps, Verdict } from "./PublishedSwaps.ts";
import { isLoadable, type SimulatedState } from "./poolStates.ts";
import type { SimulatedBlock, SimulatedChain } from "./SimulatedChain.ts";
import { feeAt } from "./vaultAnswers.ts";
import { MODULE } from "./vaultContracts.ts";
import { idWords, VAULT_REFUSALS } from "./vaultProtocol.ts";

/**
 * Applies the blocks of one life of a source to a graph, and compares every block with the
 * simulated chain's own state. Throws a Verdict where they differ.
 */
export class Judge {
  /**
   * Blocks that continued from the one before, and those that did not: the first, and new starts.
   */
  followed = 0;
  jumps = 0;
  orphaned = 0;
  readonly swaps: PublishedSwaps;
  readonly #chain: SimulatedChain;
  readonly #wasCanonical: (block: SimulatedBlock) => boolean;
  readonly #market: OpenMarket = openMarket(CHAIN_ID, curves);
  /** Blocks whose swaps count: those applied and not reverted. */
  readonly #applied: SimulatedBlock[] = [];

  constructor(chain: SimulatedChain, wasCanonical: (block: SimulatedBlock) => boolean) {
    this.#chain = chain;
    this.swaps = new PublishedSwaps(chain);
    this.#wasCanonical = wasCanonical;
  }

  get stamp(): BlockStamp {
    return this.#market.graph.stamp;
  }

  /** True when the graph is all of the market at a block. */
  isWhole(block: SimulatedBlock): boolean {
    return (
      this.stamp.hash === block.hash &&
      this.#market.graph.livePoolCount === this.#expected(block).length
    );
  }

  /** A pool that lies may or may not have been detected yet. */
  #expected(block: SimulatedBlock): Address[] {
    const hasLiar = this.#market.graph.findPool(LIAR) !== undefined;
    return loadable(block).filter((pool) => pool !== LIAR || hasLiar);
  }

  /** The differences between the graph and the market at a block, for a Verdict. */
  distance(block: SimulatedBlock): string {
    const live = this.#livePools();
    const missing = this.#expected(block).filter((pool) => !live.has(pool));
    const pools = missing.map((pool) => {
      let created = block;
      while (created.parent?.pools.has(pool) === true) created = created.parent;
      return `${pool} of block ${created.number}`;
    });
    return `at ${told(this.stamp)}, the head is ${told(block)}; missing [${pools.join(", ")}]`;
  }

  /** Applies a block that the source emitted. */
  hear(block: MarketBlock): void {
    const { stamp } = block;
    const truth = this.#chain.blocks.get(stamp.hash);
    if (truth === undefined) throw new Verdict(`no block of the chain: ${told(stamp)}`);
    if (!this.#wasCanonical(truth)) throw new Verdict(`on no node's chain: ${told(stamp)}`);
    checkStamp(stamp, truth);
    this.#takeBack(block.orphaned ?? [], truth);
    this.swaps.hear(block, truth);
    const { rejected } = this.#market.writer.applyBlock(block);
    const [first] = rejected;
    if (first !== undefined) {
      throw new Verdict(`${told(stamp)}: ${first.what} ${first.address}: ${first.reason}`);
    }
    this.#checkPlace(block, truth);
    this.#checkState(truth);
  }

  /** Compares the whole graph with the whole market at a block, byte for byte. */
  checkWhole(block: SimulatedBlock): void {
    const expected = snapshotOf(block, this.#expected(block));
    if (Buffer.compare(this.#market.snapshot(), expected) !== 0) {
      throw new Verdict(
        `the graph at ${told(this.stamp)} is not the market at block ${block.number}`,
      );
    }
  }

  #takeBack(orphaned: ReadonlyArray<string>, truth: SimulatedBlock): void {
    this.swaps.revert(orphaned);
    this.orphaned += orphaned.length;
    for (const hash of orphaned) {
      const last = this.#applied.pop();
      // Before a new start, other blocks were applied or published as history.
      if (last === undefined) return;
      if (last.hash !== hash) {
        throw new Verdict(`${told(truth)} reverts ${hash}, but the last is ${last.hash}`);
      }
    }
  }

  /** Each block continues from the last one that still counts, or starts anew without swaps. */
  #checkPlace(block: MarketBlock, truth: SimulatedBlock): void {
    const last = this.#applied.at(-1);
    if (last === truth) {
      if (block.swaps.length > 0) throw new Verdict(`${told(truth)} comes again with swaps`);
      return;
    }
    if (last === undefined || truth.parent !== last) {
      this.jumps++;
      this.#applied.length = 0;
      this.#applied.push(truth);
      return;
    }
    this.followed++;
    this.#applied.push(truth);
    // After a reorganisation below its journal a source reads the market anew: with the states of
    // all pools, and without the swaps that led there.
    const isAnew =
      block.orphaned !== undefined &&
      block.swaps.length === 0 &&
      block.states.length >= this.#livePools().size;
    if (!isAnew) checkSwaps(truth, block.swaps);
  }

  #checkState(truth: SimulatedBlock): void {
    const pools = [...this.#livePools()];
    const known = new Set(loadable(truth));
    const stranger = pools.find((pool) => !known.has(pool));
    if (stranger !== undefined) throw new Verdict(`${told(truth)} has no pool ${stranger}`);
    if (Buffer.compare(this.#market.snapshot(), snapshotOf(truth, pools)) === 0) return;
    throw new Verdict(`${told(truth)}: ${this.#difference(truth, pools)}`);
  }

  #difference(truth: SimulatedBlock, pools: ReadonlyArray<Address>): string {
    const expected = openMarket(CHAIN_ID, curves);
    expected.writer.applyBlock(marketOf(truth, pools));
    for (const pool of pools) {
      const [is, shouldBe] = [describePool(this.#market, pool), describePool(expected, pool)];
      if (is !== shouldBe) return `pool ${pool} is ${is}, should be ${shouldBe}`;
    }
    return "the bytes differ, in dexes or tokens";
  }

  #livePools(): ReadonlySet<Address> {
    const { graph } = this.#market;
    const live = new Set<Address>();
    for (let pool = 0; pool < graph.poolCount; pool++) {
      if (graph.isLive(pool as PoolIndex)) live.add(graph.poolAddress(pool as PoolIndex));
    }
    return live;
  }
}

function told({ number, hash }: { readonly number: number; readonly hash: string }): string {
  return `block ${number} ${hash.slice(0, 10)}`;
}

function describePool({ graph }: OpenMarket, address: Address): string {
  const pool = graph.findPool(address);
  if (pool === undefined) return "absent";
  const at = graph.poolStateStart[pool]!;
  const book = graph.poolBookStart[pool]!;
  const length = graph.poolBookLength[pool]!;
  return JSON.stringify(
    {
      dex: graph.dexes[graph.poolDex[pool]!],
      tokens: [0, 1].map((position) => graph.tokenAddress(graph.poolToken(pool, position))),
      decimals: [0, 1].map((position) => graph.tokenDecimals[graph.poolToken(pool, position)]),
      fee: graph.poolFeePips[pool],
      parameter: graph.poolParameter[pool],
      words: [...graph.stateWords.subarray(at, at + curves[graph.poolCurve[pool]!]!.stateWords(2))],
      keys: [...graph.bookKeys.subarray(book, book + length)],
      nets: [...graph.bookWords.subarray(2 * book, 2 * (book + length))],
    },
    (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value),
  );
}

/** The canonical bytes of some pools at a block, from the chain's own state alone. */
function snapshotOf(block: SimulatedBlock, pools: ReadonlyArray<Address>): Uint8Array {
  const key = pools.length === loadable(block).length ? "all" : [...pools].sort().join();
  const kept = snapshots.get(block) ?? new Map<string, Uint8Array>();
  const known = kept.get(key);
  if (known !== undefined) return known;
  const market = openMarket(CHAIN_ID, curves);
  const { rejected } = market.writer.applyBlock(marketOf(block, pools));
  if (rejected.length > 0) throw new Error(`the simulator errs: ${rejected[0]!.reason}`);
  const bytes = market.snapshot();
  snapshots.set(block, kept.set(key, bytes));
  return bytes;
}

const snapshots = new WeakMap<SimulatedBlock, Map<string, Uint8Array>>();

export function marketOf(block: SimulatedBlock, pools: ReadonlyArray<Address>): MarketBlock {
  const listed = POOLS.filter(({ address }) => pools.includes(address));
  const tokens = TOKENS.filter(({ address }) =>
    listed.some(({ token0, token1 }) => token0 === address || token1 === address),
  );
  return {
    stamp: { number: block.number, hash: block.hash, timestampMs: block.timestamp * 1000 },
    dexes: [...new Set(listed.map(({ dex }) => dex))].map(({ id, name, protocol, factory }) => ({
      id,
      name,
      protocol,
      factory,
    })),
    tokens: tokens.map(({ address, decimals }) => ({ address, decimals, symbol: "", name: "" })),
    pools: listed.map(({ address, dex, token0, token1, feePips, tickSpacing, id }) => ({
      address,
      dexId: dex.id,
      tokens: [token0, token1],
      feePips,
      parameter: tickSpacing === 0 ? FEE_INSIDE : tickSpacing,
      ...(id !== undefined && { curve: constantProduct.name, constants: idWords(id) }),
    })),
    removedPools: [],
    states: listed.map((pool) => ({
      pool: pool.address,
      state: encoded(block, pool, block.pools.get(pool.address)!),
    })),
    swaps: [],
    supplies: [],
  };
}

/** Checks a source's status of its DEXes, when it has the whole market at a block. */
export function checkDexes(block: SimulatedBlock, dexes: ReadonlyArray<DexStatus>): void {
  for (const { dexId, discoveredPools, loadedPools, refused } of dexes) {
    const own = POOLS.filter(({ address, dex }) => dex.id === dexId && block.pools.has(address));
    const loaded = own.filter(({ address }) => isLoadable(block.pools.get(address)!));
    const module = block.pools.get(MODULE);
    const hooked = module?.kind === "module" ? (module.hooks.get(dexId) ?? 0) : 0;
    const counted = refused.reduce((sum, { count }) => sum + count, 0);
    const lies = refused.find(({ reason }) => reason === NOT_LOADABLE.quotes)?.count ?? 0;
    if (lies > 0 && !own.some(({ address }) => address === LIAR)) {
      throw new Verdict(`${lies} pools of ${dexId} are thought to lie`);
    }
    const found = loaded.some(({ address }) => address === LIAR) ? lies : 0;
    const told = [discoveredPools, loadedPools + found, counted - found].join();
    const truly = [own.length, loaded.length, own.length - loaded.length + hooked].join();
    if (told !== truly) throw new Verdict(`${dexId} has ${truly} pools, not ${told}`);
    const hooks = refused.find(({ reason }) => reason === VAULT_REFUSALS.hook)?.count ?? 0;
    if (hooks !== hooked) throw new Verdict(`${hooked} hooks of ${dexId}, not ${hooks}`);
  }
}

/** The pools of a block that a source must load. */
export function loadable(block: SimulatedBlock): Address[] {
  return [...block.pools].filter(([, state]) => isLoadable(state)).map(([address]) => address);
}

function encoded(block: SimulatedBlock, pool: SimulatedPool, state: SimulatedState): PoolState {
  if (state.kind === "module") throw new Error("the module is no pool");
  if (state.kind === "vault") {
    return encodeReserves([state.reserve0, state.reserve1], feeAt(block, pool, state));
  }
  if (state.kind === "pair") return encodeReserves([state.reserve0, state.reserve1]);
  const ticks = [...state.ticks]
    .sort(([a], [b]) => a - b)
    .map(([tick, { net }]) => [tick, net] as const);
  return encodeConcentrated({ ...state, ticks });
}
