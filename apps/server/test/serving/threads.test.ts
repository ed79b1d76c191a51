import { openMarket } from "@millrace/core";
import { Context } from "effect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Network } from "../../src/networks/Network.ts";
import { AskedQuestions } from "../../src/serving/AskedQuestions.ts";
import type { Answers, ThreadQuestion } from "../../src/serving/messages.ts";
import { NetworkStates } from "../../src/serving/NetworkStates.ts";
import { questionAnswerer } from "../../src/serving/questionAnswerer.ts";
import type { ServingThread, ThreadHost } from "../../src/serving/ServingThread.ts";
import { ThreadGroup } from "../../src/serving/ThreadGroup.ts";

const TOKEN: ThreadQuestion = { kind: "token", address: "0x", query: "", client: "192.0.2.1" };
const ANSWER = { status: 200 } as Answers["token"];

describe("questions of a thread", () => {
  it("are kept until they are answered, and no longer", () => {
    let answerLater = () => {};
    let dropped = 0;
    let isAtOnce = true;
    const questions = new AskedQuestions((_, done) => {
      if (isAtOnce) done(ANSWER);
      else answerLater = () => done(ANSWER);
      return () => dropped++;
    });
    let answered = 0;
    const ask = (id: number) => questions.add(id, TOKEN, () => answered++);
    ask(1);
    expect([answered, questions.size]).toEqual([1, 0]);
    isAtOnce = false;
    ask(2);
    expect([answered, questions.size]).toEqual([1, 1]);
    answerLater();
    expect([answered, questions.size, dropped]).toEqual([2, 0, 0]);
    ask(3);
    questions.forget(3);
    expect([answered, questions.size, dropped]).toEqual([2, 0, 1]);
  });

  it("take turns by their clients, whatever they ask", () => {
    const names: string[] = [];
    const answer = questionAnswerer({
      answerTurns: { add: (_: unknown, { name }: { name: string }) => names.push(name) },
      services: Context.empty(),
    } as unknown as Parameters<typeof questionAnswerer>[0]);
    const request = { path: "/ETH/tokens" } as Extract<
      ThreadQuestion,
      { kind: "request" }
    >["request"];
    answer(TOKEN, () => {});
    answer({ kind: "request", request, client: "192.0.2.2" }, () => {});
    expect(names).toEqual(["192.0.2.1", "192.0.2.2"]);
  });
});

/** A fake thread for a group and for the states of networks. */
class FakeThread {
  readonly listens = Promise.withResolvers<void>();
  readonly leaves = Promise.withResolvers<void>();
  readonly listening = this.listens.promise;
  readonly gone = this.leaves.promise;
  readonly addresses: string[] = [];
  readonly tellState = vi.fn();
  readonly follow = vi.fn();
  readonly index: number;
  readonly #hooks: Pick<ThreadHost, "ended">;

  constructor(index: number, hooks: Pick<ThreadHost, "ended">) {
    this.index = index;
    this.#hooks = hooks;
    this.listening.catch(() => {});
  }

  end(): void {
    this.listens.reject(new Error("ended"));
    this.#hooks.ended(this.asThread, new Error("ended"));
    this.leaves.resolve();
  }

  leave(): void {
    this.end();
  }

  get asThread(): ServingThread {
    return this as unknown as ServingThread;
  }
}

describe("a group of threads", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function open(count: number) {
    const started: FakeThread[] = [];
    const group = new ThreadGroup({
      count,
      start: (index, hooks) => {
        const thread = new FakeThread(index, hooks);
        started.push(thread);
        return thread.asThread;
      },
      ...{ tell: () => {}, counted: () => {}, lost: () => {} },
    });
    return { group, started, indexes: () => started.map(({ index }) => index) };
  }

  it("replaces one that ends while others still start", async () => {
    const { group, started, indexes } = open(2);
    const starting = group.start();
    started[0]!.listens.resolve();
    await Promise.resolve();
    started[0]!.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(indexes()).toEqual([0, 1, 0]);
    started[1]!.listens.resolve();
    await starting;
    started[2]!.listens.resolve();
    await Promise.resolve();
    started[2]!.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(indexes()).toEqual([0, 1, 0, 0]);
    await group.end(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(started).toHaveLength(4);
  });

  it("does not start where one cannot, and leaves nothing behind", async () => {
    const { group, started } = open(2);
    const starting = expect(group.start()).rejects.toThrow("ended");
    started[0]!.listens.resolve();
    await Promise.resolve();
    started[1]!.end();
    await starting;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(started).toHaveLength(2);
  });
});

describe("the state of a network", () => {
  it("has each thread follow its graph once", () => {
    const threads: FakeThread[] = [];
    const network = {
      config: { id: "ETH", source: { kind: "generated" } },
      standing: {},
      market: undefined as unknown,
    };
    const states = new NetworkStates(network as unknown as Network, () =>
      threads.map(({ asThread }) => asThread),
    );
    const add = () => {
      const thread = new FakeThread(threads.length, { ended: () => {} });
      threads.push(thread);
      states.tellAll(thread.asThread);
    };
    add();
    network.market = { engine: { graph: openMarket(1, []).graph } };
    // The thread that first finds the graph is notified with all others.
    add();
    add();
    expect(threads.map(({ follow }) => follow.mock.calls.length)).toEqual([1, 1, 1]);
    states.close();
  });
});
