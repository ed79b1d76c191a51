import type { Endpoint } from "../rpc/Endpoints.ts";
import { RpcError } from "../rpc/RpcError.ts";

/** The error for an answer that contradicts itself, another one, or what a contract can give. */
export function badData(endpoint: Endpoint, method: string, detail: string): RpcError {
  return new RpcError({ endpoint: endpoint.name, method, reason: "BadData", detail });
}
