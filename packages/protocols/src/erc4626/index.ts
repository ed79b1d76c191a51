import { wrapper } from "../curves/wrapper/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { erc4626Calldata } from "./calldata.ts";
import { erc4626Chain } from "./chain.ts";
import { erc4626Decoder } from "./decode.ts";

/** Vaults of ERC-4626 that are configured: assets into shares and back. */
export const erc4626: Protocol = {
  name: "erc4626",
  curves: [wrapper],
  chain: erc4626Chain,
  calldata: erc4626Calldata,
  decode: erc4626Decoder,
};
