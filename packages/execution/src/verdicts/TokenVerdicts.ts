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
  /** Tokens that stay excluded whatever a trial says; none where nothing is said. Lower case. */
  readonly excludedTokens?: ReadonlySet<Address>;
  /** Verdicts that others have found: they stand as if they were new. None without it. */
  readonly known?: Iterable<TokenVerdict>;
  /** How long a verdict stands. */
  readonly retestMs: number;
  /** Called when anything but the block is another in what is known of a token. */
  readonly onChange?: (verdict: TokenVerdict) => void;
}

/**
 * Verdicts on the tokens of a market, found in the background: new tokens first, then the oldest
 * verdict again. Excludes what bites from the middle of routes (`Engine.excludeFromTransit`).
 *
 * A trial shows what a token does to a small trade of a stranger now. A tax that begins with some
 * size, hour or address, or that is switched on later, shows when it does, or never.
 */
export interface TokenVerdicts {
  /** Undefined for plain tokens by configuration, and for those whose turn has not come. */
  readonly of: (token: Address) => TokenVerdict | undefined;
  readonly all: () => Iterable<TokenVerdict>;
  /** Grows whenever anything but the block is another in what is known of a token. */
  readonly version: () => number;
  /** Tests for ever; never fails. */
  readonly run: Effect.Effect<never>;
}

interface Entry {
  readonly verdict: TokenVerdict;
  readonly dueAtMs: number;
}

/** Of one round; rounds are so far apart: a market of any size costs a node no more than that. */
const ROUND_TOKENS = 16;
const CALLS_AT_ONCE = 4;
const ROUND_PAUSE_MS = 1_000;
/** After rounds in which no trial succeeded, twice as long each time, up to this. */
const ROUND_PAUSE_MAX_MS = 60_000;
const PATIENCE_MS = 20_000;
/** A trial that is to confirm another comes so much later. */
const CONFIRMED_AFTER_MS = 250;
/** What could not be tested is tried again after that, if verdicts stand longer. */
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
      // What a stranger's token or node brings about here is no reason to test no more.
      Effect.catchDefect((defect) => Effect.fail({ detail: `it cannot be tried: ${defect}` })),
      Effect.result,
    );
    const first = yield* trial;
    // A verdict stands long, and a node that is making a block may answer of a part of it.
    const isDoubtful = Result.isSuccess(first) && isBiting(first.success) && !isBiting(before);
    const answer = isDoubtful ? yield* Effect.delay(trial, CONFIRMED_AFTER_MS) : first;
    const now = yield* Clock.currentTimeMillis;
    const found = Result.isSuccess(answer) ? answer.success : untested(token, answer.failure);
    const isTested = found.kind !== "untested";
    // What cannot be tried now has not changed for the better.
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

  /** Tokens that are new; then those that are due, the longest untested first. */
  function nextTokens(nowMs: number): ReadonlyArray<Address> {
    const tokens: Address[] = [];
    for (; seenCount < graph.tokenCount && tokens.length < ROUND_TOKENS; seenCount++) {
      const token = graph.tokenAddress(seenCount as TokenIndex);
      const isPlain = plainTokens.has(token) || token === table.wrappedNative;
      if (!isPlain && !entries.has(token)) tokens.push(token);
    }
    // In the order of their last test.
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
    run: Effect.forever(round),
  };
}

const saysTheSame = (one: TokenVerdict, other: TokenVerdict): boolean =>
  one.kind === other.kind &&
  one.buyTaxBps === other.buyTaxBps &&
  one.sellTaxBps === other.sellTaxBps &&
  // Why a token could not be tried is nothing about the token.
  (one.kind === "untested" || one.detail === other.detail);

const isBiting = (verdict: TokenVerdict | undefined): boolean =>
  verdict !== undefined && verdict.kind !== "plain" && verdict.kind !== "untested";

const randomAddress = (): Address => `0x${randomBytes(20).toString("hex")}`;

const detailOf = (failure: unknown): string =>
  (failure as { readonly detail?: string }).detail ?? `no answer in ${PATIENCE_MS} ms`;
