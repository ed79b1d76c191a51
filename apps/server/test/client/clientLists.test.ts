import { Client, isProblem } from "@millrace/client";
import { eventually } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networkOn } from "../kit/networkOn.ts";
import { type Service, startConfigured } from "../kit/service.ts";
import {
  allTrades,
  candlesOf,
  startTradedChain,
  type TradedChain,
  trade,
} from "../kit/tradedChain.ts";

const NETWORK = "LOCAL";

let traded: TradedChain;
let service: Service;
let client: Client;

beforeAll(async () => {
  traded = await startTradedChain();
  await trade(traded, 2);
  service = await startConfigured({ networks: [networkOn(traded.chain.devnet)] });
  client = new Client(service.url);
});
afterAll(async () => {
  client?.close();
  await service?.stop();
  await traded?.stop();
});

describe("a client of the service", () => {
  it("reads trades and candles as HTTP has them, and whether the network is ready", async () => {
    const token = traded.chain.devnet.tokens[0]!.address;
    const ids = new Set<string>();
    let closes: ReadonlyArray<number> = [];
    let head = "";
    void (async () => {
      for await (const { data } of client.trades(NETWORK, { token })) {
        if (!isProblem(data)) for (const { id } of data) ids.add(id);
      }
    })();
    void (async () => {
      for await (const { data } of client.candles(NETWORK, { token }, "1d")) {
        if (!isProblem(data)) closes = data.map(({ close }) => close);
      }
    })();
    void (async () => {
      for await (const { data } of client.networkState(NETWORK)) {
        if (data.ready) head = data.blockHash;
      }
    })();
    for (let block = 0; block < 4; block++) await trade(traded, 1);
    const { hash } = (await traded.chain.call("eth_getBlockByNumber", "latest", false)) as {
      readonly hash: string;
    };
    await eventually(() => head === hash);
    // Asked again each time: trades and candles of a block come some time after its head.
    await eventually(async () => {
      const newest = (await allTrades(service, `/tokens/${token}`)).slice(0, 50);
      expect(newest.length).toBeGreaterThan(0);
      return newest.every(({ id }) => ids.has(id));
    });
    await eventually(async () => {
      const [candle] = await candlesOf(service, `/tokens/${token}/candles?interval=1d&limit=1`);
      return closes.at(-1) === candle!.close;
    });
  });
});
