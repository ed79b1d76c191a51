import type { Address } from "@millrace/core";
import { must, same } from "@millrace/protocols";
import type { IntentPath, SwapIntent } from "../SwapIntent.ts";
import type { RouterSwap } from "./checkRouterHops.ts";

/** The native token, as an address. */
const ETHER = "0x0000000000000000000000000000000000000000";
/** A sweep reads its minimum as a number of 160 bits. */
const SWEEP_MIN_END = 1n << 160n;

/** The output that the Universal Router holds, and the least that the recipient gets. */
export class RouterOutput {
  readonly #router: Address;
  readonly #intent: SwapIntent;
  /**
   * Whether the router holds output, and whether it holds native output, which is another token.
   */
  #isHeld = false;
  #isEtherHeld = false;
  #feeIsPaid = false;
  /** Undefined before anything goes to the recipient. */
  #least: bigint | undefined;

  constructor(router: Address, intent: SwapIntent) {
    this.#router = router;
    this.#intent = intent;
  }

  get isEtherHeld(): boolean {
    return this.#isEtherHeld;
  }

  /** Adds the output of a path. */
  add(to: Address, swap: RouterSwap, { amountOut }: IntentPath, path: string): void {
    const { tokenOut } = swap.hops.at(-1)!;
    // A minimum on a part of the output would bind that part alone.
    const goesToRouter = to === this.#router;
    const isHeld = this.#isHeld || this.#isEtherHeld;
    const isMixed = goesToRouter ? this.#least !== undefined : isHeld;
    must(!isMixed, `${path}, to ${to}: the output before went elsewhere`);
    if (goesToRouter) {
      // The minimum is checked once, when the output is handed out.
      const name = `${path}, least out before it is handed out`;
      if (swap.kind === "exactIn") same(name, swap.limit, 0n);
      if (tokenOut === ETHER) this.#isEtherHeld = true;
      else this.#isHeld = true;
      return;
    }
    same(`${path}, to`, to, this.#intent.recipient);
    same(`${path}, its end`, tokenOut, this.#intent.tokenOut);
    must(!this.#intent.isNativeOut, `${path}: the output is not unwrapped`);
    must(this.#feeBps === 0n, `${path}: the output escapes the fee`);
    must(isWeighed(swap), `${path}: paid straight, where nothing weighs what arrives`);
    const least = swap.limit;
    must(least <= amountOut, `${path}, least out: ${least} is more than it gives`);
    this.#least = (this.#least ?? 0n) + least;
  }

  payPortion(token: Address, recipient: Address, bips: bigint): void {
    const { fee, tokenOut } = this.#intent;
    const isWhole = this.#isHeld && !this.#isEtherHeld;
    must(isWhole && !this.#feeIsPaid, "fee: twice, or of nothing, or of a part");
    same("fee token", token, tokenOut);
    same("fee in basis points", bips, this.#feeBps);
    same("fee recipient", recipient, fee?.recipient ?? "none");
    this.#feeIsPaid = true;
  }

  /** Wraps all of the native output. */
  wrap(to: Address): void {
    same("wrap of the output, to", to, this.#router);
    this.#isEtherHeld = false;
    this.#isHeld = true;
  }

  /** For an intent with native output. */
  unwrap(to: Address, least: bigint): void {
    if (!this.#isEtherHeld || !this.#isHeld) return this.#handOut(to, least);
    // The other part is native already; both are handed out together.
    same("unwrap of a part, to", to, this.#router);
    same("unwrap of a part, at least", least, 0n);
    this.#isHeld = false;
  }

  sweep(to: Address, least: bigint): void {
    must(!this.#intent.isNativeOut || this.#isEtherHeld, "sweep: no native output");
    must(least < SWEEP_MIN_END, `least out: ${least} is cut to 160 bits`);
    this.#handOut(to, least);
  }

  /** After the last command. */
  end(): void {
    must(!this.#isHeld && !this.#isEtherHeld, "the output is left in the router");
    same("least out", this.#least ?? "none", this.#intent.amountOutMin);
  }

  /** Hands out all of the output that the router holds. */
  #handOut(to: Address, least: bigint): void {
    const isOne = this.#isHeld !== this.#isEtherHeld;
    must(isOne, "output: handed out twice, or none, or in parts");
    must(this.#feeIsPaid || this.#feeBps === 0n, "fee: not paid");
    same("recipient", to, this.#intent.recipient);
    this.#isHeld = false;
    this.#isEtherHeld = false;
    this.#least = least;
  }

  get #feeBps(): bigint {
    return BigInt(this.#intent.fee?.bps ?? 0);
  }
}

/**
 * Whether the router compares the payee's balance with the minimum. It does so only for an exact
 * input of some families; otherwise it trusts its own arithmetic, or what pools return.
 */
const isWeighed = ({ kind, decoder }: RouterSwap): boolean =>
  kind === "exactIn" && decoder.weighsOutput;
