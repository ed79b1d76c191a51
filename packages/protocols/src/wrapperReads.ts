import type { FollowedState, PoolRefusal } from "./ChainProtocol.ts";
import {
  TOTAL_END,
  WRAPPED_END,
  wrapperAmountOut,
  wrapperCapacity,
} from "./curves/wrapper/math.ts";
import { type CountedWrapper, wrapperOf, wrapperState } from "./curves/wrapper/pool.ts";

/** States of wrappers as they are read at every block. */

export const OUT_OF_PROPORTION: PoolRefusal = { refused: "shares out of proportion" };
const WIDE_TOTAL: PoolRefusal = { refused: "a total of more than 127 bits" };
/** The part of a reserve of an x·y = k pool that moves its price by 2 %. */
const DEPTH_SHARE = 1 / Math.sqrt(0.98) - 1;

/** The state with these amounts; the former one where nothing has changed. */
export function followedWrapper(
  found: CountedWrapper,
  former: FollowedState | undefined,
): FollowedState | PoolRefusal {
  if (found.shares >= TOTAL_END || found.assets >= TOTAL_END) return WIDE_TOTAL;
  const { words } = wrapperState(found);
  const isSame = former?.words.every((word, index) => word === words[index]);
  return isSame ? former! : { words };
}

/** Reserves of the x·y = k pool whose price moves by 2 % at the wrapper's limit. */
export function wrapperReserves(
  state: FollowedState | PoolRefusal | undefined,
): ReadonlyArray<bigint> | undefined {
  if (state === undefined || "refused" in state) return undefined;
  const found = wrapperOf(state.words, 0);
  const [deposited, redeemed] = [wrapperCapacity(found, true), wrapperCapacity(found, false)];
  const given = wrapperAmountOut(found, false, redeemed);
  const assets = Math.max(Number(deposited), Number(given)) / DEPTH_SHARE;
  const whole = BigInt(Math.min(Math.floor(assets), Number(WRAPPED_END)));
  if (whole === 0n) return undefined;
  const shares =
    (whole * (found.shares + found.virtualShares)) / (found.assets + found.virtualAssets);
  return [whole, shares];
}
