import type { Address } from "@millrace/core";
import { Clock, Effect, Schedule } from "effect";
import { readSupplies } from "../reading/readTokens.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import { type Following, noteDefect } from "./Following.ts";

/** How soon new tokens are asked, and after how long each is asked again. */
const TURNS_MS = 5_000;
const ASKED_AGAIN_MS = 600_000;
/** Tokens of one turn. */
const TOKENS_MAX = 1_000;

/**
 * Publishes how much there is of the loaded tokens, for ever. No log says so reliably, and nothing
 * but the market's statistics depends on it: it is read now and then.
 */
export const readTotalSupplies = Effect.fnUntraced(function* (following: Following) {
  // Value: Unix time in ms at which the token was asked last; who was asked longest ago comes
  // first.
  const asked = new Map<Address, number>();
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
  const { head } = mirror;
  if (head === undefined || condition.obstacle !== undefined) return;
  const nowMs = yield* Clock.currentTimeMillis;
  const tokens = new Set<Address>();
  for (const { listing } of mirror.pools.values()) {
    if (tokens.size >= TOKENS_MAX) break;
    for (const token of listing.tokens) if (!asked.has(token)) tokens.add(token);
  }
  for (const [token, askedMs] of asked) {
    if (tokens.size >= TOKENS_MAX || nowMs - askedMs < ASKED_AGAIN_MS) break;
    tokens.add(token);
  }
  const wanted = [...tokens];
  if (wanted.length === 0) return;
  const supplies = yield* readSupplies(reading.readerAt(head.hash), wanted);
  for (const token of wanted) {
    asked.delete(token);
    asked.set(token, nowMs);
  }
  // What a token does not say any more is not known any more.
  emit(mirror.supply(wanted.map((token, index) => ({ token, totalSupply: supplies[index] }))));
});
