import type { Address } from "@millrace/core";
import { Effect } from "effect";
import { encodeFunctionData } from "viem/utils";
import type { ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import { readWord } from "../chain/answers.ts";
import { tryContract } from "../chain/callContract.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { PermitKind, RouterTable, SwapRouter } from "../SwapRouter.ts";
import { PERMIT2_AMOUNT_MAX, permit2AllowanceAbi } from "./abis.ts";
import { readPermitDomain } from "./permitDomain.ts";

/**
 * What a wallet must sign (EIP-712), if anything, so that a swap needs no approval of its router.
 */
export interface PermitRequest {
  /** Who may take the token by the permit: the executor, or the Universal Router (by Permit2). */
  readonly spender: Address;
  /** `NONE`: nothing to sign (native input, no support); an approval may be needed. */
  readonly kind: PermitKind | "NONE";
  /** As `eth_signTypedData_v4` takes it; numbers beyond 2^53 are decimal strings. */
  readonly typedData?: TypedData;
}

export interface TypedData {
  readonly domain: Readonly<Record<string, string | number>>;
  readonly types: Readonly<Record<string, ReadonlyArray<Member>>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
}

interface Member {
  readonly name: string;
  readonly type: string;
}

/**
 * What an intent's sender can sign in place of approving a router: for the maximum input, until the
 * intent's deadline. A Permit2 permit still needs the token's approval of Permit2 (`approvalsFor`).
 * Fails when no node answers.
 */
export const permitFor: (
  intent: SwapIntent,
  router: SwapRouter,
  terms: { readonly table: RouterTable; readonly chain: ChainAccess },
) => Effect.Effect<PermitRequest, ChainAccessError> = Effect.fnUntraced(function* (
  intent,
  router,
  { table, chain },
) {
  const spender = router.address;
  const permit2 = table.universalRouter?.permit2;
  const typedData = intent.isNativeIn
    ? undefined
    : router.permitKind === "EIP-2612"
      ? yield* tokenPermit(intent, spender, chain)
      : router.permitKind === "PERMIT2" && permit2 !== undefined
        ? yield* permit2Permit(intent, spender, permit2, chain)
        : undefined;
  if (typedData === undefined || router.permitKind === undefined) return { spender, kind: "NONE" };
  return { spender, kind: router.permitKind, typedData };
});

const member = (name: string, type: string): Member => ({ name, type });

const PERMIT_MEMBERS = [
  ...[member("owner", "address"), member("spender", "address"), member("value", "uint256")],
  ...[member("nonce", "uint256"), member("deadline", "uint256")],
];

/** EIP-2612; undefined where the token does not take it. */
const tokenPermit = Effect.fnUntraced(function* (
  { tokenIn, sender, chainId, amountInMax, deadline }: SwapIntent,
  spender: Address,
  chain: ChainAccess,
) {
  const found = yield* readPermitDomain(chain, { token: tokenIn, owner: sender, chainId });
  if (found === undefined) return undefined;
  return {
    domain: found.domain,
    types: { EIP712Domain: domainMembers(found.domain), Permit: PERMIT_MEMBERS },
    primaryType: "Permit",
    message: {
      ...{ owner: sender, spender, value: amountInMax.toString(), nonce: found.nonce.toString() },
      deadline: deadline.toString(),
    },
  } satisfies TypedData;
});

const PERMIT_SINGLE_TYPES = {
  PermitSingle: [
    ...[member("details", "PermitDetails"), member("spender", "address")],
    member("sigDeadline", "uint256"),
  ],
  PermitDetails: [
    ...[member("token", "address"), member("amount", "uint160")],
    ...[member("expiration", "uint48"), member("nonce", "uint48")],
  ],
};

/** Permit2's PermitSingle; undefined where Permit2 does not answer, or cannot hold the amount. */
const permit2Permit = Effect.fnUntraced(function* (
  { tokenIn, sender, chainId, amountInMax, deadline }: SwapIntent,
  spender: Address,
  permit2: Address,
  chain: ChainAccess,
) {
  if (amountInMax > PERMIT2_AMOUNT_MAX) return undefined;
  const data = encodeFunctionData({
    abi: permit2AllowanceAbi,
    functionName: "allowance",
    args: [sender, tokenIn, spender],
  });
  const nonce = readWord(yield* tryContract(chain, { to: permit2, data }), 2);
  if (nonce === undefined || nonce >= 2n ** 48n) return undefined;
  const domain = { name: "Permit2", chainId, verifyingContract: permit2 };
  return {
    domain,
    types: { EIP712Domain: domainMembers(domain), ...PERMIT_SINGLE_TYPES },
    primaryType: "PermitSingle",
    message: {
      details: {
        ...{ token: tokenIn, amount: amountInMax.toString() },
        ...{ expiration: deadline.toString(), nonce: nonce.toString() },
      },
      ...{ spender, sigDeadline: deadline.toString() },
    },
  } satisfies TypedData;
});

/** In the order of EIP-712, which is that of a domain's fields here. */
const domainMembers = (domain: TypedData["domain"]): ReadonlyArray<Member> =>
  Object.keys(domain).map((name) => member(name, DOMAIN_TYPES[name]!));

const DOMAIN_TYPES: Readonly<Record<string, string>> = {
  ...{ name: "string", version: "string", chainId: "uint256", verifyingContract: "address" },
};
