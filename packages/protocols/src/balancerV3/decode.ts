import { DATA_START, type LegDecoder, readHead, readLegAddress } from "../LegDecoder.ts";

const ADDRESS_LENGTH = 20;

/** Legs of pools of Balancer V3: of the executor's kind 9. */
export const balancerV3Decoder: LegDecoder = {
  name: "balancer-v3",
  byteCount: DATA_START + ADDRESS_LENGTH,
  read: (digits) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    if (kind !== 9) return undefined;
    return { target, pool: readLegAddress(digits, DATA_START), tokenOut, zeroForOne };
  },
};
