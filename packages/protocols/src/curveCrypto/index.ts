import { cryptoSwap } from "../curves/cryptoSwap/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { curveCryptoCalldata } from "./calldata.ts";
import { curveCryptoChain } from "./chain.ts";
import { curveCryptoDecoder } from "./decode.ts";

/** Curve's crypto pools: Twocrypto-NG, Tricrypto-NG. */
export const curveCrypto: Protocol = {
  name: "curve-crypto",
  curves: [cryptoSwap],
  chain: curveCryptoChain,
  calldata: curveCryptoCalldata,
  decode: curveCryptoDecoder,
};
