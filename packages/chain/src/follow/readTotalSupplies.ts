import type { Address } from "@millrace/core";
import { Effect, Schedule } from "effect";
import { readSupplies } from "../reading/readTokens.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { Following } from "./Following.ts";
import { noteDefect } from "./noteDefect.ts";

/** How soon new tokens are asked, and how often all are asked again. */
const NEW_TOKENS_MS = 5_000;
const ROUNDS_MS = 600_000;
/** Tokens of one turn. */
const TOKENS_MAX = 1_000;

/**
 * Tells how much there is of the loaded tokens, for ever. No log says so reliably, and nothing but
 * the market's statistics depends on it: it is read now and then.
 */
export const readTotalSupplies = Effect.fnUntraced(function* (following: Following) {
  const told = new Set<Address>();
  const round = tellSupplies(following, told).pipe(
    Effect.ignore,
    Effect.catchDefect(noteDefect(following.condition, "asking for supplies")),
    Effect.repeat(Schedule.spaced(NEW_TOKENS_MS)),
    Effect.timeoutOption(ROUNDS_MS),
    Effect.andThen(Effect.sync(() => told.clear())),
  );
  return yield* Effect.forever(round);
});

const tellSupplies = Effect.fnUntraced(function* (
  { mirror, reading, condition, emit }: Following,
  told: Set<Address>,
): Effect.fn.Return<void, RpcError> {
  const { head } = mirror;
  if (head === undefined || condition.obstacle !== undefined) return;
  const tokens = new Set<Address>();
  for (const { listing } of mirror.pools.values()) {
    for (const token of listing.tokens) if (!told.has(token)) tokens.add(token);
    if (tokens.size >= TOKENS_MAX) break;
  }
  const wanted = [...tokens];
  if (wanted.length === 0) return;
  const supplies = yield* readSupplies(reading.readerAt(head.hash), wanted);
  for (const token of wanted) told.add(token);
  emit(
    mirror.supply(
      wanted.flatMap((token, place) => {
        const totalSupply = supplies[place];
        return totalSupply === undefined ? [] : [{ token, totalSupply }];
      }),
    ),
  );
});
