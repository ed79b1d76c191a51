import { MemoryLog, redisLog } from "@millrace/feed";
import { RedisServer, redisProgram, TestScope } from "@millrace/testing";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { logLaws } from "./logLaws.ts";

logLaws("in memory", async () => {
  const log = new MemoryLog();
  return { log, other: log };
});

const program = redisProgram("packages/feed/test/logs.test.ts");

describe.skipIf(program === undefined)("Redis", () => {
  let server: RedisServer;
  const scope = new TestScope();
  let names = 0;

  beforeAll(async () => {
    server = await RedisServer.start(program!);
  });

  afterAll(async () => {
    await scope.close();
    await server?.stop();
  });

  const open = (name: string, timeoutMs = 10_000) =>
    scope.run(redisLog({ url: server.url, name, timeoutMs }));
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect);

  logLaws("in Redis", async () => {
    const name = `law ${++names}`;
    return { log: await open(name), other: await open(name) };
  });

  it("goes on after an id that is not ours has spoilt the order", async () => {
    const log = await open("spoilt");
    await server.ask("XADD {millrace:spoilt}:entries 9007199254740993-1 b x");
    const lease = (await run(log.acquire("a", 60_000, 0)))!;
    expect(await run(log.append(lease, 1, Uint8Array.of(1)))).toBe("Appended");
  });

  it("keeps markets of several names apart", async () => {
    const [one, other] = [await open("one"), await open("other")];
    expect(await run(one.acquire("a", 60_000, 0))).toBeDefined();
    expect(await run(other.acquire("a", 60_000, 0))).toBeDefined();
  });

  it("fails in time while the server is stopped or gone, and comes back by itself", async () => {
    const log = await open("gone", 300);
    const reason = async () => {
      const failure = await run(Effect.flip(log.standing));
      expect(failure.detail).not.toContain("redis://");
      return failure.reason;
    };
    server.pause();
    expect(await reason()).toBe("TimedOut");
    await server.resume();
    await run(Effect.retry(log.standing, { times: 50 }));
    await server.kill();
    expect(await reason()).toBe("Unavailable");
    await server.resume();
    expect(await run(Effect.retry(log.standing, { times: 50 }))).toMatchObject({ isLed: false });
  });
});
