import type { Address } from "@millrace/core";
import { readData } from "../sharedData.ts";
import type { ConcentratedPool } from "./concentratedLiquidity.ts";
import type { ConstantProductPool } from "./constantProduct.ts";
import type { SolidlyPool } from "./solidlyStable.ts";

/** A market as plain objects, which the reference walks and the engine is filled from. */
export interface PlainMarket {
  readonly chainId: number;
  readonly block: number;
  readonly pools: ReadonlyArray<PlainPool>;
}

/** A pool of a family that recorded markets contain. */
export type PlainPool = PlainListing &
  (
    | ({ readonly family: "constantProduct" } & ConstantProductPool)
    | ({ readonly family: "concentratedLiquidity" } & ConcentratedPool)
  );

/** A pool of any family that has a reference. */
export type FamilyPool =
  | PlainPool
  | (PlainListing & { readonly family: "solidlyStable" } & SolidlyPool);

interface PlainListing {
  readonly address: Address;
  readonly dexId: string;
  readonly token0: Address;
  readonly token1: Address;
}

/** A recorded market with all of its updates applied. */
export function readMarket(name: string): PlainMarket {
  const file = readData<RecordedMarket>(name);
  const records = new Map<string, RecordedPool>(file.pools.map((pool) => [pool.id, pool]));
  for (const update of file.updates) {
    for (const [id, change] of Object.entries(update.pools)) {
      const pool = records.get(id);
      if (pool === undefined) throw new Error(`${name}: an update of an unknown pool ${id}`);
      records.set(id, { ...pool, ...change } as RecordedPool);
    }
  }
  return {
    chainId: file.chainId,
    block: file.updates.at(-1)?.block ?? file.block,
    pools: [...records.values()].map(plainPool),
  };
}

export function ticksOf(
  ticks: ReadonlyArray<readonly [number, string]>,
): ReadonlyMap<number, bigint> {
  return new Map(ticks.map(([tick, liquidityNet]) => [tick, BigInt(liquidityNet)]));
}

function plainPool(record: RecordedPool): PlainPool {
  const listing = {
    address: record.id,
    dexId: record.dex.toUpperCase(),
    token0: record.token0,
    token1: record.token1,
    feePips: record.fee,
  };
  if (record.kind === "v2") {
    return {
      ...listing,
      family: "constantProduct",
      rule: "feeInside",
      reserve0: BigInt(record.reserve0),
      reserve1: BigInt(record.reserve1),
    };
  }
  return {
    ...listing,
    family: "concentratedLiquidity",
    tickSpacing: record.tickSpacing,
    sqrtPriceX96: BigInt(record.sqrtPriceX96),
    tick: record.tick,
    liquidity: BigInt(record.liquidity),
    ticks: ticksOf(record.ticks),
  };
}

interface RecordedMarket {
  readonly chainId: number;
  readonly block: number;
  readonly pools: ReadonlyArray<RecordedPool>;
  readonly updates: ReadonlyArray<{
    readonly block: number;
    readonly pools: Readonly<Record<Address, object>>;
  }>;
}

type RecordedPool = {
  readonly id: Address;
  readonly dex: string;
  readonly token0: Address;
  readonly token1: Address;
  readonly fee: number;
} & (
  | { readonly kind: "v2"; readonly reserve0: string; readonly reserve1: string }
  | {
      readonly kind: "v3";
      readonly sqrtPriceX96: string;
      readonly tick: number;
      readonly liquidity: string;
      readonly tickSpacing: number;
      readonly ticks: ReadonlyArray<readonly [number, string]>;
    }
);
