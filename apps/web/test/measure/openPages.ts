import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { servePage } from "../kit/servedPage.ts";
import { quantile } from "./figures.ts";

const PAGES = 50;
const QUOTES_A_SECOND = 100;
/** Two blocks of Ethereum. */
const PHASE_SECONDS = 24;
const BLOCK_EVERY_MS = 12_000;
/** Before them, code that runs a hundred times a second is not compiled yet. */
const WARM_ROUNDS = 3;

/** The slowest hundredth of quotes with 50 open pages, by that without: phases take turns. */
export async function openPages(rounds = 7): Promise<void> {
  const service = await servePage({ blockEveryMs: BLOCK_EVERY_MS });
  try {
    const [tokenA, tokenB] = await Promise.all(["WETH", "USDC"].map(service.tokenOf));
    const phase = () => quoteTimes(`${service.url}/ETH/quote`, { tokenA, tokenB });
    const ratios: number[] = [];
    for (let round = -WARM_ROUNDS; round < rounds; round++) {
      const without = quantile(await phase(), 0.99);
      const clients = fork(new URL("./pageClients.ts", import.meta.url), [
        service.url,
        String(PAGES),
      ]);
      // Until all have what they asked for.
      await pause(3_000);
      const withPages = quantile(await phase(), 0.99);
      clients.send("close");
      await once(clients, "exit");
      const ratio = withPages / without;
      if (round >= 0) ratios.push(ratio);
      const figures = [without, withPages].map((ms) => ms.toFixed(2)).join(" ms, with pages ");
      const what = round < 0 ? "to warm up, quotes'" : "quotes'";
      console.log(`${what} p99 ${figures} ms: ${ratio.toFixed(3)} times`);
    }
    console.log(`median of ${rounds}: ${quantile(ratios, 0.5).toFixed(3)} times`);
  } finally {
    await service.stop();
  }
}

/** Milliseconds of each quote from when it was due: who waits for one is late for the next. */
async function quoteTimes(url: string, tokens: object): Promise<ReadonlyArray<number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const startMs = performance.now();
  const times = await Promise.all(
    Array.from({ length: QUOTES_A_SECOND * PHASE_SECONDS }, async (_, at) => {
      const dueMs = startMs + (1_000 * at) / QUOTES_A_SECOND;
      await pause(Math.max(0, dueMs - performance.now()));
      const body = JSON.stringify({ ...tokens, amountIn: String(1e15 * (1 + at)), maxSplits: 4 });
      const isAnswered = await post(url, body, agent);
      return isAnswered ? performance.now() - dueMs : undefined;
    }),
  );
  agent.destroy();
  const answered = times.filter((time) => time !== undefined);
  if (answered.length < times.length) console.log(`refused: ${times.length - answered.length}`);
  return answered;
}

/** False where the service is too busy. */
async function post(url: string, body: string, agent: Agent): Promise<boolean> {
  const headers = { "content-type": "application/json" };
  const sent = request(url, { method: "POST", agent, headers }).end(body);
  const [response] = await once(sent, "response");
  for await (const _ of response);
  return response.statusCode === 200;
}
