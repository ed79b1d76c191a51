import type { Address, OpenMarket, PoolShape, PoolState, TokenPosition } from "@millrace/core";
import fc from "fast-check";
import type { OpenPool } from "./reference/openPool.ts";

/** The positions of the token that goes in, and of the one that comes out. */
export type Direction = readonly [positionIn: TokenPosition, positionOut: TokenPosition];

/** What the conformance suite needs to know of a family that its contract does not tell. */
export interface FamilyUnderTest<Pool extends { readonly address: Address }> {
  /** Random sound pools. */
  readonly pool: fc.Arbitrary<Pool>;
  readonly open: (pool: Pool) => OpenPool;
  /** Of pools of more than two tokens, all their directions. */
  readonly directions?: (pool: Pool) => ReadonlyArray<Direction>;
  readonly shapeOf: (pool: Pool) => PoolShape;
  readonly stateOf: (pool: Pool) => PoolState;
  /** By a slow reference: a swap with the pool that it leaves; undefined where it is refused. */
  readonly after: (
    pool: Pool,
    zeroForOne: boolean,
    kind: "exactIn" | "exactOut",
    amount: bigint,
    direction: Direction,
  ) => { amountIn: bigint; amountOut: bigint; after: Pool } | undefined;
  /** Amounts about which a pool begins to refuse: of its input, and of its output. */
  readonly limitsOf: (pool: Pool, zeroForOne: boolean, direction: Direction) => bigint[];
  /** How much less than `quoteExactOut` asks is sure not to reach; undefined: no promise. */
  readonly slack: (pool: Pool) => bigint | undefined;
  /** States that no pool of the family can be in, each of an otherwise sound pool. */
  readonly impossible: ReadonlyArray<readonly [why: string, pool: Pool]>;
  /** The pool with a fee of at most 0.3 %. */
  readonly cheap: (pool: Pool) => Pool;
  /** √price and liquidity, where the state has them or exact equivalents. */
  readonly priceAndLiquidity?: (pool: Pool) => readonly [bigint, bigint];
  /** Whether its pieces are made by the core. */
  readonly isSmooth?: boolean;
  /** Its price stays whatever is swapped, up to all that it takes. */
  readonly isLinear?: boolean;
  /** The token that the pool makes as it is asked for, and holds none of. */
  readonly mints?: TokenPosition;
  /** Whether a state of all bits set is none of the pool's; of all of them where it is left out. */
  readonly isNarrow?: (pool: Pool) => boolean;
  /** Where a contract is uneven, more in may give so much less, and revert where less does not. */
  readonly unevenness?: (pool: Pool, zeroForOne: boolean, direction: Direction) => number;
  /**
   * Where a contract has a formula of its own for exact outputs: by how much more out may cost
   * less, and how much less than it was asked for the input gives that it says.
   */
  readonly ownOutputs?: (
    pool: Pool,
    zeroForOne: boolean,
    amountOut: bigint,
  ) => { readonly unevenness: number; readonly shortfall: number };
}

/** Token positions of a direction: in, out. */
export function positions(zeroForOne: boolean): Direction {
  return zeroForOne ? [0, 1] : [1, 0];
}

/** Every byte that the graph keeps, as text to compare. */
export function graphBytes({ graph }: OpenMarket): string {
  return Object.entries(graph)
    .map(([name, value]) => {
      if (!ArrayBuffer.isView(value)) return `${name}:${typeof value === "number" ? value : ""}`;
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return `${name}:${Buffer.from(bytes).toString("hex")}`;
    })
    .join("\n");
}

/** Amounts that matter to a pool: dust, about its limits, and any in between. */
export function amountFor(limits: ReadonlyArray<bigint>): fc.Arbitrary<bigint> {
  const most = limits[0]! > 1n ? limits[0]! : 1n;
  return fc
    .oneof(
      fc.bigInt(1n, 20n),
      fc.bigInt(1n, 10n ** 24n),
      fc.bigInt(1n, most),
      fc.integer({ min: 0, max: 255 }).map((bits) => 1n << BigInt(bits)),
      fc.constantFrom(...limits).chain((limit) => fc.bigInt(limit - 2n, limit + 2n)),
    )
    .map((amount) => (amount < 1n ? 1n : amount));
}
