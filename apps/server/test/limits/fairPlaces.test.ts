import { RandomSource } from "@millrace/testing";
import { Deferred, Effect, Exit, Fiber } from "effect";
import { describe, expect, it } from "vitest";
import { FairPlaces } from "../../src/limits/FairPlaces.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Work of clients that ends when the test ends it. */
function open(rules: ConstructorParameters<typeof FairPlaces>[0]) {
  const places = new FairPlaces(rules);
  const working: Array<{ readonly name: string; readonly end: () => void }> = [];
  const begin = (client: string, name: string) =>
    Effect.runFork(
      places.run(
        client,
        Effect.suspend(() => {
          const ended = Deferred.makeUnsafe<void>();
          working.push({ name, end: () => Deferred.doneUnsafe(ended, Effect.void) });
          return Deferred.await(ended);
        }),
      ),
    );
  /** Ends the oldest work. */
  const end = async () => {
    working.shift()!.end();
    await turn();
  };
  return { places, working, begin, end, names: () => working.map(({ name }) => name) };
}

describe("places", () => {
  it("are given in turns between clients who wait", async () => {
    const { places, begin, end, names } = open({ placesMax: 2, waitingMax: 64, clientMax: 64 });
    for (let index = 0; index < 6; index++) begin("a", `a${index}`);
    begin("b", "b0");
    begin("c", "c0");
    await turn();
    expect([names(), places.waitingCount]).toEqual([["a0", "a1"], 6]);
    const order: string[] = [];
    while (names().length > 0) {
      order.push(names()[0]!);
      await end();
    }
    expect(order).toEqual(["a0", "a1", "a2", "b0", "c0", "a3", "a4", "a5"]);
    expect(places.waitingCount).toBe(0);
  });

  it("take so many of one client, and so many who wait", async () => {
    const { places, begin } = open({ placesMax: 1, waitingMax: 4, clientMax: 3 });
    for (let index = 0; index < 3; index++) begin("a", "a");
    expect([places.takes("a"), places.takes("b")]).toEqual([false, true]);
    for (let index = 0; index < 2; index++) begin("b", "b");
    expect([places.takes("b"), places.takes("c")]).toEqual([false, false]);
  });

  it("are all there again, whoever is interrupted, and whenever", async () => {
    const random = new RandomSource(20_261_123);
    const { places, begin, working, end } = open({ placesMax: 3, waitingMax: 99, clientMax: 99 });
    const fibers: Array<Fiber.Fiber<void>> = [];
    for (let step = 0; step < 2_000; step++) {
      const act = random.integer(4);
      if (act < 2) fibers.push(begin(String(random.integer(4)), "work"));
      else if (act === 2 && working.length > 0) {
        // Some are interrupted just when they get a place.
        working.shift()!.end();
        const fiber = fibers[random.integer(fibers.length)];
        if (fiber !== undefined) fiber.interruptUnsafe();
      } else if (act === 3) await turn();
    }
    for (const fiber of fibers) fiber.interruptUnsafe();
    for (const fiber of fibers) await Effect.runPromise(Fiber.await(fiber));
    expect(places.waitingCount).toBe(0);
    working.length = 0;
    for (let index = 0; index < 5; index++) begin("a", "a");
    await turn();
    expect([working.length, places.waitingCount]).toEqual([3, 2]);
    for (let index = 0; index < 5; index++) await end();
    expect([working.length, places.waitingCount]).toEqual([0, 0]);
  });

  it("are given back by what fails", async () => {
    const places = new FairPlaces({ placesMax: 1, waitingMax: 1, clientMax: 9 });
    const fails = () => Effect.runPromiseExit(places.run("a", Effect.die("on purpose")));
    expect(Exit.hasDies(await fails())).toBe(true);
    expect(Exit.hasDies(await fails())).toBe(true);
  });
});
