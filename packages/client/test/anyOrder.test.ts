import { law } from "@millrace/testing";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Update } from "../src/index.ts";
import { connectClient, type FakeSocket, fakeTime, price, type Sent } from "./fakeServer.ts";

beforeEach(() => fakeTime());
afterEach(() => void vi.useRealTimers());

type Act = "read" | "leave" | "drop" | "answer" | "wait" | "refuse" | "update";

/**
 * A server that answers when it is told to, in the order of the operations, as the service does.
 */
class Model {
  readonly held = new Map<string, Sent>();
  readonly #asked: Sent[] = [];
  readonly #socket: FakeSocket;
  #count = 0;
  #seq = 0;

  constructor(socket: FakeSocket) {
    this.#socket = socket;
    socket.onSent = (operation) => this.#asked.push(operation);
    socket.hello();
  }

  answer(): boolean {
    const operation = this.#asked.shift();
    if (operation === undefined) return false;
    const { id, op, subscription } = operation;
    if (op === "subscribe") {
      const name = `s${++this.#count}`;
      this.held.set(name, operation);
      this.#socket.accept(operation, name);
      this.#socket.snapshot(name, price(0, operation.token));
    } else {
      this.held.delete(subscription!);
      this.#socket.say({ op: "unsubscribed", id, subscription });
    }
    return true;
  }

  refuse(): void {
    const operation = this.#asked.shift();
    if (operation?.op === "subscribe") this.#socket.refuse(operation, "NOT_READY");
    else if (operation !== undefined) {
      // The service refuses what comes too fast without reading it.
      this.#socket.say({ op: "error", id: null, code: "RATE_LIMITED", detail: "" });
    }
  }

  update(): void {
    this.#seq++;
    for (const [name, { token }] of this.held)
      this.#socket.update(name, this.#seq, price(1, token));
  }
}

describe("readings that come and go in any order with what happens to the connection", () => {
  it("leave the server with exactly what is read, and every reader with its own values", async () => {
    const act = fc.constantFrom<Act>(
      ...(["read", "read", "read", "leave", "leave", "answer", "answer", "answer"] as const),
      ...(["drop", "wait", "wait", "wait", "refuse", "refuse", "update"] as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60, size: "max" }), async (acts) => {
        const { client, sockets } = connectClient({ reconnectMaxMs: 400 });
        const readings = new Map<string, AsyncIterator<Update<{ readonly token: string }>>>();
        let model: Model | undefined;
        let known = 0;
        let tokens = 0;
        const meet = () => {
          if (sockets.length === known) return;
          known = sockets.length;
          model = new Model(sockets.at(-1)!);
        };
        const wrong: string[] = [];
        for (const one of acts) {
          if (one === "read") {
            const token = `0x${++tokens}`;
            const reading = client.price("ETH", token)[Symbol.asyncIterator]();
            readings.set(token, reading);
            void reading.next().then(({ done, value }) => {
              if (done !== true && value.data.token !== token) wrong.push(token);
            });
          } else if (one === "leave") {
            const [first] = readings;
            if (first === undefined) continue;
            readings.delete(first[0]);
            void first[1].return!();
          } else if (one === "drop") sockets.at(-1)?.drop();
          else if (one === "wait") await vi.advanceTimersByTimeAsync(400);
          else if (one === "answer") model?.answer();
          else if (one === "refuse") model?.refuse();
          else model?.update();
          // What a reading that is left sends goes out after the act.
          await new Promise((resolve) => setImmediate(resolve));
          meet();
        }
        // Then all goes well for a while.
        for (let round = 0; round < 100; round++) {
          meet();
          while (model?.answer());
          await vi.advanceTimersByTimeAsync(100);
        }
        const isOpen = client.state === "open";
        expect(isOpen).toBe(readings.size > 0);
        const held = isOpen ? [...model!.held.values()].map(({ token }) => token) : [];
        expect(held.sort()).toEqual([...readings.keys()].sort());
        expect(wrong).toEqual([]);
        client.close();
        expect(vi.getTimerCount()).toBe(0);
      }),
      law("client: readings in any order", 60).options,
    );
  });
});
