import { type ChainAccess, ChainAccessError } from "@millrace/execution";
import { Effect, Fiber, References, type Scope } from "effect";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { checkRouters } from "../../src/networks/checkRouters.ts";
import { NetworkRouters } from "../../src/networks/NetworkRouters.ts";

const ROUTER = `0x${"1".repeat(40)}` as const;
const PERMIT2 = `0x${"2".repeat(40)}` as const;
const MINUTE_MS = 60_000;

/** A node that has code at both addresses, or none while `isGone`. */
class CodeNode {
  isGone = false;
  isSilent = false;
  isStuck = false;
  asked = 0;
  block = "0x1";
  readonly routers = new NetworkRouters({
    ...{ chainId: 1, wrappedNative: `0x${"3".repeat(40)}` },
    universalRouter: { address: ROUTER, version: "2.0", permit2: PERMIT2 },
  });

  readonly chain: ChainAccess = (_, [address]) =>
    Effect.suspend(() => {
      if (address === ROUTER) this.asked += 1;
      if (this.isStuck) return Effect.never;
      return this.isSilent
        ? Effect.fail(new ChainAccessError({ reason: "Unavailable", detail: "silent" }))
        : Effect.delay(Effect.succeed(this.isGone ? "0x" : "0x60"), 10);
    });

  get isUsed(): boolean {
    return this.routers.table.universalRouter !== undefined;
  }

  /** Runs a test with the check of a service that starts now, and waits for it so long. */
  run(test: (check: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>, waitMs = 100) {
    return checkRouters(this.routers, this.chain, () => this.block).pipe(
      Effect.forkChild,
      Effect.tap(() => TestClock.adjust(waitMs)),
      Effect.flatMap(Fiber.join),
      Effect.flatMap(test),
      Effect.scoped,
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.runPromise,
    );
  }
}

describe("a router", () => {
  it("is known once the network is open, where a node answers", async () => {
    const node = new CodeNode();
    const open = checkRouters(node.routers, node.chain, () => node.block);
    await Effect.runPromise(Effect.scoped(open));
    expect(node.isUsed).toBe(true);
  });

  it("holds up no network for long, and is looked for until a node answers", async () => {
    const node = new CodeNode();
    node.isStuck = true;
    await node.run(
      () =>
        Effect.gen(function* () {
          expect(node.routers.leftOut()).toContain("has not been checked yet");
          node.isStuck = false;
          yield* TestClock.adjust(5_000);
          expect([node.asked, node.isUsed]).toEqual([2, true]);
        }),
      2_000,
    );
  });

  it("that is absent at the start is looked for every minute until it is there", async () => {
    const node = new CodeNode();
    node.isGone = true;
    await node.run(() =>
      Effect.gen(function* () {
        expect(node.routers.leftOut()).toContain(`there is no contract at ${ROUTER}`);
        yield* TestClock.adjust(3 * MINUTE_MS);
        expect([node.asked, node.isUsed]).toEqual([4, false]);
        node.isGone = false;
        yield* TestClock.adjust(MINUTE_MS);
        expect([node.asked, node.isUsed]).toEqual([5, true]);
        yield* TestClock.adjust(10 * MINUTE_MS);
        expect(node.asked).toBe(5);
      }),
    );
  });

  it("that is doubted is asked for once a block, however many doubt it or leave", async () => {
    const node = new CodeNode();
    await node.run((check) =>
      Effect.gen(function* () {
        expect([node.asked, node.isUsed]).toEqual([1, true]);
        node.isGone = true;
        yield* Effect.forkChild(Effect.timeoutOption(check, 1));
        for (let count = 0; count < 50; count++) yield* Effect.forkChild(check);
        yield* TestClock.adjust(100);
        yield* check;
        expect([node.asked, node.isUsed]).toEqual([2, false]);
        node.isGone = false;
        node.block = "0x2";
        yield* Effect.forkChild(check);
        yield* TestClock.adjust(100);
        expect([node.asked, node.isUsed]).toEqual([3, true]);
      }),
    );
  });

  it("that a check finds gone is looked for every minute until it is there again", async () => {
    const node = new CodeNode();
    await node.run((check) =>
      Effect.gen(function* () {
        node.isGone = true;
        yield* Effect.forkChild(check);
        yield* TestClock.adjust(100);
        expect(node.isUsed).toBe(false);
        node.isGone = false;
        yield* TestClock.adjust(MINUTE_MS);
        expect(node.isUsed).toBe(true);
      }),
    );
  });

  it("stays in use where no node answers the check", async () => {
    const node = new CodeNode();
    await node.run((check) =>
      Effect.gen(function* () {
        node.isSilent = true;
        yield* check;
        expect([node.asked, node.isUsed]).toEqual([2, true]);
      }),
    );
  });
});
