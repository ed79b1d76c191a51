import { DATA_START, type LegDecoder, readHead, readLegAddress } from "../LegDecoder.ts";

const ID_BYTES = 32;

/** Legs of Balancer V2: kind 8 of the executor, with an id that begins with the pool. */
export const balancerV2Decoder: LegDecoder = {
  name: "balancer-v2",
  byteCount: DATA_START + ID_BYTES,
  read: (digits) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    if (kind !== 8) return undefined;
    const pool = readLegAddress(digits, DATA_START);
    const poolId: `0x${string}` = `0x${digits.slice(2 * DATA_START)}`;
    return { target, pool, poolId, tokenOut, zeroForOne };
  },
};
