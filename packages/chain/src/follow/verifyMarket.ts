import {
  type Address,
  type BlockStamp,
  bookOf,
  type Curve,
  openMarket,
  openSnapshot,
  type PoolGraph,
  type PoolIndex,
  type PoolStateChange,
} from "@millrace/core";
import { Effect } from "effect";
import { RpcError } from "../rpc/RpcError.ts";
import { Discovery } from "./Discovery.ts";
import { discoverTo } from "./discoverMarket.ts";
import { headerByHash } from "./Header.ts";
import type { MarketReading } from "./MarketReading.ts";
import { readPools } from "./readPools.ts";

/** The result of comparing a market with one built from scratch at its block. */
export interface VerifyReport {
  readonly stamp: BlockStamp;
  /** Pools that were compared. */
  readonly pools: number;
  /** True when every byte is the same. */
  readonly equal: boolean;
  /** The differences in words, one per line. */
  readonly differences: ReadonlyArray<string>;
}

/** Discovers and reads everything anew; nothing that was followed is trusted. */
export const verifyMarket = Effect.fnUntraced(function* (
  reading: MarketReading,
  snapshot: Uint8Array,
): Effect.fn.Return<VerifyReport, RpcError> {
  const curves = [...new Set(reading.protocols.flatMap((protocol) => protocol.curves))];
  const { graph } = openSnapshot(snapshot, curves);
  const { stamp } = graph;
  const wanted = livePools(graph).map((pool) => graph.poolAddress(pool));
  const header = yield* reading.endpoints.withEndpoint((endpoint) =>
    headerByHash(endpoint, stamp.hash),
  );
  const { startBlock } = reading.dexes;
  const market = yield* discoverTo(reading, new Discovery(startBlock), header);
  if (market === undefined) {
    const detail = `block ${stamp.number} ${stamp.hash} was reverted meanwhile`;
    return yield* new RpcError({ endpoint: "all", method: "verify", reason: "BadData", detail });
  }
  const { discovered } = market;
  const readAtHead = (addresses: ReadonlyArray<Address>) =>
    readPools(
      reading.readerAt(stamp.hash),
      reading,
      addresses.flatMap((address) => discovered.get(address) ?? []),
      new Map(),
    );
  const read = yield* readAtHead(wanted);
  const scratch = openMarket(graph.chainId, curves);
  const loaded = new Set(read.states.map(({ pool }) => pool));
  scratch.writer.applyBlock({
    ...{ stamp, states: statesIn(read), dexes: reading.dexes.listings },
    tokens: read.tokens.flatMap((token) => ("problem" in token ? [] : [token])),
    pools: [...loaded].map((address) => discovered.get(address)!.listing),
    ...{ removedPools: [], swaps: [], supplies: [] },
  });
  const differing = () =>
    livePools(graph).flatMap((pool) => poolDifference(curves, graph, pool, scratch.graph));
  for (let again = 0; again < REREADS && differing().length > 0; again++) {
    const states = statesIn(yield* readAtHead(differing().map(({ address }) => address)));
    scratch.writer.applyBlock({
      ...{ stamp, states, dexes: [], tokens: [], pools: [] },
      ...{ removedPools: [], swaps: [], supplies: [] },
    });
  }
  const equal = Buffer.compare(scratch.snapshot(), snapshot) === 0;
  const differences = [
    ...wanted
      .filter((address) => !discovered.has(address))
      .map((address) => `${address}: no factory has told of this pool`),
    ...wanted
      .filter((address) => discovered.has(address) && !loaded.has(address))
      .map((address) => `${address}: has no state, or a token that cannot be used`),
    ...differing().map(({ address, detail }) => `${address}: ${detail}`),
  ];
  return { stamp, pools: wanted.length, equal, differences };
});

/** While the next block is made, nodes may answer for the newest one with some of the new state. */
const REREADS = 2;

const statesIn = ({ states }: Effect.Success<ReturnType<typeof readPools>>): PoolStateChange[] =>
  states.map(({ pool, state: { words, book } }) => ({
    pool,
    state: book === undefined ? { words } : { words, book },
  }));

function livePools(graph: PoolGraph): PoolIndex[] {
  return Array.from({ length: graph.poolCount }, (_, pool) => pool as PoolIndex).filter((pool) =>
    graph.isLive(pool),
  );
}

/** How a pool differs between two markets; empty where the second does not have it. */
function poolDifference(
  curves: ReadonlyArray<Curve>,
  left: PoolGraph,
  pool: PoolIndex,
  right: PoolGraph,
): Array<{ readonly address: Address; readonly detail: string }> {
  const address = left.poolAddress(pool);
  const other = right.findPool(address);
  if (other === undefined) return [];
  const stateWords = curves[left.poolCurve[pool]!]!.stateWords(left.poolTokenCount[pool]!);
  const [before, after] = [describe(left, pool, stateWords), describe(right, other, stateWords)];
  if (before === after) return [];
  return [{ address, detail: `${before} is followed, ${after} is on the chain` }];
}

function describe(graph: PoolGraph, pool: PoolIndex, stateWords: number): string {
  const tokens = Array.from({ length: graph.poolTokenCount[pool]! }, (_, position) => {
    const token = graph.poolToken(pool, position);
    return `${graph.tokenAddress(token)} (${graph.tokenDecimals[token]} decimals)`;
  });
  const { keys, words } = bookOf(graph, pool);
  const start = graph.poolStateStart[pool]!;
  return JSON.stringify({
    tokens,
    feePips: graph.poolFeePips[pool],
    parameter: graph.poolParameter[pool],
    constants: [...graph.poolConstants(pool)].map(String),
    state: [...graph.stateWords.subarray(start, start + stateWords)].map(String),
    ticks: [...keys],
    liquidityNet: [...words].map(String),
  });
}
