import { type PlainPool, poolAfter } from "@millrace/testing/reference";

type PlainPoolAfter = typeof poolAfter<PlainPool>;
type Swap = ReturnType<PlainPoolAfter>;

const REMEMBERED_MAX = 1_000;
const remembered = new WeakMap<PlainPool, Map<string, Swap>>();

/**
 * `poolAfter`, which it asks once for the same swap of the same pool: attacks repeat themselves.
 */
export const rememberedPoolAfter: PlainPoolAfter = (pool, zeroForOne, kind, amount) => {
  let swaps = remembered.get(pool);
  if (swaps === undefined || swaps.size > REMEMBERED_MAX) {
    swaps = new Map();
    remembered.set(pool, swaps);
  }
  const key = `${kind} ${zeroForOne} ${amount}`;
  if (swaps.has(key)) return swaps.get(key);
  const swap = poolAfter(pool, zeroForOne, kind, amount);
  swaps.set(key, swap);
  return swap;
};
