import type { Permit } from "../Permit.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { SwapRefusal } from "../SwapRefusal.ts";
import type { SwapRouter } from "../SwapRouter.ts";
import { invalid } from "./refuse.ts";

/** 65 bytes. */
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
const UINT256_END = 1n << 256n;
/** Permit2 packs amount, expiration and nonce into one word. */
const PERMIT2_AMOUNT_END = 1n << 160n;
const PERMIT2_NUMBER_END = 1n << 48n;

/** Why a router cannot take a permit for an intent; undefined when it can. */
export function reviewPermit(
  permit: Permit,
  intent: SwapIntent,
  { kind, permitKind }: SwapRouter,
  nowSeconds: number,
): SwapRefusal | undefined {
  if (intent.isNativeIn) return invalid(["permit"], "the native token needs no approval");
  if (permitKind === undefined) return invalid(["permit"], `the router, ${kind}, takes none`);
  const fault = permitFault(permit, permitKind, BigInt(nowSeconds));
  if (fault !== undefined) return invalid(["permit", fault[0]], fault[1]);
  return permit.amount < intent.amountInMax
    ? invalid(["permit", "amount"], `less than ${intent.amountInMax}, the most that may go in`)
    : undefined;
}

/** The field and what is wrong with it. */
function permitFault(
  { signature, amount, deadline, nonce, expiration }: Permit,
  kind: NonNullable<SwapRouter["permitKind"]>,
  now: bigint,
): readonly [keyof Permit, string] | undefined {
  const isPermit2 = kind === "PERMIT2";
  if (!SIGNATURE.test(signature)) return ["signature", "not 65 bytes"];
  if (!isWithin(amount, isPermit2 ? PERMIT2_AMOUNT_END : UINT256_END))
    return ["amount", "no amount"];
  if (!isWithin(nonce, isPermit2 ? PERMIT2_NUMBER_END : UINT256_END)) return ["nonce", "no nonce"];
  if (!isWithin(deadline, UINT256_END)) return ["deadline", "no Unix time in seconds"];
  if (deadline < now) return ["deadline", "in the past"];
  if (!isPermit2) return isRecoverable(signature) ? undefined : ["signature", "v is none"];
  if (expiration === undefined) return ["expiration", "missing, and Permit2 needs it"];
  if (!isWithin(expiration, PERMIT2_NUMBER_END)) return ["expiration", "no Unix time in seconds"];
  return expiration < now ? ["expiration", "in the past"] : undefined;
}

function isWithin(value: bigint, end: bigint): boolean {
  return value >= 0n && value < end;
}

/**
 * Tokens recover the signer by `ecrecover`. Permit2 also asks contracts, which may give v any
 * meaning. Some wallets write the parity alone.
 */
function isRecoverable(signature: string): boolean {
  return ["00", "01", "1b", "1c"].includes(signature.slice(-2).toLowerCase());
}
