import type { Curve } from "@millrace/core/pure";
import { balancerStable } from "./curves/balancerStable/pool.ts";
import { constantProduct } from "./curves/constantProduct/pool.ts";
import { cryptoSwap } from "./curves/cryptoSwap/pool.ts";
import { solidlyStable } from "./curves/solidlyStable/pool.ts";
import { stableSwap } from "./curves/stableSwap/pool.ts";
import { concentratedLiquidity } from "./curves/ticks/pool.ts";
import { weighted } from "./curves/weighted/pool.ts";
import { wrapper } from "./curves/wrapper/pool.ts";

/**
 * The curves of all protocols, in the order in which snapshots name them. This module loads neither
 * Effect nor viem: every search thread loads a copy of its own.
 */
export const curves: ReadonlyArray<Curve> = [
  constantProduct,
  concentratedLiquidity,
  solidlyStable,
  cryptoSwap,
  weighted,
  balancerStable,
  stableSwap,
  wrapper,
];
