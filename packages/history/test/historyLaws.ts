import type { HistoryChange, HistoryError, HistoryStore, TradesQuery } from "@millrace/history";
import { law, type RandomSource, TestScope } from "@millrace/testing";
import { Effect, type Scope } from "effect";
import { assert, describe, it } from "vitest";
import { HistoryStory } from "./HistoryStory.ts";
import { PlainHistory } from "./PlainHistory.ts";

/** Opens an empty store of chain 1; again, what was written is in it. */
export interface StoreUnderTest {
  readonly open: Effect.Effect<HistoryStore, HistoryError, Scope.Scope>;
  readonly dispose: () => Promise<void>;
}

const STEPS = 30;
const SECONDS = [60, 300, 900, 3_600, 14_400, 86_400];

/** The laws of every store: its answers are those of a plain list of the blocks that are kept. */
export function historyLaws(
  name: string,
  make: () => Promise<StoreUnderTest>,
  isEmbedded = false,
): void {
  describe(`a history ${name}`, () => {
    it("answers as a list of its blocks would, whatever befalls the chain, and after a restart", async () => {
      for (const [index, random] of law(`histories ${name}`, 12).sources()) {
        const store = await make();
        try {
          await liveThrough(store, random, isEmbedded, `story ${index}`);
        } finally {
          await store.dispose();
        }
      }
    }, 300_000);

    it("keeps all of what is written together, or nothing", async () => {
      const store = await make();
      const scope = new TestScope();
      try {
        const random = law(`all or nothing ${name}`, 1).random();
        const story = new HistoryStory(random, isEmbedded);
        const history = await scope.run(store.open);
        while (story.blocks.length < 5) await scope.run(history.write(story.next()));
        const before = await everything(scope, history);
        const impossible = {
          ...story.blocks[0]!,
          stamp: { ...story.blocks[0]!.stamp, number: -1 },
        };
        const changes = [...story.next(), { kind: "block" as const, block: impossible }];
        const failure = await scope.run(Effect.flip(history.write(changes)));
        assert.equal(failure.reason, "Invalid");
        assert.deepEqual(await everything(scope, history), before);
        const pool = `0x${"no".repeat(20)}` as const;
        const block = story.blocks.find(({ swaps }) => swaps.length > 0)!;
        const stamp = { ...block.stamp, number: 9_000_000, hash: `0x${"9".repeat(64)}` } as const;
        const nameless = { ...block, stamp, swaps: [{ ...block.swaps[0]!, pool }] };
        const refused = history.write([{ kind: "block", block: nameless }]);
        assert.equal((await scope.run(Effect.flip(refused))).reason, "Invalid");
        assert.deepEqual(await everything(scope, history), before);
      } finally {
        await scope.close();
        await store.dispose();
      }
    });

    it("forgets states where it has nothing else", async () => {
      const store = await make();
      const scope = new TestScope();
      try {
        const history = await scope.run(store.open);
        const stateAt = (number: number): HistoryChange => {
          const hash = `0x${String(number).padStart(64, "0")}` as const;
          const stamp = { number, hash, timestampMs: 1_700_000_000_000 + 1_000 * number };
          return { kind: "state", state: { stamp, kind: "checkpoint", bytes: Uint8Array.of(1) } };
        };
        await scope.run(history.write([1, 2, 3].map(stateAt)));
        await scope.run(history.write([{ kind: "forget", beforeMs: 1_700_000_002_500 }]));
        assert.deepEqual(await scope.run(history.stateRange), { fromBlock: 2, toBlock: 3 });
      } finally {
        await scope.close();
        await store.dispose();
      }
    });
  });
}

async function liveThrough(
  store: StoreUnderTest,
  random: RandomSource,
  isEmbedded: boolean,
  about: string,
) {
  const story = new HistoryStory(random, isEmbedded);
  const plain = new PlainHistory();
  let scope = new TestScope();
  try {
    let history = await scope.run(store.open);
    for (let step = 0; step < STEPS; step++) {
      const changes = story.next();
      plain.write(changes);
      await scope.run(history.write(changes));
      if (random.chance(0.1)) {
        await scope.close();
        scope = new TestScope();
        history = await scope.run(store.open);
      }
      await compare(scope, history, plain, story, random, `${about}, step ${step}`);
    }
    assert.deepEqual(await scope.run(history.check), { blocks: [], findings: [] }, about);
    await compareAll(scope, history, plain, about);
  } finally {
    await scope.close();
  }
}

async function compareAll(
  scope: TestScope,
  history: HistoryStore,
  plain: PlainHistory,
  about: string,
) {
  assert.deepEqual(await everything(scope, history), plain.blocks(), about);
  const coverage = await scope.run(history.coverage);
  assert.deepEqual(
    coverage.map(({ fromBlock, toBlock }) => ({ fromBlock, toBlock })),
    plain.coverage(),
    about,
  );
}

const everything = (scope: TestScope, history: HistoryStore) =>
  scope.run(history.blocks({ after: -1, swapsMax: Number.MAX_SAFE_INTEGER }));

async function compare(
  scope: TestScope,
  history: HistoryStore,
  plain: PlainHistory,
  story: HistoryStory,
  random: RandomSource,
  about: string,
) {
  const query = tradesQuery(plain, story, random);
  const asked = `${about}: ${JSON.stringify(query)}`;
  assert.deepEqual(await scope.run(history.trades(query)), plain.trades(query), asked);
  const { address, tokens } = random.pick(story.pools);
  const [first, second] = random.shuffled(tokens);
  const [token0, token1] = first! < second! ? [first!, second!] : [second!, first!];
  const candles = {
    of: random.chance(0.5)
      ? ({ kind: "token", token: random.pick(story.tokens) } as const)
      : ({ kind: "pair", pool: address, token0, token1 } as const),
    seconds: random.pick(SECONDS),
    limit: random.pick([1, 5, 1_000]),
    ...timesIn(plain, random),
  };
  assert.deepEqual(await scope.run(history.candles(candles)), plain.candles(candles), about);
  const newest = story.blocks.at(-1)?.stamp.number ?? 0;
  const states = { asOf: newest - random.integer(100) };
  assert.deepEqual(await scope.run(history.states(states)), plain.states(states), about);
}

function tradesQuery(plain: PlainHistory, story: HistoryStory, random: RandomSource): TradesQuery {
  const blocks = plain.blocks();
  const pool = random.pick(story.pools);
  const swaps = blocks.length === 0 ? [] : random.pick(blocks).swaps;
  const of =
    swaps.length > 0 && random.chance(0.3)
      ? ({ kind: "transaction", hash: random.pick(swaps).transactionHash } as const)
      : random.pick([
          { kind: "pool", address: pool.address } as const,
          { kind: "token", address: random.pick(story.tokens) } as const,
          { kind: "maker", address: random.pick(story.makers) } as const,
        ]);
  const [one, other] = random.shuffled(pool.tokens);
  const { stamp } = blocks.length === 0 ? {} : random.pick(blocks);
  return {
    of,
    pair: random.chance(0.2) ? [one!, other!] : undefined,
    maker: random.chance(0.2) ? random.pick(story.makers) : undefined,
    before:
      stamp !== undefined && random.chance(0.4)
        ? { blockNumber: stamp.number, logIndex: random.integer(500) }
        : undefined,
    ...timesIn(plain, random),
    limit: random.pick([1, 10, 10_000]),
  };
}

function timesIn(plain: PlainHistory, random: RandomSource): { fromMs?: number; toMs?: number } {
  const blocks = plain.blocks();
  const time = () => random.pick(blocks).stamp.timestampMs + random.between(-70_000, 70_000);
  if (blocks.length === 0) return {};
  return {
    ...(random.chance(0.3) && { fromMs: time() }),
    ...(random.chance(0.3) && { toMs: time() }),
  };
}
