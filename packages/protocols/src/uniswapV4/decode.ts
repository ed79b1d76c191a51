import { DATA_START, type LegDecoder, readHead, readLegAddress, readUint } from "../LegDecoder.ts";
import { hashedPool, readManagedSwap } from "./decodeCommand.ts";

const [FEE, TICK_SPACING, HOOKS] = [DATA_START, DATA_START + 3, DATA_START + 6];

/** Legs of Uniswap V4: of the executor's kind 4. The pool is what the leg's own key hashes to. */
export const uniswapV4Decoder: LegDecoder = {
  name: "uniswap-v4",
  byteCount: HOOKS + 20,
  read: (digits, tokenIn) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    if (kind !== 4) return undefined;
    const currencies = zeroForOne ? ([tokenIn, tokenOut] as const) : ([tokenOut, tokenIn] as const);
    const fee = readUint(digits, FEE, 3);
    const tickSpacing = readUint(digits, TICK_SPACING, 3);
    const hooks = readLegAddress(digits, HOOKS);
    const pool = hashedPool(currencies, fee, tickSpacing, hooks);
    return pool === undefined ? undefined : { target, pool, tokenOut, zeroForOne };
  },
  routerCommand: {
    codes: ["10"],
    dexKey: "v4DexId",
    isPaidBefore: false,
    weighsOutput: false,
    read: (_code, input) => readManagedSwap(input),
  },
};
