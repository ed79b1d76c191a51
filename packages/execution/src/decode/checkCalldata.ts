import type { Permit } from "../Permit.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { RouterTable, SwapCall } from "../SwapRouter.ts";

/**
 * Reads a transaction back, by a decoder that shares no code with the encoders, and compares every
 * field of it with the intent: target, value, tokens, pools and directions, amounts, limits,
 * recipient, fee, deadline, permit, and that there is nothing else in it. Gives what differs, in
 * words; undefined when nothing does. Being built.
 */
export function checkCalldata(
  _table: RouterTable,
  _intent: SwapIntent,
  _permit: Permit | undefined,
  _call: SwapCall,
): string | undefined {
  throw new Error("being built");
}
