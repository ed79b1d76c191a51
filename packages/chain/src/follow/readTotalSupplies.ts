import type { Address } from "@millrace/core";
import { Clock, Effect, Schedule } from "effect";
import { readSupplies } from "../reading/readTokens.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import { type Following, noteDefect } from "./Following.ts";

/** Time between turns, in which new tokens are asked, and time until a token is asked again. */
const TURNS_MS = 5_000;
const ASKED_AGAIN_MS = 600_000;
/** Tokens of one turn. */
const TOKENS_MAX = 1_000;
/** Pools or tokens in one turn of the event loop: half a millisecond, among a hundred thousand. */
const LOOKED_AT_ONCE = 1_000;

/**
 * Publishes total supplies of tokens of loaded pools, for ever. No log tells them reliably, and
 * only the market's statistics depend on them, so they are read now and then.
 */
export const readTotalSupplies = Effect.fnUntraced(function* (following: Following) {
  // Value: Unix time in ms of the last reading of the token; longest ago first.
  const asked = new Map<Address, number>();
  const forgetGone = Effect.gen(function* () {
    const listed = new Set<Address>();
    let count = 0;
    for (const { listing } of following.mirror.pools.values()) {
      if (++count % LOOKED_AT_ONCE === 0) yield* Effect.yieldNow;
      for (const token of listing.tokens) listed.add(token);
    }
    for (const token of asked.keys()) {
      if (++count % LOOKED_AT_ONCE === 0) yield* Effect.yieldNow;
      if (!listed.has(token)) asked.delete(token);
    }
  });
  yield* Effect.forkChild(Effect.repeat(forgetGone, Schedule.spaced(ASKED_AGAIN_MS)));
  return yield* tellSupplies(following, asked).pipe(
    Effect.ignore,
    Effect.catchDefect(noteDefect(following.condition, "asking for supplies")),
    Effect.repeat(Schedule.spaced(TURNS_MS)),
  );
});

const tellSupplies = Effect.fnUntraced(function* (
  { mirror, reading, condition, emit }: Following,
  asked: Map<Address, number>,
): Effect.fn.Return<void, RpcError> {
  if (mirror.head === undefined || condition.obstacle !== undefined) return;
  const nowMs = yield* Clock.currentTimeMillis;
  const tokens = new Set<Address>();
  let count = 0;
  for (const { listing } of mirror.pools.values()) {
    if (tokens.size >= TOKENS_MAX) break;
    if (++count % LOOKED_AT_ONCE === 0) yield* Effect.yieldNow;
    for (const token of listing.tokens) if (!asked.has(token)) tokens.add(token);
  }
  for (const [token, askedMs] of asked) {
    if (tokens.size >= TOKENS_MAX || nowMs - askedMs < ASKED_AGAIN_MS) break;
    tokens.add(token);
  }
  const wanted = [...tokens];
  if (wanted.length === 0) return;
  const supplies = yield* readSupplies(reading.readerAt(mirror.head.hash), wanted);
  for (const token of wanted) {
    asked.delete(token);
    asked.set(token, nowMs);
  }
  // A supply that a token no longer tells becomes unknown.
  emit(mirror.supply(wanted.map((token, index) => ({ token, totalSupply: supplies[index] }))));
});
