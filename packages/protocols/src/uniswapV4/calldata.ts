import { NO_CONSTANTS, type PoolListing } from "@millrace/core";
import {
  type CalldataProtocol,
  legDigits,
  type ManagedPoolKey,
  uintDigits,
} from "../CalldataProtocol.ts";
import { uniswapV4Command } from "./routerCommand.ts";

/** The kind of a leg of the executor contract. */
const MANAGED = 4;
const FEE_BYTES = 3;
const TICK_SPACING_BYTES = 3;

/** Pools of Uniswap V4 in transactions, by their manager and their key. */
export const uniswapV4Calldata: CalldataProtocol = {
  name: "uniswap-v4",
  poolKey: readPoolKey,
  executorLeg: (leg) => {
    if (leg.key === undefined) throw new Error(`no key of the pool ${leg.pool}`);
    const { manager, fee, tickSpacing, hooks } = leg.key;
    const data =
      uintDigits(fee, FEE_BYTES) + uintDigits(tickSpacing, TICK_SPACING_BYTES) + hooks.slice(2);
    return legDigits(MANAGED, { ...leg, pool: manager }, data);
  },
  givesExactOutput: true,
  universalRouter: uniswapV4Command,
};

/** Behind the rule of steps, the constants of a pool have its key's fee and hooks. */
const FEE_AT = 1;
const HOOKS_AT = 2;
const HOOKS_WORDS = 3;
const HOOKS_DIGITS = 40;

/** The constants of a pool before its id. */
export function encodePoolKey(steps: bigint, fee: bigint, hooks: bigint): BigUint64Array {
  const words = new BigUint64Array(HOOKS_AT + HOOKS_WORDS);
  words[0] = steps;
  words[FEE_AT] = fee;
  for (let word = 0; word < HOOKS_WORDS; word++) {
    words[HOOKS_AT + word] = BigInt.asUintN(64, hooks >> BigInt(64 * word));
  }
  return words;
}

/** What of a pool's key is not its tokens, by its listing. */
export function readPoolKey({
  parameter: tickSpacing,
  constants = NO_CONSTANTS,
}: Pick<PoolListing, "parameter" | "constants">): Omit<ManagedPoolKey, "manager"> {
  let hooks = 0n;
  for (let word = HOOKS_WORDS - 1; word >= 0; word--) {
    hooks = (hooks << 64n) | (constants[HOOKS_AT + word] ?? 0n);
  }
  const digits = hooks.toString(16).padStart(HOOKS_DIGITS, "0");
  return { fee: Number(constants[FEE_AT] ?? 0n), tickSpacing, hooks: `0x${digits}` };
}
