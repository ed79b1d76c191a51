/** Who swaps, and on which terms. */
export interface SwapTerms {
  /** Who sends the transactions, and gets what comes out unless a recipient is named. */
  readonly sender: string;
  /** In percent: 0.5 where nothing is said. */
  readonly slippage?: number;
  readonly recipient?: string;
  /** Epoch seconds: 20 minutes ahead where nothing is said. */
  readonly deadline?: number;
  /** `fee` is in basis points of the output. */
  readonly partnerFees?: { readonly recipient: string; readonly fee: number };
  /** What `permit` asked a wallet to sign, with its signature. */
  readonly permit?: {
    readonly signature: string;
    readonly amount: bigint;
    readonly deadline: bigint;
    readonly nonce: bigint;
    readonly expiration?: bigint;
  };
}

/** Unsigned, in the order to send: approvals first, the swap last. */
export interface Swap {
  readonly transactions: ReadonlyArray<{
    readonly from: string;
    readonly to: `0x${string}`;
    readonly data: `0x${string}`;
    readonly value: bigint;
  }>;
  /** Whether a node has tried all of it as the sender. */
  readonly simulated: boolean;
  /** Of an exact input. */
  readonly minAmountOut?: bigint;
  /** Of an exact output. */
  readonly maxAmountIn?: bigint;
  readonly feeAmount: bigint;
}

/** What a wallet has to sign; `typedData` is undefined where nothing needs a permit. */
export interface PermitToSign {
  readonly spender?: string;
  readonly kind?: string;
  readonly typedData?: unknown;
}
