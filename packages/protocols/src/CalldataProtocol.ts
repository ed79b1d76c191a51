import type { PoolListing } from "@millrace/core";
import type { CalldataLeg, ManagedPoolKey, VaultPoolKey } from "./CalldataLeg.ts";
import type { RouterCommand } from "./RouterCommand.ts";

/** How a swap through a pool of a family is written into the transactions of routers. */
export interface CalldataProtocol {
  /** `Protocol.name` of the protocol; a name for each kind where it has legs of two kinds. */
  readonly name: string;
  /**
   * For pools that one contract holds, the DEX's `factory`: their key there. Undefined where a
   * listing lacks it, as in market files.
   */
  readonly poolKey?: (
    pool: Pick<PoolListing, "address" | "parameter" | "constants">,
  ) => Omit<ManagedPoolKey, "manager"> | Omit<VaultPoolKey, "manager"> | undefined;
  /** Whether a pool's first token is the native one, though it is listed as the wrapped one. */
  readonly holdsNative?: (pool: Pick<PoolListing, "constants">) => boolean;
  /** A leg of our executor contract, in hex digits: see `legDigits`. */
  readonly executorLeg: (leg: CalldataLeg) => string;
  /** Whether the executor can be asked for an exact output of these pools. */
  readonly givesExactOutput: boolean;
  /** Gas that a swap typically uses beside the `typicalGas` of the pool's curve. */
  readonly gasBesideCurve?: number;
  /**
   * Further gas of a swap that follows another one; not for native inputs. Below 0 where
   * `typicalGas` includes that the executor takes the input from the payer.
   */
  readonly gasBehindOthers?: number;
  /** The command of the Universal Router for pools of this kind, if it has one. */
  readonly universalRouter: RouterCommand | undefined;
}

/** Set in a leg's first byte when it sells the pool's first token. */
const ZERO_FOR_ONE = 0x80;

/**
 * A leg of our executor contract: kind and direction in one byte, target, the token that comes out,
 * and data in hex digits. See the contract's source.
 */
export function legDigits(
  kind: number,
  { pool, tokenOut, zeroForOne }: Pick<CalldataLeg, "pool" | "tokenOut" | "zeroForOne">,
  data = "",
): string {
  const head = zeroForOne ? kind + ZERO_FOR_ONE : kind;
  return uintDigits(head, 1) + pool.slice(2) + tokenOut.slice(2) + data;
}

/**
 * A leg of a pool whose contract knows its tokens by position. One byte follows the token:
 * `positionIn` in its upper half, `positionOut` in its lower half.
 */
export function placedLegDigits(kind: number, leg: CalldataLeg): string {
  const { positionIn = leg.zeroForOne ? 0 : 1, positionOut = leg.zeroForOne ? 1 : 0 } = leg;
  return legDigits(kind, leg, uintDigits(16 * positionIn + positionOut, 1));
}

/** A number ≥ 0 in so many bytes. */
export function uintDigits(value: number, bytes: number): string {
  return value.toString(16).padStart(2 * bytes, "0");
}
