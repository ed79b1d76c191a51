import { type CalldataProtocol, legDigits, uintDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract. */
const MANAGED = 4;
const FEE_BYTES = 3;
const TICK_SPACING_BYTES = 3;

/** Pools of Uniswap V4 in transactions, by their manager and their key. */
export const uniswapV4Calldata: CalldataProtocol = {
  name: "uniswap-v4",
  executorLeg: (leg) => {
    if (leg.key === undefined) throw new Error(`no key of the pool ${leg.pool}`);
    const { manager, fee, tickSpacing, hooks } = leg.key;
    const data =
      uintDigits(fee, FEE_BYTES) + uintDigits(tickSpacing, TICK_SPACING_BYTES) + hooks.slice(2);
    return legDigits(MANAGED, { ...leg, pool: manager }, data);
  },
  givesExactOutput: true,
  universalRouter: undefined,
};
