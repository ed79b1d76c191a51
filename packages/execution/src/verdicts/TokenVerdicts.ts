import { randomBytes } from "node:crypto";
import type { Address, Engine, TokenIndex } from "@millrace/core";
import { Clock, Effect, Result } from "effect";
import type { ChainAccess } from "../ChainAccess.ts";
import type { RouterTable } from "../SwapRouter.ts";
import type { TrialMarket } from "./planTrial.ts";
import type { TokenVerdict } from "./TokenVerdict.ts";
import { tryToken } from "./tryToken.ts";

export interface VerdictOptions {
  readonly engine: Engine["Service"];
  readonly table: RouterTable;
  readonly chain: ChainAccess;
  /** Tokens that need no test: known to be plain. Lower case. */
  readonly plainTokens: ReadonlySet<Address>;
  /** Tokens that stay excluded whatever a trial finds; by default none. Lower case. */
  readonly excludedTokens?: ReadonlySet<Address>;
  /** Verdicts that others have found; they count as new. By default none. */
  readonly known?: Iterable<TokenVerdict>;
  /** How long a verdict is valid. */
  readonly retestMs: number;
  /** Called when a token's verdict changes in anything but its block. */
  readonly onChange?: (verdict: TokenVerdict) => void;
}

/**
 * Verdicts on the tokens of a market, found in the background: new tokens first, then the oldest
 * verdict again. Excludes taxed, unsellable and unbuyable tokens from the middle of routes
 * (`Engine.excludeFromTransit`).
 *
 * A trial shows what a token does now to a small trade by an unknown address. A tax that depends on
 * size, hour or address, or is switched on later, shows in a later trial or never.
 */
export interface TokenVerdicts {
  /** Undefined for tokens that are plain by configuration, and for those not tested yet. */
  readonly of: (token: Address) => TokenVerdict | undefined;
  readonly all: () => Iterable<TokenVerdict>;
  /** Grows whenever a token's verdict changes in anything but its block. */
  readonly version: () => number;
  /** Tests for ever; never fails. */
  readonly run: Effect.Effect<never>;
}

interface Entry {
  readonly verdict: TokenVerdict;
  readonly dueAtMs: number;
}

/**
 * A round's tokens, its parallel trials, and the pause after it: these bound the load on a node,
 * however large the market is.
 */
const ROUND_TOKENS = 16;
const CALLS_AT_ONCE = 4;
const ROUND_PAUSE_MS = 1_000;
/** After rounds in which no trial succeeded, the pause doubles each time, up to this. */
const ROUND_PAUSE_MAX_MS = 60_000;
const PATIENCE_MS = 20_000;
/** The wait before a trial that confirms another. */
const CONFIRMED_AFTER_MS = 250;
/** An untested token is tried again after this, or after `retestMs` if that is shorter. */
const UNTESTED_AGAIN_MS = 60_000;

export function makeTokenVerdicts(options: VerdictOptions): TokenVerdicts {
  const { engine, table, chain, plainTokens, excludedTokens = [], retestMs, onChange } = options;
  const { graph } = engine;
  const entries = new Map<Address, Entry>();
  for (const verdict of options.known ?? []) {
    entries.set(verdict.token, { verdict, dueAtMs: Date.now() + retestMs });
  }
  let version = 0;
  const market: TrialMarket = {
    engine,
    wrappedNative: table.wrappedNative,
    isPlain: (token) =>
      token === table.wrappedNative ||
      plainTokens.has(token) ||
      entries.get(token)?.verdict.kind === "plain",
  };
  // No token can know the addresses beforehand.
  const places = { probe: randomAddress(), executor: table.executor ?? randomAddress() };

  const test = Effect.fnUntraced(function* (token: Address) {
    const before = entries.get(token)?.verdict;
    const trial = tryToken(market, chain, places, token).pipe(
      Effect.timeout(PATIENCE_MS),
      // A defect that an untrusted token or node causes must not end the testing.
      Effect.catchDefect((defect) => Effect.fail({ detail: `it cannot be tried: ${defect}` })),
      Effect.result,
    );
    const first = yield* trial;
    // A verdict is valid for long, and a node that is building a block may answer from part of it.
    const isDoubtful = Result.isSuccess(first) && isBiting(first.success) && !isBiting(before);
    const answer = isDoubtful ? yield* Effect.delay(trial, CONFIRMED_AFTER_MS) : first;
    const now = yield* Clock.currentTimeMillis;
    const found = Result.isSuccess(answer) ? answer.success : untested(token, answer.failure);
    const isTested = found.kind !== "untested";
    // A token that cannot be tried now keeps its earlier verdict.
    const verdict = isTested || before === undefined || before.kind === "untested" ? found : before;
    const waitMs = isTested ? retestMs : Math.min(retestMs, UNTESTED_AGAIN_MS);
    entries.delete(token);
    entries.set(token, { verdict, dueAtMs: now + waitMs });
    if (before === undefined || !saysTheSame(before, verdict)) {
      version++;
      onChange?.(verdict);
    }
    return {
      isTested,
      isFailed: Result.isFailure(answer),
      isTurned: isBiting(before) !== isBiting(verdict),
    };
  });

  const untested = (token: Address, failure: unknown): TokenVerdict => ({
    ...{ token, kind: "untested", buyTaxBps: 0, sellTaxBps: 0 },
    ...{ blockNumber: graph.stamp.number, detail: detailOf(failure) },
  });

  /** Tokens keep their indexes, and are never removed. */
  let seenCount = 0;
  let silentRounds = 0;
  const round = Effect.gen(function* () {
    const tokens = nextTokens(yield* Clock.currentTimeMillis);
    const results = yield* Effect.forEach(tokens, test, { concurrency: CALLS_AT_ONCE });
    if (results.some(({ isTurned }) => isTurned)) engine.excludeFromTransit(bitingTokens());
    if (results.some(({ isTested }) => isTested)) silentRounds = 0;
    else if (results.some(({ isFailed }) => isFailed)) silentRounds++;
    const pauseMs = Math.min(ROUND_PAUSE_MS * 2 ** Math.min(silentRounds, 16), ROUND_PAUSE_MAX_MS);
    yield* Effect.sleep(pauseMs);
  });

  /** New tokens; then those that are due, by their last test, the earliest first. */
  function nextTokens(nowMs: number): ReadonlyArray<Address> {
    const tokens: Address[] = [];
    for (; seenCount < graph.tokenCount && tokens.length < ROUND_TOKENS; seenCount++) {
      const token = graph.tokenAddress(seenCount as TokenIndex);
      const isPlain = plainTokens.has(token) || token === table.wrappedNative;
      if (!isPlain && !entries.has(token)) tokens.push(token);
    }
    // `entries` is in the order of the last tests.
    for (const [token, { dueAtMs }] of entries) {
      if (tokens.length >= ROUND_TOKENS) break;
      if (dueAtMs <= nowMs) tokens.push(token);
    }
    return tokens;
  }

  const bitingTokens = (): ReadonlySet<Address> =>
    new Set([
      ...excludedTokens,
      ...[...entries].flatMap(([token, { verdict }]) => (isBiting(verdict) ? [token] : [])),
    ]);

  return {
    of: (token) => entries.get(token)?.verdict,
    all: () => Array.from(entries.values(), ({ verdict }) => verdict),
    version: () => version,
    run: Effect.suspend(() => {
      // Those that others found, and may not have excluded yet.
      engine.excludeFromTransit(bitingTokens());
      return Effect.forever(round);
    }),
  };
}

const saysTheSame = (one: TokenVerdict, other: TokenVerdict): boolean =>
  one.kind === other.kind &&
  one.buyTaxBps === other.buyTaxBps &&
  one.sellTaxBps === other.sellTaxBps &&
  // The reason why a token could not be tried says nothing about the token.
  (one.kind === "untested" || one.detail === other.detail);

const isBiting = (verdict: TokenVerdict | undefined): boolean =>
  verdict !== undefined && verdict.kind !== "plain" && verdict.kind !== "untested";

const randomAddress = (): Address => `0x${randomBytes(20).toString("hex")}`;

const detailOf = (failure: unknown): string =>
  (failure as { readonly detail?: string }).detail ?? `no answer in ${PATIENCE_MS} ms`;
