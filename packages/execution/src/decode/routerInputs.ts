import type { Address } from "@millrace/core";
import type { SwapIntent } from "../SwapIntent.ts";
import { must } from "./Mismatch.ts";
import type { WordReader } from "./WordReader.ts";

const WORD_BYTES = 32;

/** A swap command as it is written. */
export interface RouterSwap {
  readonly kind: SwapIntent["kind"];
  readonly family: "v2" | "v3";
  readonly recipient: Address;
  /** exactIn: what goes in; exactOut: what comes out. */
  readonly amount: bigint;
  /** exactIn: the least out; exactOut: the most in. */
  readonly limit: bigint;
  readonly payerIsUser: boolean;
  /** In the order of the trade. */
  readonly hops: ReadonlyArray<RouterHop>;
}

export interface RouterHop {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly feePips: number;
}

type PathReader = (input: WordReader) => Pick<RouterSwap, "family" | "hops">;

export function readSwap(
  input: WordReader,
  readPath: PathReader,
  kind: SwapIntent["kind"],
): RouterSwap {
  const recipient = input.address("swap, to");
  const amount = input.uint();
  const limit = input.uint();
  input.offset(5 * WORD_BYTES);
  const payerIsUser = input.boolean("swap, payer");
  return { kind, recipient, amount, limit, payerIsUser, ...readPath(input) };
}

/** What its library reckons with, whatever the pair does. */
const V2_FEE_PIPS = 3000;

export function readV2Path(input: WordReader): Pick<RouterSwap, "family" | "hops"> {
  const count = input.number("tokens of a path");
  must(count >= 2 && count * WORD_BYTES === input.bytesLeft, `a path of ${count} tokens`);
  const hops: RouterHop[] = [];
  let tokenIn = input.address("a path");
  for (let place = 1; place < count; place++) {
    const tokenOut = input.address("a path");
    hops.push({ tokenIn, tokenOut, feePips: V2_FEE_PIPS });
    tokenIn = tokenOut;
  }
  return { family: "v2", hops };
}

const TOKEN_DIGITS = 40;
const FEE_DIGITS = 6;
const HOP_DIGITS = TOKEN_DIGITS + FEE_DIGITS;

export function readV3Path(input: WordReader): Pick<RouterSwap, "family" | "hops"> {
  const path = input.bytes("a path");
  const count = (path.length - TOKEN_DIGITS) / HOP_DIGITS;
  must(count >= 1 && Number.isInteger(count), `a path of ${path.length / 2} bytes`);
  const hops: RouterHop[] = [];
  for (let at = 0; at + HOP_DIGITS < path.length; at += HOP_DIGITS) {
    const next = at + HOP_DIGITS;
    hops.push({
      tokenIn: `0x${path.slice(at, at + TOKEN_DIGITS)}`,
      tokenOut: `0x${path.slice(next, next + TOKEN_DIGITS)}`,
      feePips: Number.parseInt(path.slice(at + TOKEN_DIGITS, next), 16),
    });
  }
  return { family: "v3", hops };
}

/** Exact output is written from the last token back. */
export function readV3PathReversed(input: WordReader): Pick<RouterSwap, "family" | "hops"> {
  const { family, hops } = readV3Path(input);
  const turned = hops.map(({ tokenIn, tokenOut, feePips }) => ({
    tokenIn: tokenOut,
    tokenOut: tokenIn,
    feePips,
  }));
  return { family, hops: turned.reverse() };
}

export interface RouterPermit {
  readonly token: Address;
  readonly amount: bigint;
  readonly expiration: bigint;
  readonly nonce: bigint;
  readonly spender: Address;
  readonly deadline: bigint;
  /** Digits. */
  readonly signature: string;
}

export function readPermit(input: WordReader): RouterPermit {
  const token = input.address("permit token");
  const amount = input.uint();
  const expiration = input.uint();
  const nonce = input.uint();
  const spender = input.address("permit spender");
  const deadline = input.uint();
  input.offset(7 * WORD_BYTES);
  const signature = input.bytes("permit signature");
  return { token, amount, expiration, nonce, spender, deadline, signature };
}
