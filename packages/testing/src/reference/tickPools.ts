/** A concentrated pool's price, liquidity and ticks. */
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
  /** False when the swap reached the price limit before the whole amount. */
  readonly complete: boolean;
  /** Number of word ends and initialised ticks that the swap moved to or towards. */
  readonly steps: number;
}

/** The parts of a contract that `StepCache` uses. */
export interface StepText {
  readonly stepsMax: number;
  /** Whether a step ends at the end of a bitmap word, or only at an initialised tick. */
  readonly endsAtWords: boolean;
  readonly amountMax: bigint;
  /**
   * One step; a positive `remaining` is an input, a negative one an output. `amountIn` includes the
   * fee.
   */
  readonly step: (
    currentX96: bigint,
    targetX96: bigint,
    liquidity: bigint,
    remaining: bigint,
    feePips: bigint,
  ) => { readonly nextX96: bigint; readonly amountIn: bigint; readonly amountOut: bigint };
}
