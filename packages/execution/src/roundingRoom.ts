import type { IntentPath } from "./SwapIntent.ts";

/** Units of a leg's input that rounding may cost there, with a margin for the curve. */
const UNITS_OF_LEG = 2;

/**
 * By how much the inputs of paths may exceed the least ones when routers work them back from their
 * outputs: Uniswap V2's library asks for a unit more where a division leaves no rest, and what one
 * leg takes more the leg before it has to give.
 */
export function roundingRoom(paths: ReadonlyArray<IntentPath>): bigint {
  let room = 0n;
  for (const path of paths) room += roundingRoomOf(path);
  return room;
}

/** Of one path; ≥ 1. */
export function roundingRoomOf({ amountIn, legs }: IntentPath): bigint {
  let share = 0;
  for (const leg of legs) share += UNITS_OF_LEG / Number(leg.amountIn);
  return BigInt(Math.ceil(share * Number(amountIn)));
}
