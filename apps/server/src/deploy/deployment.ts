import type { Address } from "@millrace/core";
import { executorDeployment } from "@millrace/execution";
import { Data, Effect } from "effect";
import { rpcVariable } from "../config/rpcUrls.ts";
import type { ServerConfig } from "../config/ServerConfig.ts";

/** There is nothing to deploy. */
class DeploymentError extends Data.TaggedError("DeploymentError")<{ readonly message: string }> {}

/**
 * The unsigned transaction that deploys the executor of a network, and the executor's address, as
 * JSON. Asks no node and signs nothing: the address is the same whoever sends the transaction.
 */
export const deployment = Effect.fnUntraced(function* (
  { networks }: Pick<ServerConfig, "networks">,
  networkId: string,
) {
  const network = networks.find(({ id }) => id === networkId);
  if (network === undefined) {
    const ids = networks.map(({ id }) => id).join(", ");
    return yield* new DeploymentError({ message: `no network ${networkId}; there are ${ids}` });
  }
  const { id, chainId, wrappedNative, source } = network;
  if (source.kind === "devnet") {
    const real = `${rpcVariable(id)} or MILLRACE_CONFIG names a real chain`;
    const message = `${id} is an embedded devnet, which has an executor from its start; ${real}`;
    return yield* new DeploymentError({ message });
  }
  if (wrappedNative === undefined) {
    const message = `${id} has no wrappedNative configured, which an executor is made for`;
    return yield* new DeploymentError({ message });
  }
  const { to, data, address } = executorDeployment(wrappedNative.toLowerCase() as Address);
  return `${JSON.stringify({ chainId, to, data, value: "0", address }, undefined, 2)}\n`;
});
