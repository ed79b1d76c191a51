import type { Address } from "@millrace/core";
import type { SwapOrder } from "@millrace/execution";
import { poolOf } from "../model/swapBuilder.ts";
import {
  addressOf,
  EXECUTOR,
  NATIVE_PLACEHOLDER,
  NOW_SECONDS,
  PARTNER,
  PERMIT2,
  SENDER,
  STRANGER,
  TOKENS,
  UNIVERSAL,
  WRAPPED,
} from "../model/swapMarket.ts";
import { address, ONE, one, upper, wrap } from "./swapAttackOrders.ts";
import type { Attack } from "./swapOutcomes.ts";

// Hand-made attacks on who is paid, which share, and until when. Each names the refusal that it
// must meet, or that the transaction is still ours in every field.

/** Nobody can spend what arrives there. */
const SINKS: Readonly<Record<string, Address>> = {
  "the zero address": addressOf(0).replace(/./g, (_, at) => (at === 1 ? "x" : "0")) as Address,
  "the shorthand of the sender": address(`0x${"1".padStart(40, "0")}`),
  "the shorthand of the router": address(`0x${"2".padStart(40, "0")}`),
  "a precompiled contract": address(`0x${"9".padStart(40, "0")}`),
  "another precompiled contract": address(`0x${"100".padStart(40, "0")}`),
  "the name of the native token": NATIVE_PLACEHOLDER,
  "the name of the native token in capitals": upper(NATIVE_PLACEHOLDER),
  "the pool of the order": poolOf(ONE[0]![0]!),
  "the pool of the order in capitals": upper(poolOf(ONE[0]![0]!)),
  "another pool": poolOf(["OTHER_FIRST", 3, 4]),
  "the token that goes in": TOKENS[1]!,
  "the token that comes out": TOKENS[2]!,
  "another token": TOKENS[5]!,
  "another token in capitals": upper(TOKENS[5]!),
  "the wrapped native token": WRAPPED,
  "the executor": EXECUTOR,
  "the executor in capitals": upper(EXECUTOR),
  "the Universal Router": UNIVERSAL,
  Permit2: PERMIT2,
  "Permit2 in capitals": upper(PERMIT2),
  "no hex": address(`0x${"g".repeat(40)}`),
  "too short a text": address("0x12"),
  "too long a text": address(`${STRANGER}00`),
  "an empty text": address(""),
  "a line end": address(`${STRANGER}\n`),
  "a look-alike x": address(STRANGER.replace("x", "х")),
  "a prototype": address("__proto__"),
};

const sinks = Object.entries(SINKS).flatMap(([name, sink]): Attack[] => [
  [`recipient: ${name}`, { ...one, recipient: sink }, "INVALID_REQUEST", "recipient"],
  [
    `partner: ${name}`,
    { ...one, fee: { recipient: sink, bps: 30 } },
    "INVALID_REQUEST",
    "partnerFees.recipient",
  ],
]);

export const parties: ReadonlyArray<Attack> = [
  ...sinks,
  ["sender: zero", { ...one, sender: SINKS["the zero address"]! }, "INVALID_REQUEST", "publicKey"],
  [
    "sender: a shorthand",
    { ...one, sender: SINKS["the shorthand of the router"]! },
    "INVALID_REQUEST",
    "publicKey",
  ],
  ["sender: a pool", { ...one, sender: SINKS["another pool"]! }, "INVALID_REQUEST", "publicKey"],
  ["sender: a token", { ...one, sender: TOKENS[1]! }, "INVALID_REQUEST", "publicKey"],
  ["sender: the executor", { ...one, sender: EXECUTOR }, "INVALID_REQUEST", "publicKey"],
  ["sender: no address", { ...one, sender: address("0x") }, "INVALID_REQUEST", "publicKey"],
  ["recipient: somebody else", { ...one, recipient: STRANGER }, "ours"],
  ["recipient: somebody else in capitals", { ...one, recipient: upper(STRANGER) }, "ours"],
  ["recipient: the partner", { ...one, recipient: PARTNER }, "ours"],
  ["partner: the sender", { ...one, fee: { recipient: SENDER, bps: 30 } }, "ours"],
  ["a wrapping for somebody else", { ...wrap, recipient: STRANGER }, "NO_ROUTER"],
  [
    "a wrapping for a pool",
    { ...wrap, recipient: SINKS["another pool"]! },
    "INVALID_REQUEST",
    "recipient",
  ],
];

const fee = (bps: number): SwapOrder => ({ ...one, fee: { recipient: PARTNER, bps } });
const until = (deadline: number): SwapOrder => ({ ...one, deadline });
const slip = (slippagePpm: number): SwapOrder => ({ ...one, slippagePpm });

export const numbers: ReadonlyArray<Attack> = [
  ["fee: the cap", fee(1_000), "ours"],
  ["fee: nothing", fee(0), "ours"],
  ["fee: nothing, negative", fee(-0), "ours"],
  ["fee: nothing, to a pool", { ...one, fee: { recipient: poolOf(ONE[0]![0]!), bps: 0 } }, "ours"],
  ...[1_001, 10_000, 10_001, 2 ** 32, 2 ** 53, -1, -1_000, 0.5, 999.999, Number.NaN].map(
    (bps): Attack => [`fee: ${bps}`, fee(bps), "INVALID_REQUEST", "partnerFees.fee"],
  ),
  ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(
    (bps): Attack => [`fee: ${bps}`, fee(bps), "INVALID_REQUEST", "partnerFees.fee"],
  ),
  ["fee of a wrapping", { ...wrap, fee: { recipient: PARTNER, bps: 30 } }, "NO_ROUTER"],
  ["slippage: none", slip(0), "ours"],
  ["slippage: a millionth", slip(1), "ours"],
  ["slippage: half", slip(500_000), "ours"],
  ...[500_001, 1_000_000, 1_000_001, 2 ** 53, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY].map(
    (ppm): Attack => [`slippage: ${ppm} ppm`, slip(ppm), "INVALID_REQUEST", "slippage"],
  ),
  ["deadline: now", until(NOW_SECONDS), "ours"],
  ["deadline: in an hour", until(NOW_SECONDS + 3_600), "ours"],
  ...[
    NOW_SECONDS - 1,
    NOW_SECONDS + 3_601,
    NOW_SECONDS * 1_000,
    0,
    -1,
    NOW_SECONDS + 0.5,
    2 ** 53,
    2 ** 64,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ].map((at): Attack => [`deadline: ${at}`, until(at), "INVALID_REQUEST", "deadline"]),
];
