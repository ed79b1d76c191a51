/** Why no transaction is built; the codes of the contract. */
export interface SwapRefusal {
  readonly refused: true;
  readonly code:
    | "INVALID_REQUEST"
    | "UNKNOWN_TOKEN"
    | "UNKNOWN_POOL"
    | "AMOUNT_TOO_SMALL"
    | "INSUFFICIENT_LIQUIDITY"
    | "NO_ROUTER"
    | "PRICE_MOVED";
  /** For people. Its only untrusted text is addresses and numbers. */
  readonly detail: string;
  /** INVALID_REQUEST: where in the request, as `["quote", "routePlan", 2, "tokenA"]`. */
  readonly path?: ReadonlyArray<string | number>;
}
