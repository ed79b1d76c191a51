import type { Address } from "@millrace/core";
import type { SwapIntent } from "../SwapIntent.ts";
import type { SwapOrder } from "../SwapOrder.ts";
import type { SwapRefusal } from "../SwapRefusal.ts";
import type { ReviewTerms } from "./ReviewTerms.ts";
import { invalid } from "./refuse.ts";

/** Sender, recipient and fee; a fee of 0 is left out. */
export type Parties = Pick<SwapIntent, "sender" | "recipient" | "fee">;

const ADDRESS = /^0x[0-9a-f]{40}$/;
/** Placeholder for the native token: nobody has its key. */
const NATIVE_PLACEHOLDER = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
/** 0x0 … 0xffff: nobody, precompiled contracts, and what Universal Routers read as a shorthand. */
const RESERVED = /^0x0{36}/;
const FEE_MAX_BPS = 1_000;

/**
 * Checks sender, recipient and fee recipient: none may be an address where tokens would be lost.
 */
export function reviewParties(order: SwapOrder, terms: ReviewTerms): Parties | SwapRefusal {
  const sender = order.sender.toLowerCase() as Address;
  // The rest of an exact output's input goes back to the sender.
  const senderFault = partyFault(sender, terms);
  if (senderFault !== undefined) return invalid(["publicKey"], senderFault);
  const recipient = (order.recipient?.toLowerCase() ?? sender) as Address;
  const fault = recipient === sender ? undefined : partyFault(recipient, terms);
  if (fault !== undefined) return invalid(["recipient"], fault);
  if (order.fee === undefined) return { sender, recipient };
  const { bps } = order.fee;
  if (!Number.isInteger(bps) || bps < 0 || bps > FEE_MAX_BPS) {
    return invalid(["partnerFees", "fee"], `not 0 to ${FEE_MAX_BPS} basis points`);
  }
  if (bps === 0) return { sender, recipient };
  const partner = order.fee.recipient.toLowerCase() as Address;
  const partnerFault = partyFault(partner, terms);
  if (partnerFault !== undefined) return invalid(["partnerFees", "recipient"], partnerFault);
  return { sender, recipient, fee: { recipient: partner, bps } };
}

function partyFault(
  address: Address,
  { engine, wrappedNative, forbiddenRecipients }: ReviewTerms,
): string | undefined {
  if (!ADDRESS.test(address)) return "no address";
  if (RESERVED.test(address) || address === NATIVE_PLACEHOLDER) return "nobody's address";
  if (engine.graph.findPool(address) !== undefined) return "a pool";
  if (engine.graph.dexes.some(({ factory }) => factory === address)) return "the contract of a DEX";
  if (address === wrappedNative || engine.graph.findToken(address) !== undefined) return "a token";
  return forbiddenRecipients.has(address) ? "a contract of the swap itself" : undefined;
}
