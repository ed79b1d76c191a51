import type { Act } from "./Act.ts";
import {
  balancePositions,
  createConcentrated,
  openPositions,
  shrinkPosition,
  swapConcentrated,
  swapThereAndBack,
} from "./concentratedActs.ts";
import { createPair, leavePair, swapPair, tendPair } from "./pairActs.ts";

/** Acts with their relative frequencies. */
export const ACTS = {
  swapConcentrated: { weight: 40, act: swapConcentrated },
  swapThereAndBack: { weight: 4, act: swapThereAndBack },
  swapPair: { weight: 30, act: swapPair },
  tendPair: { weight: 6, act: tendPair },
  leavePair: { weight: 3, act: leavePair },
  openPositions: { weight: 9, act: openPositions },
  balancePositions: { weight: 3, act: balancePositions },
  shrinkPosition: { weight: 8, act: shrinkPosition },
  createPair: { weight: 1, act: createPair },
  createConcentrated: { weight: 1, act: createConcentrated },
} satisfies Readonly<Record<string, { readonly weight: number; readonly act: Act }>>;

/** Frequencies for reorganised blocks: more pools and positions come and go. */
export const RESTLESS: Partial<typeof ACTS> = {
  createPair: { ...ACTS.createPair, weight: 4 },
  createConcentrated: { ...ACTS.createConcentrated, weight: 2 },
  openPositions: { ...ACTS.openPositions, weight: 18 },
  shrinkPosition: { ...ACTS.shrinkPosition, weight: 16 },
};
