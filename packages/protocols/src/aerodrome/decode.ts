import { DATA_START, type LegDecoder, plainLegDecoder, readHead, readUint } from "../LegDecoder.ts";

const FEE_BYTE_COUNT = 3;

/** Legs of volatile pools: of the executor's kind 1. */
export const aerodromeVolatileDecoder: LegDecoder = {
  name: "aerodrome-volatile",
  byteCount: DATA_START + FEE_BYTE_COUNT,
  read: (digits) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    if (kind !== 1) return undefined;
    const feePips = readUint(digits, DATA_START, FEE_BYTE_COUNT);
    return { target, pool: target, tokenOut, zeroForOne, feePips };
  },
};

/** Legs of stable pools: of the executor's kind 2. */
export const aerodromeStableDecoder = plainLegDecoder("aerodrome-stable", 2);
