import type { Address } from "@millrace/core";
import type { Permit } from "../Permit.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { RouterTable } from "../SwapRouter.ts";
import { Mismatch, must, same } from "./Mismatch.ts";
import { UniversalRouterRun } from "./UniversalRouterRun.ts";
import type { WordReader } from "./WordReader.ts";

const EXECUTE = "0x3593564c"; // execute(bytes,bytes[],uint256)
const WORD_BYTES = 32;

/**
 * A call of the Universal Router 2.0: its commands, of which only those are read that a swap is made
 * of, each run on a model of the router that knows what it holds and what is left to do.
 */
export function checkUniversalRouterCall(
  router: NonNullable<RouterTable["universalRouter"]>,
  intent: SwapIntent,
  permit: Permit | undefined,
  selector: string,
  words: WordReader,
): void {
  same("selector", selector, EXECUTE);
  words.offset(3 * WORD_BYTES);
  const inputsOffset = words.number("an offset");
  same("deadline", words.number("deadline"), intent.deadline);
  const commands = words.bytes("commands");
  const count = commands.length / 2;
  same("an offset", inputsOffset, (4 + Math.ceil(count / WORD_BYTES)) * WORD_BYTES);
  same("number of inputs", words.number("number of inputs"), count);
  const offsets: number[] = [];
  for (let place = 0; place < count; place++) offsets.push(words.number("an offset"));
  const run = new UniversalRouterRun(router, intent, permit);
  let offset = count * WORD_BYTES;
  for (let place = 0; place < count; place++) {
    same(`offset of input ${place}`, offsets[place]!, offset);
    const input = words.part(`input ${place}`);
    offset += WORD_BYTES + input.bytesLeft;
    runCommand(run, commands.slice(2 * place, 2 * place + 2), input);
    input.end();
  }
  words.end();
  run.end();
}

/** By the whole byte: its upper bits would let a command fail, or mean nothing. */
function runCommand(run: UniversalRouterRun, command: string, input: WordReader): void {
  switch (command) {
    case "00":
      return run.swap(readSwap(input, readV3Path, "exactIn"));
    case "01":
      return run.swap(readSwap(input, readV3PathReversed, "exactOut"));
    case "08":
      return run.swap(readSwap(input, readV2Path, "exactIn"));
    case "09":
      return run.swap(readSwap(input, readV2Path, "exactOut"));
    case "04":
      return run.sweep(input.address("sweep, token"), input.address("sweep, to"), input.uint());
    case "06":
      return run.payPortion(input.address("fee, token"), input.address("fee, to"), input.uint());
    case "0a":
      return run.permit(readPermit(input));
    case "0b":
      return run.wrap(input.address("wrap, to"), input.uint());
    case "0c":
      return run.unwrap(input.address("unwrap, to"), input.uint());
    default:
      throw new Mismatch(`command 0x${command} is no part of a swap`);
  }
}

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

function readSwap(input: WordReader, readPath: PathReader, kind: SwapIntent["kind"]): RouterSwap {
  const recipient = input.address("swap, to");
  const amount = input.uint();
  const limit = input.uint();
  input.offset(5 * WORD_BYTES);
  const payerIsUser = input.boolean("swap, payer");
  return { kind, recipient, amount, limit, payerIsUser, ...readPath(input) };
}

/** What its library reckons with, whatever the pair does. */
const V2_FEE_PIPS = 3000;

function readV2Path(input: WordReader): Pick<RouterSwap, "family" | "hops"> {
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

function readV3Path(input: WordReader): Pick<RouterSwap, "family" | "hops"> {
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
function readV3PathReversed(input: WordReader): Pick<RouterSwap, "family" | "hops"> {
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

function readPermit(input: WordReader): RouterPermit {
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
