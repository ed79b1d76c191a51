import type { Address } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import type { Hex } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import type { PoolReading } from "./readPools.ts";
import type { Position } from "./readPositions.ts";

/** An act of a trader: its transactions; none where it is impossible. */
export type Act = (scene: TradingState) => ReadonlyArray<Sending>;

/** A transaction that a trader of the devnet sends. */
export interface Sending {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
}

/** The basis of traders' decisions: the chain at the start of the block. */
export interface TradingState {
  readonly devnet: Devnet;
  readonly pools: ReadonlyArray<PoolReading>;
  readonly positions: ReadonlyArray<Position>;
  readonly random: RandomSource;
}

/** An act, and its relative frequency. */
export interface Choice {
  readonly weight: number;
  readonly act: Act;
}
