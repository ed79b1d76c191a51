import type { Address } from "@millrace/core";
import type { RouterTable } from "@millrace/execution";
import type { NetworkConfig } from "../config/ServerConfig.ts";

/** Permit2 has the same address on nearly all chains. */
const PERMIT2 = "0x000000000022d473030f116ddee9f6b43ac78ba3";

/** The configured routers; undefined where no wrapped native token is known. */
export function routerTable({
  chainId,
  wrappedNative,
  routers: { executor, universalRouter },
}: Pick<NetworkConfig, "chainId" | "routers" | "wrappedNative">): RouterTable | undefined {
  if (wrappedNative === undefined) return undefined;
  return {
    chainId,
    wrappedNative: lowerCase(wrappedNative),
    ...(executor !== undefined && { executor: lowerCase(executor) }),
    ...(universalRouter !== undefined && {
      universalRouter: {
        ...universalRouter,
        address: lowerCase(universalRouter.address),
        permit2: lowerCase(universalRouter.permit2 ?? PERMIT2),
      },
    }),
  };
}

const lowerCase = (address: string): Address => address.toLowerCase() as Address;
