import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CandleJson,
  CandleList,
  TokenListJson,
  type TradeJson,
  TradeList,
} from "@millrace/api";
import { eventually } from "@millrace/testing";
import { openTestDevnet, type TestDevnet } from "@millrace/testing/devnet";
import { Effect, Schema } from "effect";
import { expect } from "vitest";
import { networkOn } from "./networkOn.ts";
import { type Service, startConfigured } from "./service.ts";

const STRICT = { onExcessProperty: "error" } as const;
/** A chain with no traffic except the test's trades, and a folder for it. */
export interface TradedChain {
  readonly chain: TestDevnet;
  readonly folder: string;
  readonly stop: () => Promise<void>;
}

export async function startTradedChain(): Promise<TradedChain> {
  const chain = await openTestDevnet({ network: "ETH" });
  const folder = mkdtempSync(join(tmpdir(), "millrace-market-"));
  const stop = async () => {
    await chain.close();
    rmSync(folder, { recursive: true });
  };
  return { chain, folder, stop };
}

/** Starts a service on the chain; with a data directory it saves every other block. */
export function serve(
  traded: TradedChain,
  more: Record<string, unknown> = {},
  environment: Record<string, string> = {},
): Promise<Service> {
  return startConfigured(settingsOf(traded, more), environment);
}

/** The settings of `serve`. */
export function settingsOf({ chain }: TradedChain, more: Record<string, unknown> = {}): object {
  const { source, ...network } = networkOn(chain.devnet, more);
  return { networks: [{ ...network, source: { ...source, snapshotBlocks: 2 } }] };
}

/** Mines `blocks` blocks of traffic. */
export const trade = ({ chain }: TradedChain, blocks: number): Promise<void> =>
  Effect.runPromise(
    Effect.repeat(chain.devnet.traffic.block(8), { times: blocks - 1 }).pipe(Effect.asVoid),
  );

/** Waits until the service is at the chain's head, and has all of its past. */
export async function caughtUp({ chain }: TradedChain, service: Service): Promise<void> {
  const { hash } = (await chain.call("eth_getBlockByNumber", "latest", false)) as {
    readonly hash: string;
  };
  await eventually(async () => {
    const { status, json } = await service.get("/health/ready/LOCAL");
    const stands = service.networks.primary.market?.engine.graph.stamp.hash === hash;
    return stands && status === 200 && json.networks[0].history.complete;
  });
  service.networks.primary.market!.data.settle();
}

export async function allTokens(service: Service) {
  const { json } = await service.get("/tokens?limit=500");
  return Schema.decodeUnknownSync(TokenListJson)(json, STRICT).data;
}

/** All trades of a pool, page after page. */
export const tradesOf = (service: Service, pool: string) => allTrades(service, `/pools/${pool}`);

/** All trades of a pool or of a token, page after page, by their path. */
export async function allTrades(
  service: Service,
  path: string,
): Promise<Array<typeof TradeJson.Type>> {
  const trades: Array<typeof TradeJson.Type> = [];
  for (;;) {
    const last = trades.at(-1)?.id;
    const before = last === undefined ? "" : `&before=${last}`;
    const { status, json } = await service.get(`${path}/trades?limit=7${before}`);
    expect(status).toBe(200);
    const { data } = Schema.decodeUnknownSync(TradeList)(json, STRICT);
    trades.push(...data);
    if (data.length < 7) return trades;
  }
}

export async function candlesOf(
  service: Service,
  path: string,
): Promise<Array<typeof CandleJson.Type>> {
  const { status, json, headers } = await service.get(path);
  expect([path, status]).toEqual([path, 200]);
  expect(headers.get("cache-control")).toBe("no-store");
  return [...Schema.decodeUnknownSync(CandleList)(json, STRICT).data];
}

export const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0);
