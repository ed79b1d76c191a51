import { wrapper } from "../curves/wrapper/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { lidoCalldata } from "./calldata.ts";
import { lidoChain } from "./chain.ts";
import { lidoDecoder } from "./decode.ts";

/** Lido's staking: the native token into wstETH. */
export const lido: Protocol = {
  name: "lido",
  curves: [wrapper],
  chain: lidoChain,
  calldata: lidoCalldata,
  decode: lidoDecoder,
};
