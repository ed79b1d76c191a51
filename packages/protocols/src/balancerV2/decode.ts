import { DATA_START, type LegDecoder, readHead, readLegAddress } from "../LegDecoder.ts";

const POOL_ID_BYTES = 32;

/** Legs of pools of Balancer V2: of the executor's kind 8. An id begins with the pool's address. */
export const balancerV2Decoder: LegDecoder = {
  name: "balancer-v2",
  byteCount: DATA_START + POOL_ID_BYTES,
  read: (digits) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    if (kind !== 8) return undefined;
    const poolId = `0x${digits.slice(2 * DATA_START)}` as const;
    return { target, pool: readLegAddress(digits, DATA_START), poolId, tokenOut, zeroForOne };
  },
};
