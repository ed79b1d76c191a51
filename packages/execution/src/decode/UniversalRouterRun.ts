import type { Address } from "@millrace/core";
import type { Permit } from "../Permit.ts";
import type { IntentPath, SwapIntent } from "../SwapIntent.ts";
import type { RouterTable } from "../SwapRouter.ts";
import { must, same } from "./Mismatch.ts";
import type { RouterHop, RouterPermit, RouterSwap } from "./routerInputs.ts";

/** As a recipient: who called, and the router itself. */
const SENDER = "0x0000000000000000000000000000000000000001";
const ROUTER = "0x0000000000000000000000000000000000000002";
/** As a token of a sweep: the native one. */
const ETHER = "0x0000000000000000000000000000000000000000";
/** As an amount: all that the router has. */
const ALL = 1n << 255n;
/** As the amount of a V2 swap: the pair has been paid. */
const PAID = 0n;
/** A sweep reads its minimum as a number of 160 bits. */
const SWEEP_MIN_END = 1n << 160n;

/**
 * Executes commands as the Universal Router would, as far as it can be known beforehand: which path
 * is under way and where its amount lies, what input the router holds, who has got what. Each
 * command is refused that does something else than the intent's next step.
 */
export class UniversalRouterRun {
  readonly #router: NonNullable<RouterTable["universalRouter"]>;
  readonly #intent: SwapIntent;
  readonly #permit: Permit | undefined;
  #permitIsUsed = false;
  /** Native, in the router. */
  #ether: bigint;
  /** Wrapped, in the router: at least so much where there is a rest, else exactly. */
  #input = 0n;
  #hasRest = false;
  /** The next leg to execute. */
  #path = 0;
  #leg = 0;
  /** Where what goes into it lies; undefined before a path begins. */
  #flow: Address | undefined;
  /** What has gone into all paths, and may have gone at most. */
  #spent = 0n;
  #spentMax = 0n;
  /** Whether the output is in the router. */
  #isHeld = false;
  #feeIsPaid = false;
  /** What the recipient gets at least; undefined before anything goes there. */
  #least: bigint | undefined;

  constructor(
    router: NonNullable<RouterTable["universalRouter"]>,
    intent: SwapIntent,
    permit: Permit | undefined,
  ) {
    this.#router = router;
    this.#intent = intent;
    this.#permit = permit;
    this.#ether = intent.isNativeIn ? intent.amountInMax : 0n;
    must(intent.recipient !== router.address, "recipient: the router itself");
  }

  permit(found: RouterPermit): void {
    const permit = this.#permit;
    if (permit === undefined) return must(false, "permit: the order has none");
    must(!this.#permitIsUsed, "permit: twice");
    must(!this.#intent.isNativeIn, "permit: the input is native");
    must(this.#path === 0 && this.#leg === 0, "permit: after a swap");
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

  wrap(recipient: Address, amount: bigint): void {
    const wrapped = amount === ALL ? this.#ether : amount;
    must(wrapped > 0n && wrapped <= this.#ether, `wrap: ${wrapped}, there are ${this.#ether}`);
    this.#ether -= wrapped;
    const to = this.#resolve(recipient);
    if (to === this.#router.address) {
      this.#input += wrapped;
      return;
    }
    // Straight to the pair that begins the next path.
    const path = this.#startingPath("wrap");
    must(this.#flow === undefined && this.#isPairAt(0, to), `wrap: to ${to}`);
    same("wrap, amount", wrapped, path.amountIn);
    this.#flow = to;
    this.#count(wrapped, wrapped);
  }

  swap(swap: RouterSwap): void {
    const path = this.#intent.paths[this.#path];
    if (path === undefined) return must(false, "a swap after all paths");
    this.#checkHops(swap, path);
    const end = this.#leg + swap.hops.length;
    const isLast = end === path.legs.length;
    if (swap.kind === "exactOut") this.#takeExactOut(swap, path, isLast);
    else this.#takeExactIn(swap, path);
    const to = this.#resolve(swap.recipient);
    if (!isLast) {
      same("least between two pools", swap.limit, 0n);
      must(to === this.#router.address || this.#isPairAt(end, to), `swap between pools: to ${to}`);
      this.#leg = end;
      this.#flow = to;
      return;
    }
    this.#deliver(to, swap, path);
    this.#path++;
    this.#leg = 0;
    this.#flow = undefined;
  }

  payPortion(token: Address, recipient: Address, bips: bigint): void {
    this.#mustBeSwapped("fee");
    const { fee, tokenOut } = this.#intent;
    must(this.#isHeld && !this.#feeIsPaid, "fee: twice, or of nothing");
    same("fee token", token, tokenOut);
    same("fee in basis points", bips, BigInt(fee?.bps ?? 0));
    same("fee recipient", this.#resolve(recipient), fee?.recipient ?? "none");
    this.#feeIsPaid = true;
  }

  sweep(token: Address, recipient: Address, least: bigint): void {
    this.#mustBeSwapped("sweep");
    const { isNativeIn, isNativeOut, tokenIn, tokenOut, paths } = this.#intent;
    const to = this.#resolve(recipient);
    if (token === tokenOut && !isNativeOut) {
      must(least < SWEEP_MIN_END, `least out: ${least} is cut to 160 bits`);
      return this.#handOut(to, least);
    }
    // What may be left goes back; it is nothing as a rule, so that no minimum can be asked.
    const isBetween = paths.some(({ legs }) => legs.some((leg) => leg.tokenIn === token));
    const isOwn = token === ETHER ? isNativeIn : isBetween && !(isNativeIn && token === tokenIn);
    must(isOwn, `sweep: of ${token}`);
    same("sweep of a rest, to", to, this.#intent.sender);
    same("sweep of a rest, at least", least, 0n);
    if (token === ETHER) this.#ether = 0n;
  }

  unwrap(recipient: Address, least: bigint): void {
    this.#mustBeSwapped("unwrap");
    const to = this.#resolve(recipient);
    if (this.#intent.isNativeOut) return this.#handOut(to, least);
    must(this.#intent.isNativeIn, "unwrap: nothing is native");
    same("unwrap of a rest, to", to, this.#intent.sender);
    same("unwrap of a rest, at least", least, 0n);
    this.#input = 0n;
    this.#hasRest = false;
  }

  /** After the last command. */
  end(): void {
    const { amountIn, amountInMax, amountOutMin, paths } = this.#intent;
    this.#mustBeSwapped("the end");
    must(this.#permitIsUsed === (this.#permit !== undefined), "permit: the call has none");
    same("native left in the router", this.#ether, 0n);
    same("wrapped left in the router", this.#input, 0n);
    must(!this.#hasRest, "the rest of the input is left in the router");
    must(!this.#isHeld, "the output is left in the router");
    same("amounts of the paths together", this.#spent, amountIn);
    // Shares of it may be rounded down, each by less than one.
    const isMost =
      this.#spentMax <= amountInMax && this.#spentMax + BigInt(paths.length) > amountInMax;
    must(isMost, `most in: the call has ${this.#spentMax}, the intent ${amountInMax}`);
    same("least out", this.#least ?? "none", amountOutMin);
  }

  /** The pools that the command derives must be those of the next legs. */
  #checkHops({ family, hops }: RouterSwap, { legs }: IntentPath): void {
    const [dexId, protocol] =
      family === "v2"
        ? [this.#router.v2DexId, "constant-product"]
        : [this.#router.v3DexId, "concentrated-liquidity"];
    must(dexId !== undefined, `the router reaches no pools of ${family}`);
    must(this.#leg + hops.length <= legs.length, `${this.#name}: more pools than in the intent`);
    for (let place = 0; place < hops.length; place++) {
      const leg = legs[this.#leg + place]!;
      const hop: RouterHop = hops[place]!;
      const name = `${this.#name}, leg ${this.#leg + place}`;
      same(`${name}, token in`, hop.tokenIn, leg.tokenIn);
      same(`${name}, token out`, hop.tokenOut, leg.tokenOut);
      same(`${name}, fee`, hop.feePips, leg.feePips);
      same(`${name}, venue`, dexId!, leg.dexId);
      same(`${name}, family`, protocol!, leg.protocol);
      // As the router sees it, by the addresses.
      same(`${name}, direction`, hop.tokenIn < hop.tokenOut, leg.zeroForOne);
    }
    if (this.#leg === 0) same(`${this.#name}, token in`, hops[0]!.tokenIn, this.#intent.tokenIn);
    const isEnd = this.#leg + hops.length === legs.length;
    if (isEnd) same(`${this.#name}, its end`, hops.at(-1)!.tokenOut, this.#intent.tokenOut);
  }

  /** What a swap of a known input takes, and of whom. */
  #takeExactIn({ family, amount, payerIsUser }: RouterSwap, { amountIn }: IntentPath): void {
    const { kind, amountInMax, isNativeIn } = this.#intent;
    // The least input for an exact output is an exact input, where no more may go in.
    const isBound = kind === "exactIn" || amountInMax === this.#intent.amountIn;
    must(isBound, "kind: the call is of exactIn, the intent of exactOut");
    const name = `${this.#name}, amount in`;
    if (this.#flow !== undefined) {
      same(`${this.#name}, the sender pays`, payerIsUser, false);
      const isPaid = this.#flow !== this.#router.address;
      if (isPaid) must(family === "v2" && amount === PAID, `${name}: ${amount}, the pair is paid`);
      // How much the pool before gave is not known beforehand.
      else must(amount === ALL, `${name}: not what the leg before gave`);
      return;
    }
    must(this.#leg === 0, `${name}: nothing is there`);
    same(`${this.#name}, the sender pays`, payerIsUser, !isNativeIn);
    if (isNativeIn) {
      const taken = amount === ALL && !this.#hasRest ? this.#input : amount;
      same(name, taken, amountIn);
      this.#takeWrapped(taken);
    } else {
      must(amount < ALL, `${name}: too large`);
      same(name, amount, amountIn);
    }
    this.#count(amountIn, amountIn);
  }

  /** What a swap for a known output takes at most, and of whom. */
  #takeExactOut(swap: RouterSwap, path: IntentPath, isLast: boolean): void {
    const { kind, isNativeIn } = this.#intent;
    same("kind", swap.kind, kind);
    must(this.#leg === 0 && isLast && this.#flow === undefined, `${this.#name}: not all of it`);
    same(`${this.#name}, amount out`, swap.amount, path.amountOut);
    must(swap.amount < ALL, `${this.#name}, amount out: too large`);
    const mostName = `${this.#name}, most in`;
    must(swap.limit >= path.amountIn, `${mostName}: ${swap.limit}, it takes ${path.amountIn}`);
    same(`${this.#name}, the sender pays`, swap.payerIsUser, !isNativeIn);
    if (isNativeIn) {
      this.#takeWrapped(swap.limit);
      this.#hasRest = true;
    }
    this.#count(path.amountIn, swap.limit);
  }

  #takeWrapped(amount: bigint): void {
    must(amount <= this.#input, `${this.#name}: takes ${amount}, the router has ${this.#input}`);
    this.#input -= amount;
  }

  #count(amount: bigint, most: bigint): void {
    this.#spent += amount;
    this.#spentMax += most;
  }

  /** The output of a path. */
  #deliver(to: Address, swap: RouterSwap, { amountOut }: IntentPath): void {
    // One minimum for a part of the output would bind that part alone.
    const goesToRouter = to === this.#router.address;
    const isMixed = goesToRouter ? this.#least !== undefined : this.#isHeld;
    must(!isMixed, `${this.#name}, to ${to}: the output before went elsewhere`);
    if (goesToRouter) {
      // Weighed once, when it is handed out.
      const name = `${this.#name}, least out before it is handed out`;
      if (swap.kind === "exactIn") same(name, swap.limit, 0n);
      this.#isHeld = true;
      return;
    }
    same(`${this.#name}, to`, to, this.#intent.recipient);
    must(!this.#intent.isNativeOut, `${this.#name}: the output is not unwrapped`);
    must(this.#feeBps === 0n, `${this.#name}: the output escapes the fee`);
    must(isWeighed(swap), `${this.#name}: paid straight, where nothing weighs what arrives`);
    const least = swap.limit;
    must(least <= amountOut, `${this.#name}, least out: ${least} is more than it gives`);
    this.#least = (this.#least ?? 0n) + least;
  }

  /** All of the output that the router holds. */
  #handOut(to: Address, least: bigint): void {
    must(this.#isHeld, "output: handed out twice, or none");
    must(this.#feeIsPaid || this.#feeBps === 0n, "fee: not paid");
    same("recipient", to, this.#intent.recipient);
    this.#isHeld = false;
    this.#least = least;
  }

  #mustBeSwapped(what: string): void {
    must(this.#path === this.#intent.paths.length, `${what}: before all paths are swapped`);
  }

  #startingPath(what: string): IntentPath {
    must(this.#path < this.#intent.paths.length && this.#leg === 0, `${what}: no path begins here`);
    return this.#intent.paths[this.#path]!;
  }

  /** Whether an address is the pair of a leg of the current path. */
  #isPairAt(place: number, address: Address): boolean {
    const leg = this.#intent.paths[this.#path]?.legs[place];
    return leg?.protocol === "constant-product" && leg.pool === address;
  }

  #resolve(recipient: Address): Address {
    if (recipient === SENDER) return this.#intent.sender;
    return recipient === ROUTER ? this.#router.address : recipient;
  }

  get #feeBps(): bigint {
    return BigInt(this.#intent.fee?.bps ?? 0);
  }

  get #name(): string {
    return `path ${this.#path}`;
  }
}

/**
 * Whether the router weighs what a swap's payee gains. It does so only for an exact input through
 * pairs (`V2SwapRouter.sol`); else it goes by what it reckons, or by what pools say.
 */
const isWeighed = ({ kind, family }: RouterSwap): boolean => kind === "exactIn" && family === "v2";
