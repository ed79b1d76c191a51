import { assert, describe, it } from "@effect/vitest";
import { type Address, Engine, type TokenIndex } from "@millrace/core";
import {
  type ChainAccess,
  ChainAccessError,
  makeTokenVerdicts,
  type TokenVerdict,
} from "@millrace/execution";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { RandomSource } from "@millrace/testing";
import { Effect, Stream } from "effect";
import { TestClock } from "effect/testing";
import { encodeAbiParameters, numberToHex, parseAbiParameters } from "viem";

// Verdicts by nodes with arbitrary answers, in virtual time.

const BLOCK = generateMarketBlock({ seed: 51, poolCount: 600 });
const RETEST_MS = 3_600_000;
/** The tokens of a round, and the time between rounds. */
const ROUND_TOKENS = 16;
/** The pause, and four times the wait for trials that confirm others. */
const ROUND_MS = 2_000;

const marketLayer = Engine.layer({
  source: { chainId: 1, blocks: Stream.make(BLOCK).pipe(Stream.concat(Stream.never)) },
  curves,
});

/** The token with the most pools stands for the native one. */
function hub({ graph }: Engine["Service"]): Address {
  const degree = (token: number) => graph.slotEnd[token]! - graph.slotStart[token]!;
  const tokens = Array.from({ length: graph.tokenCount }, (_, token) => token as TokenIndex);
  return graph.tokenAddress(tokens.sort((a, b) => degree(b) - degree(a))[0]!);
}

/** Verdicts on the generated market by a node, and the requests to it. */
const judgedBy = Effect.fnUntraced(function* (
  chain: ChainAccess,
  known: ReadonlyArray<TokenVerdict> = [],
) {
  const engine = yield* Engine;
  const asked: Array<{ readonly method: string; readonly token: Address }> = [];
  let openCalls = 0;
  let openCallsMax = 0;
  const verdicts = makeTokenVerdicts({
    engine,
    chain: (method, params) =>
      Effect.suspend(() => {
        const [call] = params as readonly [{ readonly data?: string }];
        asked.push({ method, token: `0x${call.data?.slice(98, 138)}` });
        openCallsMax = Math.max(openCallsMax, ++openCalls);
        return chain(method, params);
      }).pipe(Effect.ensuring(Effect.sync(() => openCalls--))),
    table: { chainId: 1, wrappedNative: hub(engine) },
    plainTokens: new Set(),
    known,
    retestMs: RETEST_MS,
  });
  yield* Effect.forkScoped(verdicts.run);
  return { engine, verdicts, asked, callsAtOnce: () => openCallsMax };
});

const UNANSWERED = new ChainAccessError({ reason: "Unavailable", detail: "no answer" });

const kinds = (verdicts: Iterable<{ readonly kind: string }>) => [
  ...new Set(Array.from(verdicts, ({ kind }) => kind)),
];

const answering =
  (answer: unknown): ChainAccess =>
  () =>
    Effect.succeed(answer);

/** The answer of a probe. */
const answerOf = (numbers: Partial<Record<(typeof FIELDS)[number], bigint>>) => {
  const of = (field: (typeof FIELDS)[number]) => numbers[field] ?? 0n;
  return encodeAbiParameters(
    parseAbiParameters("(uint256,uint256,uint256,bytes,uint256,bytes,uint256,uint256,uint256)"),
    [
      [
        ...([of("held"), of("paidOut"), of("bought"), "0x"] as const),
        ...([of("sale"), "0x", of("sent"), of("arrived"), of("output")] as const),
      ],
    ],
  );
};
const FIELDS = ["held", "paidOut", "bought", "sale", "sent", "arrived", "output"] as const;

describe("verdicts", () => {
  it.effect(
    "ask a node for a bounded number of trials, four at once, whatever the market's size",
    () =>
      Effect.gen(function* () {
        const court = yield* judgedBy(() => Effect.as(Effect.sleep(200), "0x"));
        yield* TestClock.adjust("30 seconds");
        // A round takes 0.8 s here, plus its pause, which grows while the node is silent.
        assert.isAtMost(court.asked.length, 5 * ROUND_TOKENS);
        assert.isAtLeast(court.asked.length, ROUND_TOKENS);
        assert.strictEqual(court.callsAtOnce(), 4);
        yield* TestClock.adjust("1 hour");
        assert.isAtMost(court.asked.length, 75 * ROUND_TOKENS);
      }).pipe(Effect.scoped, Effect.provide(marketLayer)),
  );

  it.effect("come to all tokens, new ones first, where a node answers", () =>
    Effect.gen(function* () {
      const court = yield* judgedBy((method) =>
        Effect.succeed(method === "eth_call" ? answerOf({}) : { hash: BLOCK.stamp.hash }),
      );
      const { tokenCount } = court.engine.graph;
      yield* TestClock.adjust(ROUND_MS * (Math.ceil(tokenCount / ROUND_TOKENS) + 1));
      assert.strictEqual([...court.verdicts.all()].length, tokenCount - 1);
      assert.includeMembers(["unbuyable", "untested"], kinds(court.verdicts.all()));
      const trials = court.asked.filter(({ method }) => method === "eth_call");
      const again = trials.length - new Set(trials.map(({ token }) => token)).size;
      const biting = [...court.verdicts.all()].filter(({ kind }) => kind !== "untested");
      assert.strictEqual(again, biting.length);
    }).pipe(Effect.scoped, Effect.provide(marketLayer)),
  );

  it.effect("condemn no token for one answer that the next does not confirm", () =>
    Effect.gen(function* () {
      const isAsked = new Set<unknown>();
      const court = yield* judgedBy((method, params) => {
        if (method !== "eth_call") return Effect.succeed({ hash: BLOCK.stamp.hash });
        const { data } = params[0] as { readonly data: string };
        const token = data.slice(98, 138);
        if (isAsked.has(token)) return Effect.fail(UNANSWERED);
        isAsked.add(token);
        return Effect.succeed(answerOf({}));
      });
      const before = court.engine.graph.exclusionsVersion;
      yield* TestClock.adjust("10 minutes");
      assert.isAbove(isAsked.size, ROUND_TOKENS);
      assert.deepStrictEqual(kinds(court.verdicts.all()), ["untested"]);
      assert.strictEqual(court.engine.graph.exclusionsVersion, before);
    }).pipe(Effect.scoped, Effect.provide(marketLayer)),
  );

  it.effect("that others found and did not yet act on exclude a token before any trial", () =>
    Effect.gen(function* () {
      const { graph } = yield* Engine;
      const token = 3 as TokenIndex;
      assert.strictEqual(graph.tokenIsExcluded[token], 0);
      const court = yield* judgedBy(
        () => Effect.never,
        [
          {
            ...{ token: graph.tokenAddress(token), kind: "taxed", blockNumber: 1 },
            ...{ buyTaxBps: 100, sellTaxBps: 100 },
          },
        ],
      );
      yield* TestClock.adjust(0);
      assert.strictEqual(court.engine.graph.tokenIsExcluded[token], 1);
    }).pipe(Effect.scoped, Effect.provide(marketLayer)),
  );

  const nonsense: ReadonlyArray<unknown> = [
    ...[undefined, null, 7, {}, [], "", "0x", "0x0", "0xzz", `0x${"00".repeat(32)}`],
    `0x${"ff".repeat(32 * 12)}`,
    `0x${"00".repeat(1_000_000)}`,
    answerOf({ bought: 1n }).slice(0, -64),
  ];

  it.effect("hold nothing against a token that a node's nonsense says", () =>
    Effect.gen(function* () {
      let index = 0;
      const court = yield* judgedBy(() => answering(nonsense[index++ % nonsense.length])("", []));
      const before = court.engine.graph.exclusionsVersion;
      yield* TestClock.adjust("10 minutes");
      assert.isAbove(court.asked.length, 2 * nonsense.length);
      assert.deepStrictEqual(kinds(court.verdicts.all()), ["untested"]);
      assert.strictEqual(court.engine.graph.exclusionsVersion, before);
    }).pipe(Effect.scoped, Effect.provide(marketLayer)),
  );

  it.effect("hold nothing against a token where the node's block is another", () =>
    Effect.gen(function* () {
      const court = yield* judgedBy((method) =>
        Effect.succeed(
          method === "eth_call" ? answerOf({}) : { hash: numberToHex(1, { size: 32 }) },
        ),
      );
      yield* TestClock.adjust("1 minute");
      assert.include(
        court.asked.map(({ method }) => method),
        "eth_getBlockByNumber",
      );
      assert.deepStrictEqual(kinds(court.verdicts.all()), ["untested"]);
    }).pipe(Effect.scoped, Effect.provide(marketLayer)),
  );

  it.effect("survive nodes that refuse, that never answer, and code that throws", () =>
    Effect.gen(function* () {
      const refused = new ChainAccessError({ reason: "Refused", detail: "no such block" });
      let index = 0;
      const court = yield* judgedBy(() => {
        switch (index++ % 3) {
          case 0:
            return Effect.fail(refused);
          case 1:
            return Effect.never;
          default:
            return Effect.die(new TypeError("a defect"));
        }
      });
      yield* TestClock.adjust("10 minutes");
      const details = new Set(Array.from(court.verdicts.all(), ({ detail }) => detail));
      assert.isTrue(details.has("no such block"));
      assert.isTrue(details.has("no answer in 20000 ms"));
      assert.isTrue(details.has("it cannot be tried: TypeError: a defect"));
      assert.deepStrictEqual(kinds(court.verdicts.all()), ["untested"]);
    }).pipe(Effect.scoped, Effect.provide(marketLayer)),
  );

  it.effect("come of any numbers a token may make up, with taxes from 0 to all", () =>
    Effect.gen(function* () {
      const random = new RandomSource(52);
      const number = () => random.pick([0n, 1n, 10n ** 18n, 2n ** 255n, 2n ** 256n - 1n]);
      const court = yield* judgedBy((method) =>
        Effect.succeed(
          method === "eth_call"
            ? answerOf(Object.fromEntries(FIELDS.map((field) => [field, number()])))
            : { hash: BLOCK.stamp.hash },
        ),
      );
      yield* TestClock.adjust("5 minutes");
      const seen = [...court.verdicts.all()];
      assert.isAbove(seen.length, 200);
      for (const { buyTaxBps, sellTaxBps, kind } of seen) {
        for (const bps of [buyTaxBps, sellTaxBps]) assert.isTrue(bps >= 0 && bps <= 10_000);
        if (kind === "plain") assert.strictEqual(buyTaxBps + sellTaxBps, 0);
        if (kind === "taxed") assert.isAbove(buyTaxBps + sellTaxBps, 0);
      }
      assert.includeMembers(kinds(seen), ["taxed", "unsellable", "unbuyable"]);
    }).pipe(Effect.scoped, Effect.provide(marketLayer)),
  );

  it.effect("wait with tokens behind others of which nothing is known, and name those", () =>
    Effect.gen(function* () {
      const court = yield* judgedBy(() => Effect.never);
      yield* TestClock.adjust("2 hours");
      const told = Array.from(court.verdicts.all(), ({ detail }) => detail ?? "");
      assert.isTrue(told.some((detail) => /^routes lead through 0x[0-9a-f]{40}/.test(detail)));
    }).pipe(Effect.scoped, Effect.provide(marketLayer)),
  );
});
