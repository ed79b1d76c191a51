import { isZeroForOne, type PoolFamily, type PoolIndex, REFUSED } from "@millrace/core";
import {
  openPool,
  type PlainPool,
  type StepsBy,
  swapConcentrated,
} from "@millrace/testing/reference";

/** A pool with ticks, of any contract. */
export type TickPool = PlainPool & { readonly family: "concentratedLiquidity" };

/** What makes a pool, without what any has. */
export type DrawnPool = Omit<TickPool, keyof typeof LISTING>;

/** A contract whose pools swap along ticks, and what it allows, the extremes among it. */
export interface TickContract {
  readonly name: string;
  readonly contract: StepsBy | undefined;
  readonly amountMax: bigint;
  readonly stepsMax: number;
  readonly spacings: ReadonlyArray<number>;
  readonly fees: ReadonlyArray<number>;
  readonly protocolFees: ReadonlyArray<number>;
}

const LISTING = {
  family: "concentratedLiquidity",
  address: `0x${"b0".repeat(20)}`,
  dexId: "TICKS",
  token0: `0x${"a0".repeat(20)}`,
  token1: `0x${"a1".repeat(20)}`,
} as const;

const uniswapV3: TickContract = {
  name: "Uniswap V3",
  contract: undefined,
  amountMax: (1n << 255n) - 1n,
  stepsMax: 2_250,
  spacings: [1, 10, 60, 200, 16_383],
  fees: [0, 100, 500, 3_000, 10_000, 999_999],
  protocolFees: [0],
};

const uniswapV4: TickContract = {
  name: "Uniswap V4",
  contract: "uniswapV4",
  amountMax: (1n << 127n) - 1n,
  stepsMax: 3_200,
  spacings: [1, 10, 60, 200, 32_767],
  fees: [0, 100, 500, 3_000, 10_000, 999_000, 999_999, 1_000_000],
  protocolFees: [0, 1_000, 1_000 * 4_096, 25 * 4_096 + 3],
};

const algebraIntegral: TickContract = {
  name: "Algebra Integral",
  contract: "algebraIntegral",
  amountMax: (1n << 128n) - 1n,
  stepsMax: 1_750,
  spacings: [1, 10, 60, 200, 500],
  fees: [0, 100, 500, 15_000, 65_535, 999_999],
  protocolFees: [0],
};

export const tickContracts = [uniswapV3, uniswapV4, algebraIntegral] as const;

/** Which contract made the recordings of a file of `families`. */
export const recordedFamilies: ReadonlyArray<readonly [file: string, contract: TickContract]> = [
  ["uniswap-v4", uniswapV4],
  ["pancake-v3", uniswapV3],
  ["slipstream", uniswapV3],
  ["algebra-integral", algebraIntegral],
];

/** A pool of the contract. */
export function tickPool({ contract }: TickContract, drawn: DrawnPool): TickPool {
  return { ...LISTING, ...drawn, ...(contract !== undefined && { contract }) };
}

/** One direction of a pool, open for quotes. */
export class OpenTicks {
  readonly pool: TickPool;
  readonly family: PoolFamily;
  readonly index: PoolIndex;
  /** Positions of the tokens, in and out. */
  readonly direction: readonly [number, number];

  constructor(pool: TickPool, zeroForOne: boolean) {
    this.pool = pool;
    ({ family: this.family, index: this.index } = openPool(pool));
    this.direction = zeroForOne ? [0, 1] : [1, 0];
  }

  /** The other amount of a swap, by the engine. */
  quote(kind: "exactIn" | "exactOut", amount: bigint): bigint | undefined {
    const asked =
      kind === "exactIn"
        ? this.family.quoteExactIn(this.index, ...this.direction, amount)
        : this.family.quoteExactOut(this.index, ...this.direction, amount);
    return asked === REFUSED ? undefined : asked;
  }

  /** The same by the contract's text. */
  reference(kind: "exactIn" | "exactOut", amount: bigint, rule: "least" | "contract" = "least") {
    const zeroForOne = isZeroForOne(this.direction[0]);
    return swapConcentrated(this.pool, zeroForOne, kind, amount, rule);
  }
}
