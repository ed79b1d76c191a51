import { budget, eventually, law } from "@millrace/testing";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networkOn } from "../kit/networkOn.ts";
import { type Service, startConfigured } from "../kit/service.ts";
import {
  caughtUp as allTold,
  startTradedChain,
  type TradedChain,
  trade,
} from "../kit/tradedChain.ts";
import { isToldOf, judgeStay, type Stay } from "./judgeStay.ts";
import { mixedSubscriptions, type Parameters } from "./mixedSubscriptions.ts";
import { StreamTruth } from "./StreamTruth.ts";
import { openReader, type StreamReader } from "./streamReader.ts";

/** How often the chain trades. */
const ROUNDS = 36;
/** The round in which a token is excluded from the middle of routes; nobody waits for its end. */
const EXCLUSION_ROUND = 3;
/** Rounds that the exclusion lasts: an even number, for the same reason. */
const EXCLUSION_ROUNDS = 4;
const READERS = 6;
const SUBSCRIPTIONS = 500;
/** Subscriptions that end in a round, while as many begin. */
const CHANGED = 12;
/** After this long without news, none is expected any more. */
const QUIET_MS = 15_000;
/** Enough for a busy machine. */
const PATIENCE_MS = 240_000;

let traded: TradedChain;
let service: Service;
let readers: ReadonlyArray<StreamReader>;
let truth: StreamTruth;
let open: Set<Stay>;
let ended: Stay[];

// Without a thread, quotes of several paths take turns; with one, the heaviest of them wait for it.
describe.each([0, 1])("what is streamed while a chain trades, with %i threads", (searchWorkers) => {
  beforeAll(() => start(searchWorkers));
  afterAll(stop);

  it(
    "is, message by message, what working it out at that block gives",
    async () => {
      const steady = [...open];
      const { cases: rounds } = law(`streams: as worked out, ${searchWorkers} threads`, ROUNDS);
      for (let round = 0; round < rounds; round++) {
        if (round === EXCLUSION_ROUND) exclude([traded.chain.devnet.tokens[1]!.address]);
        if (round === EXCLUSION_ROUND + EXCLUSION_ROUNDS) exclude([]);
        // Blocks in quick succession, while subscriptions begin and end.
        await Promise.all([trade(traded, 1 + (round % 3)), change(round, steady)]);
        if (round % 3 === 2) {
          await Effect.runPromise(traded.chain.devnet.traffic.reorganise(1 + (round % 4)));
        }
        if (round % 2 === 0) await caughtUp();
      }
      await caughtUp();
      expect(truth.newest.reorganisations).toBeGreaterThan(1);
      // A subscription that ends at once may end before its first value.
      const judged = [...open, ...ended.filter(({ reader, name }) => reader.told(name).length > 0)];
      const faults = judged.flatMap((stay) => judgeStay(truth, stay));
      expect(faults.slice(0, 10), `${faults.length} in all`).toEqual([]);
      const told = steady
        .filter((stay) => open.has(stay))
        .map(({ reader, name }) => reader.told(name));
      expect(told.flat().length).toBeGreaterThan(3 * SUBSCRIPTIONS);
      expect(ended.length).toBeGreaterThan(rounds);
    },
    PATIENCE_MS + budget(60_000),
  );

  it("is the same for equal subscriptions of different connections", () => {
    const first = new Map<string, Stay>();
    let pairs = 0;
    for (const stay of open) {
      const key = JSON.stringify(stay.parameters);
      const other = first.get(key);
      first.set(key, stay);
      if (other === undefined || isLater(other) || isLater(stay)) continue;
      expect(messagesOf(stay), key).toEqual(messagesOf(other));
      pairs++;
    }
    expect(pairs).toBeGreaterThan(SUBSCRIPTIONS / 8);
  });

  it("ends with the subscription", () => {
    for (const { reader, name } of ended) {
      const end = reader.messages.findIndex(
        (message) => message.op === "unsubscribed" && message.subscription === name,
      );
      const later = reader.messages.slice(end + 1);
      expect(end).toBeGreaterThan(0);
      expect(
        later.filter((message) => "subscription" in message && message.subscription === name),
      ).toEqual([]);
    }
  });
});

async function start(searchWorkers: number): Promise<void> {
  [open, ended] = [new Set(), []];
  traded = await startTradedChain();
  await trade(traded, 3);
  const network = networkOn(traded.chain.devnet);
  const streams = {
    ...{ operationsPerSecond: 1_000, connectionsPerAddress: READERS },
    subscriptionsMax: SUBSCRIPTIONS,
  };
  service = await startConfigured({ networks: [network], streams, searchWorkers });
  readers = await Promise.all(Array.from({ length: READERS }, () => openReader(service.url)));
  // Waits for the past too, which changes volumes once more.
  await allTold(traded, service);
  const watched = mixedSubscriptions(traded.chain.devnet, SUBSCRIPTIONS);
  truth = new StreamTruth(service.networks.primary, watched);
  await Promise.all(watched.map((parameters, index) => begin(parameters, index)));
}

async function stop(): Promise<void> {
  truth?.close();
  await Promise.all(readers?.map((reader) => reader.close()) ?? []);
  await service?.stop();
  await traded?.stop();
}

/** Whether the stay began after the first block. */
const isLater = ({ reader, name }: Stay): boolean =>
  reader.told(name)[0]!.blockHash !== truth.blocks[0]!.hash;

/** The messages of a subscription, without the fields that are its own. */
const messagesOf = ({ reader, name }: Stay) =>
  reader.told(name).map(({ sentAt: _, subscription: __, ...message }) => message);

async function begin(parameters: Parameters, index: number): Promise<void> {
  const reader = readers[index % READERS]!;
  const name = await reader.subscribe(parameters);
  open.add({ parameters, reader, name, restingBlocks: [] });
}

/**
 * Excludes tokens from the middle of routes after the next block; the block after that shows it.
 */
function exclude(tokens: ReadonlyArray<`0x${string}`>): void {
  const { engine } = service.networks.primary.market!;
  const { hash } = engine.graph.stamp;
  const stop = engine.onPart(({ stamp }) => {
    // This may be history that is published at the old block.
    if (stamp.hash === hash) return;
    stop();
    engine.excludeFromTransit(new Set(tokens));
    truth.look();
  });
}

/** Ends some subscriptions and begins as many over other connections. */
async function change(round: number, steady: ReadonlyArray<Stay>): Promise<void> {
  for (let nth = 0; nth < CHANGED; nth++) {
    // Equal subscriptions are half of all apart, so of most pairs both last.
    const stay = steady[(round * CHANGED + nth * 3) % (SUBSCRIPTIONS / 4)]!;
    if (!open.delete(stay)) continue;
    stay.reader.send({ op: "unsubscribe", id: `end ${stay.name}`, subscription: stay.name });
    ended.push(stay);
    await begin(stay.parameters, readers.indexOf(stay.reader) + 1);
    await stay.reader.answered(`end ${stay.name}`);
  }
}

/**
 * Waits until the service is at the chain's head with all of its market data; gives the head's
 * hash.
 */
async function atHead(): Promise<string> {
  const { hash } = (await traded.chain.call("eth_getBlockByNumber", "latest", false)) as {
    readonly hash: string;
  };
  const { data, engine } = service.networks.primary.market!;
  await eventually(
    () => engine.graph.stamp.hash === hash && data.hasAllTrades() && data.settledHash() === hash,
  );
  return hash;
}

/** Waits until readers have got everything of the chain's head. */
async function caughtUp(): Promise<void> {
  const hash = await atHead();
  truth.look();
  for (const stay of open) stay.restingBlocks.push(hash);
  // After a while without any message, whatever is missing is judged a fault; a busy machine may
  // take its time until then.
  const waiting = new Set(open);
  let newsMs = Date.now();
  let told = 0;
  await eventually(() => {
    for (const stay of waiting) {
      if (isToldOf(truth, stay, hash)) waiting.delete(stay);
    }
    const before = told;
    told = [...open].reduce((sum, { reader, name }) => sum + reader.told(name).length, 0);
    if (told > before) newsMs = Date.now();
    return waiting.size === 0 || Date.now() > newsMs + QUIET_MS;
  });
}
