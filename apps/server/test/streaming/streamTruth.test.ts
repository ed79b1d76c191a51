import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeQuoteRequest } from "@millrace/api";
import type { AppliedBlock } from "@millrace/core";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerRequest } from "../../src/quote/answerQuote.ts";
import { TurnQueue } from "../../src/quote/TurnQueue.ts";
import { poolBody } from "../../src/routes/marketViews.ts";
import { eventually, networkOn } from "../localChain.ts";
import { configOf, type Service, startService } from "../service.ts";
import { startTradedChain, type TradedChain, trade } from "../tradedChain.ts";
import { openReader, type StateMessage, type StreamReader } from "./streamReader.ts";

const READERS = 5;
const SUBSCRIPTIONS = 500;

/** What is subscribed to, and how its value is worked out from nothing but the newest block. */
interface Watched {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly compute: () => unknown;
  /** By block hash: every value that it had while the block was the newest. */
  readonly values: Map<string, string[]>;
  readonly reader: StreamReader;
  readonly name: string;
}

let traded: TradedChain;
let service: Service;
let readers: ReadonlyArray<StreamReader>;
let watched: ReadonlyArray<Watched>;
/** Hashes of all blocks that were applied, in their order. */
const blocks: string[] = [];
/** Those of them that stayed the newest until everything was told of them. */
const restingBlocks = new Set<string>();
let reorganisations = 0;
let watching: NodeJS.Immediate | undefined;

beforeAll(async () => {
  traded = await startTradedChain();
  await trade(traded, 3);
  const network = networkOn(traded.chain.devnet);
  const file = join(traded.folder, "streams.json");
  const streams = { operationsPerSecond: 1_000, connectionsPerAddress: READERS };
  writeFileSync(file, JSON.stringify({ networks: [network], streams }));
  service = await startService(await configOf({ MILLRACE_CONFIG: file }));
  readers = await Promise.all(Array.from({ length: READERS }, () => openReader(service.url)));
  watched = await Promise.all(
    requests(SUBSCRIPTIONS).map(async (parameters, index): Promise<Watched> => {
      const reader = readers[index % READERS]!;
      const name = await reader.subscribe(parameters);
      return { parameters, compute: computeOf(parameters), values: new Map(), reader, name };
    }),
  );
  const { market } = service.networks.primary;
  notice();
  watchMarketData();
  // After the feed, which was there first: what a block's value is here it may tell.
  market!.engine.onApplied((block: AppliedBlock) => {
    if (blocks.at(-1) === block.stamp.hash) return;
    if ((block.block.orphaned?.length ?? 0) > 0) reorganisations++;
    notice();
  });
});

afterAll(async () => {
  clearImmediate(watching);
  await Promise.all(readers?.map((reader) => reader.close()) ?? []);
  await service?.stop();
  await traded?.stop();
});

describe("what is streamed while a chain trades and reorganises", () => {
  it("is, message by message, what working it out at that block gives", async () => {
    for (let round = 0; round < 16; round++) {
      await trade(traded, round % 8 === 7 ? 3 : 1);
      await caughtUp();
      if (round % 4 === 3) {
        await Effect.runPromise(traded.chain.devnet.traffic.reorganise(1 + (round % 3)));
        await caughtUp();
      }
    }
    expect(reorganisations).toBeGreaterThan(1);
    let updates = 0;
    for (const { parameters, values, reader, name } of watched) {
      const told = reader.told(name);
      const [snapshot, ...rest] = told;
      expect(snapshot?.op).toBe("snapshot");
      updates += rest.length;
      for (const [index, message] of told.entries()) {
        expect(message.seq).toBe(index);
        const allowed = values.get(message.blockHash) ?? [];
        expect(allowed, JSON.stringify(parameters)).toContain(textOf(message.data));
        // Never twice the same.
        if (index > 0) expect(textOf(message.data)).not.toBe(textOf(told[index - 1]!.data));
      }
      expectNoneMissing(told, values);
      expectReorganisationsTold(told);
    }
    expect(updates).toBeGreaterThan(SUBSCRIPTIONS);
  });
});

/**
 * Block by block, what was told last is the value that the block had in the end: of every block that
 * another did not follow at once, whose values are not worked out any more.
 */
function expectNoneMissing(told: ReadonlyArray<StateMessage>, values: Watched["values"]): void {
  let newest = textOf(told[0]!.data);
  for (const hash of blocks) {
    const last = told.filter(({ blockHash }) => blockHash === hash).at(-1);
    if (last !== undefined) newest = textOf(last.data);
    if (restingBlocks.has(hash)) expect(newest).toBe(values.get(hash)!.at(-1));
  }
}

/** The update after a reorganisation says so, and no other. */
function expectReorganisationsTold(told: ReadonlyArray<StateMessage>): void {
  const marked = told.filter((message) => message.op === "update" && message.reorg === true);
  expect(marked.length).toBeLessThanOrEqual(reorganisations);
}

/** Until the service stands at the chain's head and readers were told the newest values. */
async function caughtUp(): Promise<void> {
  const { hash } = (await traded.chain.call("eth_getBlockByNumber", "latest", false)) as {
    readonly hash: string;
  };
  const { data, engine } = service.networks.primary.market!;
  await eventually(() => engine.graph.stamp.hash === hash && data.hasAllTrades() && isSettled());
  notice();
  await eventually(() =>
    watched.every(({ values, reader, name }) => {
      const last = reader.told(name).at(-1);
      return last !== undefined && textOf(last.data) === values.get(hash)?.at(-1);
    }),
  );
  restingBlocks.add(hash);
  function isSettled(): boolean {
    return data.settledBlock() === engine.graph.stamp.number;
  }
}

/** Liquidity and volumes change once more when what a block did to them has been worked out. */
function watchMarketData(): void {
  const { data } = service.networks.primary.market!;
  let version = data.version();
  const look = (): void => {
    if (data.version() !== version) notice((parameters) => parameters["channel"] !== "quote");
    version = data.version();
    watching = setImmediate(look);
  };
  look();
}

/** Works values out, and keeps those that are others than before. */
function notice(isMeant = (_: Watched["parameters"]) => true): void {
  const { hash } = service.networks.primary.market!.engine.graph.stamp;
  if (blocks.at(-1) !== hash) blocks.push(hash);
  for (const { compute, parameters, values } of watched) {
    if (!isMeant(parameters)) continue;
    const text = textOf(compute());
    const known = values.get(hash) ?? [];
    if (known.at(-1) !== text) values.set(hash, [...known, text]);
  }
}

/** A value without the stamps that it may hold. */
function textOf(data: unknown): string {
  return JSON.stringify(data, (key, value: unknown) =>
    STAMPS.includes(key) && !isPool(data) ? undefined : value,
  );
}

const STAMPS = ["blockNumber", "blockHash", "timestamp"];
const isPool = (data: unknown): boolean =>
  typeof data === "object" && data !== null && ("sqrtPriceX96" in data || "poolsChanged" in data);

/** A mixture of everything, in an order that is always the same. */
function requests(count: number): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const { pools, tokens } = traded.chain.devnet;
  const network = "LOCAL";
  const token = (index: number) => tokens[index % tokens.length]!.address;
  return Array.from({ length: count }, (_, index) => {
    switch (index % 5) {
      case 0:
        return { channel: "price", network, token: token(index) };
      case 1:
        return { channel: "pool", network, pool: pools[index % pools.length]!.address };
      case 2:
        return index % 50 === 2
          ? { channel: "price", network, tokens: [token(index)] }
          : quoteOf(token(index), token(index * 7 + 1), { amountOut: "1000000" });
      default:
        return quoteOf(token(index * 3), token(index * 5 + 1), {
          amountIn: `1${"0".repeat(6 + (index % 14))}`,
          maxHops: 1 + (index % 3),
        });
    }
  });

  function quoteOf(tokenA: string, tokenB: string, more: object) {
    const other =
      tokenA === tokenB ? token(tokens.findIndex((t) => t.address === tokenA) + 1) : tokenB;
    return { channel: "quote", network, tokenA, tokenB: other, ...more };
  }
}

function computeOf(parameters: Readonly<Record<string, unknown>>): () => unknown {
  const { primary: network } = service.networks;
  const market = network.market!;
  const { graph } = market.engine;
  const { channel, network: _, ...rest } = parameters;
  const price = (token: string) => {
    const view = market.data.token(graph.findToken(token)!);
    return {
      ...{ token: token.toLowerCase(), price: view.priceUsd, liquidity: view.liquidityUsd },
      volume24h: view.volume24hUsd,
    };
  };
  if (channel === "price" && "tokens" in rest) {
    return () => (rest["tokens"] as ReadonlyArray<string>).map(price);
  }
  if (channel === "price") return () => price(String(rest["token"]));
  if (channel === "pool") {
    return () => {
      const view = market.data.pool(graph.findPool(String(rest["pool"]))!)!;
      return JSON.parse(JSON.stringify(poolBody(network, market, view)));
    };
  }
  const request = decodeQuoteRequest(rest)!;
  return () => {
    const answer = answerRequest(network, new TurnQueue(), request, Date.now());
    if (Effect.isEffect(answer)) throw new Error("a quote that takes its time");
    return JSON.parse(answer.body);
  };
}
