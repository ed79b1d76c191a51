import type { Protocol } from "@millrace/core";
import { concentratedLiquidity } from "./concentratedLiquidity/pool.ts";
import { constantProduct } from "./constantProduct/pool.ts";

/** Every pool family that this package knows, one line each. */
export const protocols: ReadonlyArray<Protocol> = [constantProduct, concentratedLiquidity];
