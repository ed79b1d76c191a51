import { type AddressInfo, createServer, type Socket } from "node:net";
import { MemoryLog, redisLog } from "@millrace/feed";
import { eventually, RedisServer, redisProgram, TestScope } from "@millrace/testing";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RedisConnection } from "../src/log/RedisConnection.ts";
import { logLaws } from "./logLaws.ts";

logLaws("in memory", async () => {
  const log = new MemoryLog();
  return { log, other: log };
});

const program = redisProgram("packages/feed/test/logs.test.ts");

describe("a log in Redis", () => {
  it("leaves no connection behind to a Redis that accepts and does not answer", async () => {
    const open = new Set<Socket>();
    let count = 0;
    const silent = createServer((socket) => {
      count++;
      open.add(socket);
      socket.on("close", () => open.delete(socket)).on("error", () => {});
      socket.resume();
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const scope = new TestScope();
    const url = `redis://127.0.0.1:${port}`;
    const log = await scope.run(redisLog({ url, name: "silent", timeoutMs: 40 }));
    for (let asked = 0; asked < 5; asked++) {
      const failure = await Effect.runPromise(Effect.flip(log.standing));
      expect(failure.reason).toBe("TimedOut");
    }
    await eventually(() => count === 5);
    await eventually(() => open.size === 0);
    await scope.close();
    silent.close();
  });
});

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

  it("has a connection for the next command, also where one of before it fails later", async () => {
    const paused = await RedisServer.start(program!);
    try {
      const connection = await scope.run(RedisConnection.make(paused.url));
      const ping = (timeoutMs: number) => connection.send(["PING"], timeoutMs);
      paused.pause();
      const later = run(Effect.flip(ping(500)));
      expect((await run(Effect.flip(ping(50)))).reason).toBe("TimedOut");
      const next = run(ping(10_000));
      await later;
      await paused.resume();
      expect(String(await next)).toBe("PONG");
    } finally {
      await paused.stop();
    }
  });

  it("keeps a snapshot for as long as it is the newest", async () => {
    const log = await open("kept");
    const lease = (await run(log.acquire("a", 60_000, 0)))!;
    const script = [
      "local left = {}",
      "for _, key in ipairs(redis.call('KEYS', '{millrace:kept}:piece:*')) do",
      "left[#left + 1] = redis.call('TTL', key) end",
      "table.sort(left) return redis.status_reply(table.concat(left, ' '))",
    ];
    const [first, second] = [
      [Uint8Array.of(1), Uint8Array.of(2)],
      [Uint8Array.of(3), Uint8Array.of(4)],
    ];
    // The second time with something else, as when a leader's data has joined the market.
    for (const pieces of [first, second]) {
      await run(log.saveSnapshot(lease, { epoch: lease.epoch, sequence: 1 }, pieces));
    }
    const answer = await server.ask(`EVAL "${script.join(" ")}" 0`);
    const left = answer.slice(1).split(" ").map(Number);
    expect(left.slice(0, 2)).toEqual([-1, -1]);
    expect(left.length).toBe(4);
    for (const seconds of left.slice(2)) expect(seconds).toBeGreaterThan(0);
    const loaded = (await run(log.loadSnapshot))!;
    expect(loaded.map((piece) => [...piece])).toEqual([[3], [4]]);
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
