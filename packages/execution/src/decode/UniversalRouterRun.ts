import type { Address } from "@millrace/core";
import { must, same } from "@millrace/protocols";
import type { Permit } from "../Permit.ts";
import type { IntentPath, SwapIntent } from "../SwapIntent.ts";
import type { RouterTable } from "../SwapRouter.ts";
import { checkRouterHops, ROUTER_DECODERS, type RouterSwap } from "./checkRouterHops.ts";
import { RouterOutput } from "./RouterOutput.ts";
import type { RouterPermit } from "./readPermit.ts";

/** Placeholders for recipients: the caller, and the router itself. */
const SENDER = "0x0000000000000000000000000000000000000001";
const ROUTER = "0x0000000000000000000000000000000000000002";
/** The native token, as an address. */
const ETHER = "0x0000000000000000000000000000000000000000";
/** As an amount: all that the router has. */
const ALL = 1n << 255n;
/** As the amount of a V2 swap: the pair has been paid. */
const PAID = 0n;

/** An amount between two pools of a path: where it lies, and its token. */
interface Flow {
  readonly at: Address;
  readonly token: Address;
}

/**
 * Runs commands on a model of the Universal Router, as far as their effects are known beforehand:
 * which path is being executed, where its amount lies, what input the router holds, who has been
 * paid. Throws a `Mismatch` for a command that is not the intent's next step.
 */
export class UniversalRouterRun {
  readonly #router: NonNullable<RouterTable["universalRouter"]>;
  readonly #intent: SwapIntent;
  readonly #permit: Permit | undefined;
  #permitIsUsed = false;
  /** Native tokens in the router. */
  #ether: bigint;
  /** Wrapped tokens in the router; a lower bound where `#hasRest`, otherwise exact. */
  #input = 0n;
  #hasRest = false;
  /** Whether an exact output may have left native tokens. */
  #hasEtherRest = false;
  /** The next leg to execute. */
  #path = 0;
  #leg = 0;
  /** The input of the next leg; undefined before a path begins. */
  #flow: Flow | undefined;
  /** Input of all paths so far: as recomputed, and at most. */
  #spent = 0n;
  #spentMax = 0n;
  readonly #output: RouterOutput;

  constructor(
    router: NonNullable<RouterTable["universalRouter"]>,
    intent: SwapIntent,
    permit: Permit | undefined,
  ) {
    this.#router = router;
    this.#intent = intent;
    this.#permit = permit;
    this.#output = new RouterOutput(router.address, intent);
    this.#ether = intent.isNativeIn ? intent.amountInMax : 0n;
    must(intent.recipient !== router.address, "recipient: the router itself");
  }

  permit(found: RouterPermit): void {
    const permit = this.#permit;
    if (permit === undefined) return must(false, "permit: the order has none");
    must(!this.#permitIsUsed, "permit: twice");
    must(!this.#intent.isNativeIn, "permit: the input is native");
    must(this.#isAtStart, "permit: after a swap");
    this.#permitIsUsed = true;
    same("permit token", found.token, this.#intent.tokenIn);
    same("permit amount", found.amount, permit.amount);
    must(permit.amount >= this.#intent.amountInMax, "permit amount: less than the most in");
    same("permit expiration", found.expiration, permit.expiration ?? "none");
    same("permit nonce", found.nonce, permit.nonce);
    same("permit spender", found.spender, this.#router.address);
    same("permit deadline", found.deadline, permit.deadline);
    same("permit signature", `0x${found.signature}`, permit.signature.toLowerCase());
  }

  /** Takes wrapped tokens from the sender, to be unwrapped. */
  pull(token: Address, recipient: Address, amount: bigint): void {
    const { isNativeIn, tokenIn, wrappedNative } = this.#intent;
    must(this.#isAtStart && !isNativeIn, "pull: not before all swaps of what the sender has");
    same("pull, token", token, tokenIn);
    same("pull, wrapped token", token, wrappedNative);
    same("pull, to", this.#resolve(recipient), this.#router.address);
    this.#input += amount;
  }

  wrap(recipient: Address, amount: bigint): void {
    const to = this.#resolve(recipient);
    if (this.#isSwapped) return this.#wrapAfter(to, amount);
    if (this.#flow?.token === ETHER) return this.#wrapBetween(this.#flow, to, amount);
    const wrapped = amount === ALL ? this.#ether : amount;
    must(wrapped > 0n && wrapped <= this.#ether, `wrap: ${wrapped}, there are ${this.#ether}`);
    must(this.#intent.isNativeIn, "wrap: what was unwrapped before");
    this.#ether -= wrapped;
    if (to === this.#router.address) {
      this.#input += wrapped;
      return;
    }
    // Straight to the pair that begins the next path.
    const path = this.#startingPath("wrap");
    must(this.#flow === undefined && this.#isPairAt(0, to), `wrap: to ${to}`);
    same("wrap, amount", wrapped, path.amountIn);
    this.#flow = { at: to, token: this.#intent.wrappedNative };
    this.#count(wrapped, wrapped);
  }

  /** Wraps all of the native output, or the rest of an unwrapped input. */
  #wrapAfter(to: Address, amount: bigint): void {
    must(amount === ALL, "wrap: a part");
    if (this.#output.isEtherHeld) return this.#output.wrap(to);
    must(!this.#intent.isNativeIn && this.#hasEtherRest, "wrap: nothing is native");
    same("wrap of a rest, to", to, this.#intent.sender);
    same("pulled beyond what paths may take", this.#ether, 0n);
    this.#hasEtherRest = false;
  }

  #wrapBetween({ at }: Flow, to: Address, amount: bigint): void {
    this.#mustBeAlone("wrap", at, amount === ALL);
    const isThere = to === this.#router.address || this.#isPairAt(this.#leg, to);
    must(isThere, `wrap between pools: to ${to}`);
    this.#flow = { at: to, token: this.#intent.wrappedNative };
  }

  /** Checks that the amount between two pools is all that the router has of the token. */
  #mustBeAlone(what: string, at: Address, isAll: boolean): void {
    const { tokenIn, tokenOut, wrappedNative } = this.#intent;
    must(at === this.#router.address && isAll, `${what} between pools: not all of it`);
    const isEnd = tokenIn === wrappedNative || tokenOut === wrappedNative;
    must(!isEnd, `${what} between pools: of what is not the path's alone`);
  }

  swap(swap: RouterSwap): void {
    const path = this.#intent.paths[this.#path];
    if (path === undefined) return must(false, "a swap after all paths");
    checkRouterHops(this.#router, this.#intent, swap, this.#path, this.#leg);
    const end = this.#leg + swap.hops.length;
    const isLast = end === path.legs.length;
    if (swap.kind === "exactOut") this.#takeExactOut(swap, path, isLast);
    else this.#takeExactIn(swap, path);
    const to = this.#resolve(swap.recipient);
    if (!isLast) {
      same("least between two pools", swap.limit, 0n);
      must(to === this.#router.address || this.#isPairAt(end, to), `swap between pools: to ${to}`);
      this.#leg = end;
      this.#flow = { at: to, token: swap.hops.at(-1)!.tokenOut };
      return;
    }
    this.#output.add(to, swap, path, this.#name);
    this.#path++;
    this.#leg = 0;
    this.#flow = undefined;
  }

  payPortion(token: Address, recipient: Address, bips: bigint): void {
    this.#mustBeSwapped("fee");
    this.#output.payPortion(token, this.#resolve(recipient), bips);
  }

  sweep(token: Address, recipient: Address, least: bigint): void {
    this.#mustBeSwapped("sweep");
    const { isNativeIn, isNativeOut, tokenIn, tokenOut, paths } = this.#intent;
    const to = this.#resolve(recipient);
    if (isNativeOut ? token === ETHER : token === tokenOut) {
      return this.#output.sweep(to, least);
    }
    // A rest goes back. It is usually nothing, so no minimum can be required.
    const isBetween = paths.some(({ legs }) => legs.some((leg) => leg.tokenIn === token));
    const isOwn = token === ETHER ? isNativeIn : isBetween && !(isNativeIn && token === tokenIn);
    must(isOwn, `sweep: of ${token}`);
    same("sweep of a rest, to", to, this.#intent.sender);
    same("sweep of a rest, at least", least, 0n);
    if (token !== ETHER) return;
    this.#ether = 0n;
    this.#hasEtherRest = false;
  }

  unwrap(recipient: Address, least: bigint): void {
    const to = this.#resolve(recipient);
    if (!this.#isSwapped && !this.#intent.isNativeIn) return this.#unwrapBefore(to, least);
    this.#mustBeSwapped("unwrap");
    if (this.#intent.isNativeOut) return this.#output.unwrap(to, least);
    must(this.#intent.isNativeIn, "unwrap: nothing is native");
    same("unwrap of a rest, to", to, this.#intent.sender);
    same("unwrap of a rest, at least", least, 0n);
    this.#input = 0n;
    this.#hasRest = false;
  }

  /** For a path that begins with the native token, or goes on with it. */
  #unwrapBefore(to: Address, least: bigint): void {
    const { wrappedNative } = this.#intent;
    if (this.#flow?.token === wrappedNative) {
      this.#mustBeAlone("unwrap", this.#flow.at, true);
      this.#flow = { at: this.#router.address, token: ETHER };
    } else {
      must(this.#isAtStart && this.#input > 0n, "unwrap: before all paths are swapped");
      this.#ether += this.#input;
      this.#input = 0n;
    }
    same("unwrap before a swap, to", to, this.#router.address);
    same("unwrap before a swap, at least", least, 0n);
  }

  /** After the last command. */
  end(): void {
    const { amountIn, amountInMax, paths } = this.#intent;
    this.#mustBeSwapped("the end");
    must(this.#permitIsUsed === (this.#permit !== undefined), "permit: the call has none");
    same("native left in the router", this.#ether, 0n);
    same("wrapped left in the router", this.#input, 0n);
    must(!this.#hasRest && !this.#hasEtherRest, "the rest of the input is left in the router");
    same("amounts of the paths together", this.#spent, amountIn);
    // The paths' shares of the maximum may be rounded down, each by less than one unit.
    const isMost =
      this.#spentMax <= amountInMax && this.#spentMax + BigInt(paths.length) > amountInMax;
    must(isMost, `most in: the call has ${this.#spentMax}, the intent ${amountInMax}`);
    this.#output.end();
  }

  /** What an exact-input swap takes, and from whom. */
  #takeExactIn(swap: RouterSwap, { amountIn }: IntentPath): void {
    const { amount, payerIsUser, decoder, hops } = swap;
    const { kind, amountInMax } = this.#intent;
    // Where no more than the least input may go in, an exact output is encoded as an exact input.
    const isBound = kind === "exactIn" || amountInMax === this.#intent.amountIn;
    must(isBound, "kind: the call is of exactIn, the intent of exactOut");
    const name = `${this.#name}, amount in`;
    if (this.#flow !== undefined) {
      const { at, token } = this.#flow;
      same(`${this.#name}, token between`, hops[0]!.tokenIn, token);
      same(`${this.#name}, the sender pays`, payerIsUser, false);
      const isPaid = at !== this.#router.address;
      const isTaken = decoder.isPaidBefore && amount === PAID;
      if (isPaid) must(isTaken, `${name}: ${amount}, the pair is paid`);
      // How much the previous pool gives is not known beforehand.
      else must(amount === ALL, `${name}: not what the leg before gave`);
      return;
    }
    must(this.#leg === 0, `${name}: nothing is there`);
    const isHeld = this.#isInputHeld(swap);
    same(`${this.#name}, the sender pays`, payerIsUser, !isHeld);
    if (isHeld) {
      const isAllWrapped = amount === ALL && !this.#hasRest && hops[0]!.tokenIn !== ETHER;
      const taken = isAllWrapped ? this.#input : amount;
      same(name, taken, amountIn);
      this.#takeHeld(swap, taken);
    } else {
      must(amount < ALL, `${name}: too large`);
      same(name, amount, amountIn);
    }
    this.#count(amountIn, amountIn);
  }

  /** What an exact-output swap takes at most, and from whom. */
  #takeExactOut(swap: RouterSwap, path: IntentPath, isLast: boolean): void {
    same("kind", swap.kind, this.#intent.kind);
    must(this.#leg === 0 && isLast && this.#flow === undefined, `${this.#name}: not all of it`);
    same(`${this.#name}, amount out`, swap.amount, path.amountOut);
    must(swap.amount < ALL, `${this.#name}, amount out: too large`);
    const mostName = `${this.#name}, most in`;
    must(swap.limit >= path.amountIn, `${mostName}: ${swap.limit}, it takes ${path.amountIn}`);
    const isHeld = this.#isInputHeld(swap);
    same(`${this.#name}, the sender pays`, swap.payerIsUser, !isHeld);
    if (isHeld) {
      this.#takeHeld(swap, swap.limit);
      if (swap.hops[0]!.tokenIn === ETHER) this.#hasEtherRest = true;
      else this.#hasRest = true;
    }
    this.#count(path.amountIn, swap.limit);
  }

  /** Whether the router holds the input: sent with the call, or pulled and unwrapped. */
  #isInputHeld({ hops }: RouterSwap): boolean {
    return this.#intent.isNativeIn || hops[0]!.tokenIn === ETHER;
  }

  #takeHeld({ hops }: RouterSwap, amount: bigint): void {
    if (hops[0]!.tokenIn !== ETHER) return this.#takeWrapped(amount);
    must(amount <= this.#ether, `${this.#name}: takes ${amount}, the router has ${this.#ether}`);
    this.#ether -= amount;
  }

  #takeWrapped(amount: bigint): void {
    must(amount <= this.#input, `${this.#name}: takes ${amount}, the router has ${this.#input}`);
    this.#input -= amount;
  }

  #count(amount: bigint, most: bigint): void {
    this.#spent += amount;
    this.#spentMax += most;
  }

  #mustBeSwapped(what: string): void {
    must(this.#isSwapped, `${what}: before all paths are swapped`);
  }

  get #isSwapped(): boolean {
    return this.#path === this.#intent.paths.length;
  }

  get #isAtStart(): boolean {
    return this.#path === 0 && this.#leg === 0;
  }

  #startingPath(what: string): IntentPath {
    must(this.#path < this.#intent.paths.length && this.#leg === 0, `${what}: no path begins here`);
    return this.#intent.paths[this.#path]!;
  }

  /** Whether an address is the pair of a leg of the current path. */
  #isPairAt(place: number, address: Address): boolean {
    const leg = this.#intent.paths[this.#path]?.legs[place];
    const isPaidBefore = leg && ROUTER_DECODERS.get(leg.protocol)?.isPaidBefore;
    return isPaidBefore === true && leg?.pool === address;
  }

  #resolve(recipient: Address): Address {
    if (recipient === SENDER) return this.#intent.sender;
    return recipient === ROUTER ? this.#router.address : recipient;
  }

  get #name(): string {
    return `path ${this.#path}`;
  }
}
