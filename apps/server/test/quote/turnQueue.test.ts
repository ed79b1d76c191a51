import { Effect, Exit, Fiber } from "effect";
import { describe, expect, it } from "vitest";
import { TurnQueue } from "../../src/quote/TurnQueue.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("the queue of turns", () => {
  it("computes one piece a turn of the event loop, in order", async () => {
    const turns = new TurnQueue();
    const order: string[] = [];
    const pieces = ["a", "b", "c"].map((name) =>
      Effect.runPromise(turns.compute("", () => order.push(name))),
    );
    expect([turns.length, order.length]).toEqual([3, 0]);
    for (let count = 1; count <= 3; count++) {
      await turn();
      order.push("|");
    }
    expect(await Promise.all(pieces)).toEqual([1, 3, 5]);
    expect(order).toEqual(["a", "|", "b", "|", "c", "|"]);
    expect(turns.length).toBe(0);
  });

  it("computes one piece a turn also after one was given up", async () => {
    const turns = new TurnQueue();
    const order: string[] = [];
    await Effect.runPromise(
      Fiber.interrupt(Effect.runFork(turns.compute("", () => order.push("unwanted")))),
    );
    const pieces = ["a", "b", "c"].map((name) =>
      Effect.runPromise(turns.compute("", () => order.push(name))),
    );
    for (let count = 1; count <= 3; count++) {
      await turn();
      order.push("|");
    }
    await Promise.all(pieces);
    expect(order).toEqual(["a", "|", "b", "|", "c", "|"]);
  });

  it("gives clients their turns, however much one of them asks", async () => {
    const turns = new TurnQueue();
    const order: string[] = [];
    const asked = [..."aaaaabbc"].map((client, index) =>
      Effect.runPromise(turns.compute(client, () => order.push(`${client}${index}`))),
    );
    expect([turns.length, turns.lengthOf("a"), turns.lengthOf("d")]).toEqual([8, 5, 0]);
    await Promise.all(asked);
    expect(order).toEqual(["a0", "b5", "c7", "a1", "b6", "a2", "a3", "a4"]);
  });

  it("forgets what is interrupted, and survives what throws", async () => {
    const turns = new TurnQueue();
    const order: string[] = [];
    const throwing = Effect.runPromiseExit(
      turns.compute("", () => {
        throw new Error("on purpose");
      }),
    );
    const unwanted = Effect.runFork(turns.compute("", () => order.push("unwanted")));
    const last = Effect.runPromise(turns.compute("", () => order.push("last")));
    await Effect.runPromise(Fiber.interrupt(unwanted));
    expect(Exit.hasDies(await throwing)).toBe(true);
    expect(await last).toBe(1);
    expect(order).toEqual(["last"]);
    // An emptied queue starts again.
    const only = Effect.runFork(turns.compute("", () => order.push("only")));
    await Effect.runPromise(Fiber.interrupt(only));
    expect(await Effect.runPromise(turns.compute("", () => order.push("next")))).toBe(2);
  });
});
