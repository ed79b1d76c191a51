import { concentratedLiquidity } from "../curves/ticks/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { algebraCalldata } from "./calldata.ts";
import { algebraChain } from "./chain.ts";
import { algebraDecoder } from "./decode.ts";

/** Algebra Integral. */
export const algebraIntegral: Protocol = {
  name: "algebra-integral",
  curves: [concentratedLiquidity],
  chain: algebraChain,
  calldata: algebraCalldata,
  decode: algebraDecoder,
};
