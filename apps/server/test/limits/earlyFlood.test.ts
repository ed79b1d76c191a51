import { createHash } from "node:crypto";
import { connect } from "node:net";
import { eventually } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configOf, type Service, startService, UNIVERSE_A, USDC, WETH } from "../kit/service.ts";

const KEY = "correct horse battery staple";
const KEY_HASH = createHash("sha256").update(KEY).digest("hex");

let service: Service;
beforeAll(async () => {
  const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
  const keys = [{ name: "other", sha256: KEY_HASH, perSecond: 1_000_000 }];
  const address = { perSecond: 1, burst: 60 };
  service = await startService({ ...config, limits: { ...config.limits, address, keys } });
});
afterAll(() => service?.stop());

const CONNECTIONS = 16;
const COUNT = 200;

/** Asks for quotes over a connection, each as soon as the last one is answered. */
function keepAsking(header: string) {
  const body = JSON.stringify({ tokenA: WETH, tokenB: USDC, amountIn: "1000000000000000000" });
  const head = `POST /ETH/quote HTTP/1.1\r\nHost: test\r\n${header}`;
  const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const statuses: string[] = [];
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  // An answer comes in one piece.
  socket.on("data", (answer: Buffer) => {
    statuses.push(answer.toString("latin1", 9, 12));
    socket.write(request);
  });
  socket.on("error", () => {});
  socket.write(request);
  return { statuses, end: () => socket.destroy() };
}

describe("a client whose budget is used up, and that asks again at once", () => {
  it("takes no time of others, and is refused all the same", async () => {
    const flood = Array.from({ length: CONNECTIONS }, () => keepAsking(""));
    const refusals = () =>
      flood.flatMap(({ statuses }) => statuses).filter((status) => status === "429").length;
    await eventually(() => refusals() > 0);
    const before = refusals();
    const other = keepAsking(`X-API-Key: ${KEY}\r\n`);
    await eventually(() => other.statuses.length >= COUNT);
    // If they took turns, each of its connections would be refused as often as the other is
    // answered.
    expect(refusals() - before).toBeLessThan((CONNECTIONS / 2) * other.statuses.length);
    expect(new Set(other.statuses)).toEqual(new Set(["200"]));
    await eventually(() => refusals() - before > CONNECTIONS);
    for (const client of [...flood, other]) client.end();
  });
});
