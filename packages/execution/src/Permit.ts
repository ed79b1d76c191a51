/** A signature that saves the sender an approval, with the terms that were signed. */
export interface Permit {
  /** 65 bytes: r, s, v. */
  readonly signature: `0x${string}`;
  /** What the spender may take; at least the most that the swap takes. */
  readonly amount: bigint;
  /** Unix time in seconds until which the signature may be used. */
  readonly deadline: bigint;
  readonly nonce: bigint;
  /** Permit2 only: Unix time in seconds until which the router may take the tokens. */
  readonly expiration?: bigint;
}
