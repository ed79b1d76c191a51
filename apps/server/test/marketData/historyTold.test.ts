import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { eventually } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  allTokens,
  serve,
  startTradedChain,
  sum,
  type TradedChain,
  trade,
} from "../kit/tradedChain.ts";

let traded: TradedChain;
/** A proxy of the chain's node, which gives no logs of the past while it is forgetful. */
let node: { readonly url: string; isForgetful: boolean; refusals: number; readonly server: Server };

beforeAll(async () => {
  traded = await startTradedChain();
  await trade(traded, 6);
  node = await startNode(traded.chain.devnet.rpcUrl);
});
afterAll(async () => {
  node.server.closeAllConnections();
  node.server.close();
  await traded.stop();
});

describe("the past of a network", () => {
  it("a network serves while the past is not read yet, and says so until it is", async () => {
    const devnet = { ...traded.chain.devnet, rpcUrl: node.url };
    const service = await serve({ ...traded, chain: { ...traded.chain, devnet } });
    try {
      const readiness = async () => {
        const { status, json } = await service.get("/health/ready/LOCAL");
        return status === 200 ? json.networks[0] : undefined;
      };
      const listed = async () => (await service.get("/networks")).json.result[0].history;
      const counted = async () => sum((await allTokens(service)).map(({ txns24h }) => txns24h));
      await eventually(readiness);
      await eventually(() => node.refusals > 0);
      const { ready, history } = await readiness();
      expect([ready, history.complete]).toEqual([true, false]);
      expect(await listed()).toEqual(history);
      expect((await service.get("/metrics")).text).toContain(
        'millrace_history_complete{network="LOCAL"} 0',
      );
      expect(await counted()).toBe(0);
      node.isForgetful = false;
      const complete = await eventually(async () => {
        const now = (await readiness())?.history;
        return now?.complete === true && now;
      });
      expect(complete.since).toBeLessThan(history.since);
      expect(await listed()).toEqual(complete);
      expect((await service.get("/metrics")).text).toContain(
        'millrace_history_complete{network="LOCAL"} 1',
      );
      expect(await counted()).toBeGreaterThan(0);
    } finally {
      await service.stop();
    }
  });
});

async function startNode(rpcUrl: string): Promise<typeof node> {
  // A repeated request is for the past: the first one opened or followed the market.
  const asked = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { id, method, params } = JSON.parse(body);
    const isPast = method === "eth_getLogs" && asked.has(JSON.stringify(params));
    const isRefused = started.isForgetful && isPast;
    if (isRefused) started.refusals++;
    asked.add(JSON.stringify(params));
    const answer = isRefused
      ? JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_000, message: "pruned" } })
      : await (await fetch(rpcUrl, { method: "POST", headers: JSON_BODY, body })).text();
    response.writeHead(200, JSON_BODY).end(answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const started = { url: `http://127.0.0.1:${port}`, isForgetful: true, refusals: 0, server };
  return started;
}

const JSON_BODY = { "content-type": "application/json" };
