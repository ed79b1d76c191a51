import type { Address, OpenMarket, PoolShape, PoolState, TokenPosition } from "@millrace/core";
import fc from "fast-check";
import type { OpenPool } from "./reference/openPool.ts";

/** The positions of the input and the output token. */
export type Direction = readonly [positionIn: TokenPosition, positionOut: TokenPosition];

/** What the conformance suite needs to know about a family beside its interface. */
export interface FamilyUnderTest<Pool extends { readonly address: Address }> {
  /** Random sound pools. */
  readonly pool: fc.Arbitrary<Pool>;
  readonly open: (pool: Pool) => OpenPool;
  /** All directions of pools with more than two tokens. */
  readonly directions?: (pool: Pool) => ReadonlyArray<Direction>;
  readonly shapeOf: (pool: Pool) => PoolShape;
  readonly stateOf: (pool: Pool) => PoolState;
  /** A swap by a slow reference, with the resulting pool; undefined where it is refused. */
  readonly after: (
    pool: Pool,
    zeroForOne: boolean,
    kind: "exactIn" | "exactOut",
    amount: bigint,
    direction: Direction,
  ) => { amountIn: bigint; amountOut: bigint; after: Pool } | undefined;
  /** Amounts near which a pool begins to refuse: inputs and outputs. */
  readonly limitsOf: (pool: Pool, zeroForOne: boolean, direction: Direction) => bigint[];
  /**
   * An input smaller by more than this than `quoteExactOut` asks never suffices; undefined: no
   * promise.
   */
  readonly slack: (pool: Pool) => bigint | undefined;
  /** Impossible states of the family, each in an otherwise sound pool. */
  readonly impossible: ReadonlyArray<readonly [why: string, pool: Pool]>;
  /** The pool with a fee of at most 0.3 %. */
  readonly cheap: (pool: Pool) => Pool;
  /** √price and liquidity, where the state contains them or exact equivalents. */
  readonly priceAndLiquidity?: (pool: Pool) => readonly [bigint, bigint];
  /** Whether the core makes its pieces. */
  readonly isSmooth?: boolean;
  /** The price stays constant, up to the largest input. */
  readonly isLinear?: boolean;
  /** The token that the pool mints on demand, and holds none of. */
  readonly mints?: TokenPosition;
  /** Whether a state with all bits set is impossible for the pool; by default it is. */
  readonly isNarrow?: (pool: Pool) => boolean;
  /**
   * For an uneven contract: how much less more input may give; it may also revert where less does
   * not.
   */
  readonly unevenness?: (pool: Pool, zeroForOne: boolean, direction: Direction) => number;
  /**
   * For a contract with its own exact-output formula: how much less more output may cost, and how
   * far the output of its input may fall short of what was asked.
   */
  readonly ownOutputs?: (
    pool: Pool,
    zeroForOne: boolean,
    amountOut: bigint,
  ) => { readonly unevenness: number; readonly shortfall: number };
}

/** Token positions of a direction: input, output. */
export function positions(zeroForOne: boolean): Direction {
  return zeroForOne ? [0, 1] : [1, 0];
}

/** Every byte of the graph, as comparable text. */
export function graphBytes({ graph }: OpenMarket): string {
  return Object.entries(graph)
    .map(([name, value]) => {
      if (!ArrayBuffer.isView(value)) return `${name}:${typeof value === "number" ? value : ""}`;
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return `${name}:${Buffer.from(bytes).toString("hex")}`;
    })
    .join("\n");
}

/** Interesting amounts for a pool: dust, near its limits, and anything in between. */
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
