/** The sender and the terms of a swap. */
export interface SwapTerms {
  /** The sender of the transactions, who gets the output unless a recipient is named. */
  readonly sender: string;
  /** In percent; default 0.5. */
  readonly slippage?: number;
  readonly recipient?: string;
  /** Epoch seconds; default 20 minutes ahead. */
  readonly deadline?: number;
  /** `fee` is in basis points of the output. */
  readonly partnerFees?: { readonly recipient: string; readonly fee: number };
  /** The values of `permit` that a wallet signed, with its signature. */
  readonly permit?: {
    readonly signature: string;
    readonly amount: bigint;
    readonly deadline: bigint;
    readonly nonce: bigint;
    readonly expiration?: bigint;
  };
}

/** Unsigned transactions, in the order to send: approvals first, the swap last. */
export interface Swap {
  readonly transactions: ReadonlyArray<{
    readonly from: string;
    readonly to: `0x${string}`;
    readonly data: `0x${string}`;
    readonly value: bigint;
  }>;
  /** Whether a node has simulated all of it as the sender. */
  readonly simulated: boolean;
  /** For an exact input. */
  readonly minAmountOut?: bigint;
  /** For an exact output. */
  readonly maxAmountIn?: bigint;
  readonly feeAmount: bigint;
}

/** The data for a wallet to sign; `typedData` is undefined where nothing needs a permit. */
export interface PermitToSign {
  readonly spender?: string;
  readonly kind?: string;
  readonly typedData?: unknown;
}
