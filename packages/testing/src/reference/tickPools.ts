/** Where a pool with ticks stands, and its ticks. */
export interface TicksOfPool {
  readonly tickSpacing: number;
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  /** liquidityNet by initialised tick. */
  readonly ticks: ReadonlyMap<number, bigint>;
}

export interface ConcentratedSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly sqrtPriceX96After: bigint;
  readonly tickAfter: number;
  readonly liquidityAfter: bigint;
  /** False when the price limit was reached with something left over. */
  readonly complete: boolean;
  /** Ends of words and initialised ticks that the swap went to or towards. */
  readonly steps: number;
}

/** What of a contract's text `StepCache` walks by. */
export interface StepText {
  readonly stepsMax: number;
  /** Whether a step ends where a word of the bitmap does, or goes on to an initialised tick. */
  readonly endsAtWords: boolean;
  readonly amountMax: bigint;
  /** One step; a positive `remaining` goes in, a negative one comes out. `amountIn` has the fee. */
  readonly step: (
    currentX96: bigint,
    targetX96: bigint,
    liquidity: bigint,
    remaining: bigint,
    feePips: bigint,
  ) => { readonly nextX96: bigint; readonly amountIn: bigint; readonly amountOut: bigint };
}
