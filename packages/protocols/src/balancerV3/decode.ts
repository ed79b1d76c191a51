import { DATA_START, type LegDecoder, readHead, readLegAddress } from "../LegDecoder.ts";

const ADDRESS_BYTES = 20;

/** Legs of pools of Balancer V3: kind 9 of the executor, whose data is the pool. */
export const balancerV3Decoder: LegDecoder = {
  name: "balancer-v3",
  byteCount: DATA_START + ADDRESS_BYTES,
  read: (digits) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    if (kind !== 9) return undefined;
    return { target, pool: readLegAddress(digits, DATA_START), tokenOut, zeroForOne };
  },
};
