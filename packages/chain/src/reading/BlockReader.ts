import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { Endpoint } from "../rpc/Endpoints.ts";

/** Where and when contracts are read: one endpoint, one block. */
export interface BlockReader {
  readonly endpoint: Endpoint;
  readonly blockHash: Hex;
  /** Address of Multicall3. */
  readonly multicall: Address;
}
