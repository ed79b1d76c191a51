import { FEE_IN_STATE, type PoolListing } from "@millrace/core";
import type { FollowedState } from "@millrace/protocols";
import {
  directionFeePips,
  getTickAtSqrtRatio,
  type StepsBy,
  swapConcentrated,
} from "@millrace/testing/reference";
import { ticksByHand } from "./chainFixture.ts";

/** A pool with ticks of any contract, as that keeps it, in the plainest form there is. */
export class NaiveTicks {
  readonly listing: PoolListing;
  readonly contract: StepsBy | undefined;
  readonly ticks = new Map<number, { gross: bigint; net: bigint }>();
  sqrtPriceX96 = 0n;
  tick = 0;
  liquidity = 0n;
  /** What liquidity is paid, or a plugin or a module says. */
  feePips: number;
  protocolFee = 0;

  constructor(listing: PoolListing, contract: StepsBy | undefined, feePips: number) {
    this.listing = listing;
    this.contract = contract;
    this.feePips = feePips;
  }

  /** As the reference has it. */
  get plain() {
    const { contract, feePips, protocolFee, sqrtPriceX96, tick, liquidity } = this;
    return {
      ...(contract === undefined ? {} : { contract }),
      ...{ feePips, protocolFee, sqrtPriceX96, tick, liquidity },
      tickSpacing: this.listing.parameter,
      ticks: new Map([...this.ticks].map(([at, { net }]) => [at, net])),
    };
  }

  /** The state that is followed of it. */
  state(): FollowedState {
    if (this.listing.feePips !== FEE_IN_STATE) return ticksByHand(this, [0, 0]);
    const fees = [true, false].map((zeroForOne) => directionFeePips(this.plain, zeroForOne));
    return ticksByHand(this, fees as [number, number]);
  }

  setPrice(sqrtPriceX96: bigint): void {
    this.sqrtPriceX96 = sqrtPriceX96;
    this.tick = getTickAtSqrtRatio(sqrtPriceX96);
  }

  modify(lower: number, upper: number, change: bigint): void {
    for (const [tick, net] of [
      [lower, change],
      [upper, -change],
    ] as const) {
      const known = this.ticks.get(tick) ?? { gross: 0n, net: 0n };
      const changed = { gross: known.gross + change, net: known.net + net };
      if (changed.gross === 0n) this.ticks.delete(tick);
      else this.ticks.set(tick, changed);
    }
    if (lower <= this.tick && this.tick < upper) this.liquidity += change;
  }

  /** By how much the pool grew; undefined where it reverts, or cannot fill all. */
  swap(zeroForOne: boolean, amountIn: bigint): readonly [bigint, bigint] | undefined {
    const swap = swapConcentrated(this.plain, zeroForOne, "exactIn", amountIn, "contract");
    if (swap === undefined) return undefined;
    this.sqrtPriceX96 = swap.sqrtPriceX96After;
    this.tick = swap.tickAfter;
    this.liquidity = swap.liquidityAfter;
    return zeroForOne ? [swap.amountIn, -swap.amountOut] : [-swap.amountOut, swap.amountIn];
  }

  /** A word of 256 bits of which the ticks that `numberOf` counts into it are set. */
  word(position: number, numberOf: (tick: number) => number): bigint {
    let bits = 0n;
    for (const tick of this.ticks.keys()) {
      const place = numberOf(tick) - 256 * position;
      if (place >= 0 && place < 256) bits |= 1n << BigInt(place);
    }
    return bits;
  }

  contents(tick: number): readonly [gross: bigint, net: bigint] {
    const { gross, net } = this.ticks.get(tick) ?? { gross: 0n, net: 0n };
    return [gross, net];
  }
}
