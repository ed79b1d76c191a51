import type { Address, Hex } from "@millrace/core";
import type { Endpoint } from "../rpc/Endpoints.ts";

/** Where and when contracts are read: one endpoint, one block. */
export interface BlockReader {
  readonly endpoint: Endpoint;
  readonly blockHash: Hex;
  /** Address of Multicall3. */
  readonly multicall: Address;
}
