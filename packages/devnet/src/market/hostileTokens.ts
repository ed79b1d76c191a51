import type { TokenPlan } from "./networks.ts";

/** What a hostile token does; `HostileToken.sol` explains the names. */
export type HostileKind = (typeof HOSTILE_TOKENS)[number]["kind"];

interface HostileTokenPlan extends TokenPlan {
  /** The contract's number for the kind. */
  readonly kindNumber: number;
  /** Whether it also has a concentrated pool, with the second anchor. */
  readonly isConcentrated: boolean;
}

const token = <const Kind extends string>(
  kind: Kind,
  kindNumber: number,
  symbol: string,
  isConcentrated = false,
) => ({
  ...{ kind, kindNumber, symbol, name: `Hostile: ${kind}`, decimals: 18, isConcentrated },
  // No traffic moves its price.
  ...{ priceUsd: 2, capUsd: 35e6, volatility: 0 },
});

export const HOSTILE_TOKENS = [
  token("taxed", 1, "TAX", true),
  token("taxedOnSale", 2, "SALETAX"),
  token("honeypot", 3, "HONEY", true),
  token("unbuyable", 4, "NOBUY"),
  token("rebasing", 5, "SHRINK", true),
  token("noReturn", 6, "NORETURN"),
  token("falseOnFailure", 7, "FALSE"),
  token("resetAllowance", 8, "RESET"),
  token("reentering", 9, "REENTER"),
] satisfies ReadonlyArray<HostileTokenPlan & { readonly kind: string }>;
