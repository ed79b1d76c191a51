import type { Address } from "@millrace/core";
import type { SwapCall } from "@millrace/execution";
import type { PlainPool } from "@millrace/testing/reference";
import { decodeAbiParameters, type Hex } from "viem";
import {
  ALL,
  hopsOf,
  pathOfBytes,
  pathOfTokens,
  type RouterHop,
  routerCall,
  threeWords,
  twoWords,
} from "./swapCalls.ts";
import { type Ledger, type LedgerHop, must, NATIVE } from "./swapLedger.ts";
import { UNIVERSAL, WRAPPED } from "./swapMarket.ts";

/** Executes a call as Uniswap's Universal Router 2.0, in which the sender has approved it. */
export function runUniversalRouter(call: SwapCall, sender: Address, ledger: Ledger): void {
  const run = new RouterRun(sender, ledger);
  ledger.pay(NATIVE, sender, UNIVERSAL, call.value);
  for (const [byte, input] of routerCall(call.data).commands) run.command(byte, input);
}

const lower = (address: string) => address.toLowerCase() as Address;

/** As the amount of a swap of V2: its first pair has been paid. */
const PAID = 0n;

interface RouterSwap {
  readonly isV2: boolean;
  readonly isOut: boolean;
  readonly to: Address;
  readonly amount: bigint;
  readonly limit: bigint;
  readonly payer: Address;
  readonly hops: ReadonlyArray<LedgerHop>;
  readonly tokenOut: string;
}

class RouterRun {
  readonly #sender: Address;
  readonly #ledger: Ledger;

  constructor(sender: Address, ledger: Ledger) {
    this.#sender = sender;
    this.#ledger = ledger;
  }

  command(byte: string, input: Hex): void {
    switch (byte) {
      case "00":
      case "01":
      case "08":
      case "09":
        return this.#swap(this.#readSwap(byte, input));
      case "04":
        return this.#sweep(...decodeAbiParameters(threeWords, input));
      case "06":
        return this.#payPortion(...decodeAbiParameters(threeWords, input));
      case "8a":
        return;
      case "0b":
        return this.#wrap(...decodeAbiParameters(twoWords, input));
      case "0c":
        return this.#unwrap(...decodeAbiParameters(twoWords, input));
      default:
        throw new Error(`command ${byte}`);
    }
  }

  #readSwap(byte: string, input: Hex): RouterSwap {
    const [isV2, isOut] = [byte >= "08", byte.endsWith("1") || byte.endsWith("9")];
    const [to, amount, limit, path, payerIsUser] = isV2
      ? decodeAbiParameters(pathOfTokens, input)
      : decodeAbiParameters(pathOfBytes, input);
    const hops: RouterHop[] =
      typeof path === "string"
        ? hopsOf(path, isOut)
        : path.slice(1).map((token, place) => [path[place]!, undefined, token]);
    return {
      ...{ isV2, isOut, amount, limit },
      to: this.#resolve(to),
      payer: payerIsUser ? this.#sender : UNIVERSAL,
      hops: hops.map(([tokenIn, fee, tokenOut]) => ({
        pool: this.#poolOf(lower(tokenIn), fee, lower(tokenOut)),
        tokenIn: lower(tokenIn),
      })),
      tokenOut: lower(hops.at(-1)![2]),
    };
  }

  #swap({ isV2, isOut, to, amount, limit, payer, hops, tokenOut }: RouterSwap): void {
    const ledger = this.#ledger;
    const { pool, tokenIn } = hops[0]!;
    const inputs = isOut ? this.#inputsFor(isV2, hops, amount) : [];
    if (isOut) must(inputs[0]! <= limit, "too much in");
    const isPaid = isV2 && !isOut && amount === PAID;
    const taken = amount === ALL ? ledger.gained(tokenIn, payer) : amount;
    if (!isPaid) ledger.pay(tokenIn, payer, pool, inputs[0] ?? taken);
    const before = ledger.gained(tokenOut, to);
    for (const [place, hop] of hops.entries()) {
      const next = hops[place + 1]?.pool ?? to;
      if (isOut) ledger.swapFor(hop.pool, hop.tokenIn, inputs[place + 1] ?? amount, next);
      else ledger.swap(hop.pool, hop.tokenIn, next);
    }
    if (!isOut) must(ledger.gained(tokenOut, to) - before >= limit, "too little out");
  }

  /** By its library for V2, which takes a unit more where a division leaves no rest. */
  #inputsFor(isV2: boolean, hops: ReadonlyArray<LedgerHop>, amountOut: bigint): bigint[] {
    if (!isV2) return this.#ledger.inputsFor(hops, amountOut);
    const inputs: bigint[] = [];
    let amount = amountOut;
    for (const hop of hops.toReversed()) {
      const pool = this.#ledger.pool(hop.pool);
      if (pool.family !== "constantProduct") throw new Error("no pair");
      const isZeroForOne = hop.tokenIn === pool.token0;
      const [reserveIn, reserveOut] = isZeroForOne
        ? [pool.reserve0, pool.reserve1]
        : [pool.reserve1, pool.reserve0];
      must(amount < reserveOut, "more than there is");
      amount = (reserveIn * amount * 1_000n) / ((reserveOut - amount) * 997n) + 1n;
      inputs.unshift(amount);
    }
    return inputs;
  }

  #wrap(recipient: Address, amount: bigint): void {
    const ether = this.#ledger.gained(NATIVE, UNIVERSAL);
    const wrapped = amount === ALL ? ether : amount;
    must(wrapped <= ether, "too little ether");
    this.#ledger.wrap(WRAPPED, UNIVERSAL, wrapped);
    this.#ledger.pay(WRAPPED, UNIVERSAL, this.#resolve(recipient), wrapped);
  }

  #unwrap(recipient: Address, least: bigint): void {
    const amount = this.#ledger.gained(WRAPPED, UNIVERSAL);
    must(amount >= least, "too little wrapped");
    this.#ledger.unwrap(WRAPPED, UNIVERSAL, amount);
    this.#ledger.pay(NATIVE, UNIVERSAL, this.#resolve(recipient), amount);
  }

  #sweep(token: Address, recipient: Address, least: bigint): void {
    const held = this.#ledger.gained(lower(token), UNIVERSAL);
    must(held >= BigInt.asUintN(160, least), "too little to sweep");
    this.#ledger.pay(lower(token), UNIVERSAL, this.#resolve(recipient), held);
  }

  #payPortion(token: Address, recipient: Address, bips: bigint): void {
    must(bips >= 1n && bips <= 10_000n, "no portion");
    const share = (this.#ledger.gained(lower(token), UNIVERSAL) * bips) / 10_000n;
    this.#ledger.pay(lower(token), UNIVERSAL, this.#resolve(recipient), share);
  }

  #resolve(recipient: string): Address {
    if (BigInt(recipient) === 1n) return this.#sender;
    return BigInt(recipient) === 2n ? UNIVERSAL : lower(recipient);
  }

  /** The router derives addresses of Uniswap's own pools, and reckons with their fee. */
  #poolOf(tokenIn: string, fee: number | undefined, tokenOut: string): string {
    const dexId = fee === undefined ? "UNISWAP_V2" : "UNISWAP_V3";
    const feePips = fee ?? 3_000;
    const isWanted = (pool: PlainPool) => pool.dexId === dexId && pool.feePips === feePips;
    const pool = this.#ledger.poolsOf(tokenIn, tokenOut).find(isWanted);
    if (pool === undefined) throw new Error(`no pool of ${tokenIn} and ${tokenOut}`);
    return pool.address;
  }
}
