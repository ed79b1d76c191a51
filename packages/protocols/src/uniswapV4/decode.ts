import { encodeAbiParameters, keccak256, parseAbiParameters } from "viem";
import { DATA_START, type LegDecoder, readHead, readLegAddress, readUint } from "../LegDecoder.ts";

const [FEE, TICK_SPACING, HOOKS] = [DATA_START, DATA_START + 3, DATA_START + 6];
const POOL_KEY = parseAbiParameters("address, address, uint24, int24, address");
/** Hex digits of the first twenty bytes, behind 0x. */
const KEY_END = 42;

/** Legs of Uniswap V4: of the executor's kind 4. The pool is what the leg's own key hashes to. */
export const uniswapV4Decoder: LegDecoder = {
  name: "uniswap-v4",
  byteCount: HOOKS + 20,
  read: (digits, tokenIn) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    if (kind !== 4) return undefined;
    const [currency0, currency1] = zeroForOne ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
    const fee = readUint(digits, FEE, 3);
    const tickSpacing = readUint(digits, TICK_SPACING, 3);
    const hooks = readLegAddress(digits, HOOKS);
    // Where a spacing would be read as negative, there is no such pool.
    if (tickSpacing >= 1 << 23) return undefined;
    const id = keccak256(
      encodeAbiParameters(POOL_KEY, [currency0, currency1, fee, tickSpacing, hooks]),
    );
    return { target, pool: id.slice(0, KEY_END) as `0x${string}`, tokenOut, zeroForOne };
  },
};
