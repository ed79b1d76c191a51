/** How a swap through a pool of a family is written into the transactions of routers. */
export interface CalldataProtocol {
  /** `Protocol.name` of the protocol. */
  readonly name: string;
  /** The word by which our executor contract knows a leg: see its source. */
  readonly executorLeg: (leg: CalldataLeg) => bigint;
  /** Which commands of the Universal Router reach pools of this kind, on its own deployment. */
  readonly universalRouter: "v2" | "v3" | undefined;
}

export interface CalldataLeg {
  readonly pool: `0x${string}`;
  readonly zeroForOne: boolean;
  readonly feePips: number;
  /** See `PoolShape.parameter`. */
  readonly parameter: number;
}

/**
 * Layout of the word: the pool in bits 0 … 159, the fee in pips in 160 … 183, the kind in 184 …
 * 191, bit 192 set when the leg sells the pool's token0, all others 0.
 */
export function executorWord(kind: number, { pool, zeroForOne, feePips }: CalldataLeg): bigint {
  const direction = zeroForOne ? 1n : 0n;
  return BigInt(pool) | (BigInt(feePips) << 160n) | (BigInt(kind) << 184n) | (direction << 192n);
}
