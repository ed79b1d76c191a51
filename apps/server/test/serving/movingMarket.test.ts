import { law } from "@millrace/testing";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { answerRequest } from "../../src/quote/answerQuote.ts";
import { TurnQueue } from "../../src/quote/TurnQueue.ts";
import { startConfigured } from "../kit/service.ts";
import { Asker, type Outcome } from "./Asker.ts";

const SOURCE = { kind: "generated", seed: 7, poolCount: 300, blockEveryMs: 8, newPoolsPerBlock: 1 };
const NETWORK = { id: "ETH", chainId: 1, name: "Generated", anchors: [], source: SOURCE };
const CLIENTS = 6;

describe("threads that serve a market that moves", () => {
  it("answer from one block, byte for byte what the thread that writes gives on it", async () => {
    const service = await startConfigured({ networks: [NETWORK], servingThreads: 2 });
    const network = service.networks.primary;
    const { engine, texts } = network.market!;
    const cases = law("serving threads: quotes of a moving market", 800);
    const random = cases.random();
    const draw = () => {
      const token = () => texts.token(random.integer(engine.graph.tokenCount) as never);
      const amountIn = String(10 ** (3 + random.integer(15)));
      const maxSplits = random.pick([1, 1, 3]);
      return { tokenA: token(), tokenB: token(), dexId: "ALL", amountIn, maxHops: 3, maxSplits };
    };
    /** The text of the answer; empty where it takes turns with others. */
    const answerTo = (request: ReturnType<typeof draw>): string => {
      const answer = answerRequest(network, new TurnQueue(), request, Date.now(), () => "");
      return Effect.isEffect(answer) ? "" : answer.body;
    };
    const requests: Array<ReturnType<typeof draw>> = [];
    while (requests.length < 12) {
      const request = draw();
      if (answerTo(request).includes('"blockNumber"')) requests.push(request);
    }
    // The answer to each request, by block.
    const expected = new Map<string, ReadonlyArray<string>>();
    const note = (): void => {
      expected.set(String(engine.graph.stamp.number), requests.map(answerTo));
    };
    note();
    const stop = engine.onApplied(note);
    let compared = 0;
    const blocks = new Set<string>();
    const compare = (which: number, outcome: Outcome): void => {
      if ("failure" in outcome) throw new Error(outcome.failure);
      const { blockNumber } = JSON.parse(outcome.text) as { readonly blockNumber?: string };
      if (blockNumber === undefined) return;
      const body = expected.get(blockNumber)?.[which];
      if (body === "") return;
      expect(outcome.text).toBe(body);
      blocks.add(blockNumber);
      compared++;
    };
    const client = async (): Promise<void> => {
      const asker = new Asker(service.url);
      for (let asked = 0; asked < cases.cases / CLIENTS; asked++) {
        const which = random.integer(requests.length);
        compare(which, await asker.post("/ETH/quote", requests[which]!));
      }
      asker.close();
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    stop();
    await service.stop();
    expect(compared).toBeGreaterThan(cases.cases / 10);
    expect(blocks.size).toBeGreaterThan(10);
  });
});
