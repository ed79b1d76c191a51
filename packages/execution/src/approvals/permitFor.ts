import type { Address } from "@millrace/core";
import type { Effect } from "effect";
import type { ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { PermitKind, RouterTable, SwapRouter } from "../SwapRouter.ts";

/** What a wallet must sign (EIP-712), if anything, so that a swap needs no approval of its router. */
export interface PermitRequest {
  /** Who the token's owner lets take it: the executor, or the Universal Router (by Permit2). */
  readonly spender: Address;
  /** `NONE`: nothing can be signed (native input, no support), an approval is needed or nothing. */
  readonly kind: PermitKind | "NONE";
  /** As `eth_signTypedData_v4` takes it; numbers beyond 2^53 are decimal strings. */
  readonly typedData?: TypedData;
}

export interface TypedData {
  readonly domain: Readonly<Record<string, string | number>>;
  readonly types: Readonly<
    Record<string, ReadonlyArray<{ readonly name: string; readonly type: string }>>
  >;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Being built. */
export const permitFor: (
  intent: SwapIntent,
  router: SwapRouter,
  terms: { readonly table: RouterTable; readonly chain: ChainAccess },
) => Effect.Effect<PermitRequest, ChainAccessError> = () => {
  throw new Error("being built");
};
