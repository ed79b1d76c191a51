import {
  eventually,
  killProcesses,
  RedisServer,
  redisProgram,
  type ServiceProcess,
} from "@millrace/testing";
import { openTestDevnet, type TestDevnet } from "@millrace/testing/devnet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FedServers, quoteOf, readiness, untilReady } from "./FedServers.ts";

const program = redisProgram("apps/server/test/feed/feed.test.ts");

describe.skipIf(program === undefined)("services that share a market", () => {
  let chain: TestDevnet;
  let redis: RedisServer;
  let servers: FedServers;
  let leader: ServiceProcess;
  let standby: ServiceProcess;
  let follower: ServiceProcess;

  beforeAll(async () => {
    [chain, redis] = await Promise.all([
      openTestDevnet({ network: "ETH", trafficEveryMs: 1_000 }),
      RedisServer.start(program!),
    ]);
    servers = new FedServers(chain.devnet, redis);
    leader = await servers.start("standby");
    await untilReady(leader, ({ feed }) => feed.role === "leader");
    [standby, follower] = await Promise.all([servers.start("standby"), servers.start("never")]);
    await Promise.all([untilReady(standby), untilReady(follower)]);
  });

  afterAll(async () => {
    await killProcesses();
    await servers?.remove();
    await redis?.stop();
    await chain?.close();
  });

  /** The answers of all servers at one block. */
  const answers = (all: ReadonlyArray<ServiceProcess>) =>
    eventually(async () => {
      const [weth, ...others] = chain.devnet.tokens.map(({ address }) => address);
      const before = await heads(all);
      const texts = await Promise.all(
        all.map(async (server) => {
          const quotes = others
            .slice(0, 4)
            .map((token, index) => quoteOf(server, weth!, token, 10n ** BigInt(15 + index)));
          const found = await Promise.all(quotes);
          return found.map(({ status, text }) => ({ status, body: JSON.parse(text) }));
        }),
      );
      const after = await heads(all);
      const isOne = new Set([...before, ...after]).size === 1;
      return isOne ? texts : undefined;
    });
  const heads = (all: ReadonlyArray<ServiceProcess>) =>
    Promise.all(all.map(async (server) => (await readiness(server)).blockNumber));

  /** The lists that all have in common at one block, without the worth of past swaps. */
  const lists = (all: ReadonlyArray<ServiceProcess>) =>
    eventually(async () => {
      const weth = chain.devnet.tokens[0]!.address;
      const before = await heads(all);
      const read = await Promise.all(
        all.map(async (server) => {
          const [tokens, trades] = await Promise.all([
            listOf(server, "/tokens?limit=100"),
            listOf(server, `/tokens/${weth}/trades?limit=500`),
          ]);
          return { tokens: tokens.map(withoutWorth), trades: trades.map(withoutWorth) };
        }),
      );
      const isOne = new Set([...before, ...(await heads(all))]).size === 1;
      return isOne && isAlike(read) ? read[0] : undefined;
    });

  it("answer the same at the same block, whoever follows the chain", async () => {
    const [first, ...others] = await answers([leader, standby, follower]);
    for (const other of others) expect(other).toEqual(first);
    expect(first!.filter(({ status }) => status !== 200)).toEqual([]);
    const { feed } = await readiness(follower);
    expect(feed).toMatchObject({ role: "follower" });
    const entry = JSON.parse((await follower.get("/networks")).text).result[0];
    expect(entry.feed.role).toBe("follower");
    expect((await leader.get("/metrics")).text).toMatch(/millrace_feed_leader\{.*\} 1/);
  });

  it("list the same tokens and swaps, also who came late, but for what swaps were worth", async () => {
    const late = await servers.start("never");
    await untilReady(late, ({ history }) => history?.complete === true);
    const { tokens, trades } = await lists([leader, standby, follower, late]);
    expect(tokens.length).toBeGreaterThan(10);
    expect(trades.length).toBeGreaterThan(3);
    await late.end("SIGTERM");
  });

  it("have another leader when theirs is killed, and go on from where they are", async () => {
    const { feed: before } = await readiness(follower);
    await leader.end("SIGKILL");
    const isNext = ({ feed }: { readonly feed: { readonly epoch: number } }) =>
      feed.epoch > before.epoch;
    await untilReady(standby, (state) => isNext(state) && state.feed.role === "leader");
    await untilReady(follower, isNext);
    const [one, other] = await answers([standby, follower]);
    expect(other).toEqual(one);
    const { text } = await follower.get("/metrics");
    expect(/millrace_feed_resyncs_total\{.*\} (\d+)/.exec(text)?.[1]).toBe("0");
    // The swaps of the last blocks are published once more; then the history is complete again.
    for (const server of [standby, follower]) {
      await untilReady(server, ({ history }) => history?.complete === true);
    }
    await lists([standby, follower]);
  });

  it("go on when everything in Redis is lost", async () => {
    const { feed: before } = await readiness(follower);
    expect(await redis.ask("FLUSHALL")).toBe("+OK");
    await untilReady(follower, ({ feed }) => feed.epoch > before.epoch);
    const newcomer = await servers.start("never");
    await untilReady(newcomer);
    const [one, ...others] = await answers([standby, follower, newcomer]);
    for (const other of others) expect(other).toEqual(one);
  });

  it("answer for a while without Redis, then not, and come back by themselves", async () => {
    await redis.kill();
    expect((await readiness(follower)).ready).toBe(true);
    await eventually(async () => !(await readiness(follower)).ready);
    expect((await readiness(follower)).reason).toBe("nobody leads the feed");
    await redis.resume();
    const { feed } = await untilReady(follower);
    expect(feed.role).toBe("follower");
    const [one, other] = await answers([standby, follower]);
    expect(other).toEqual(one);
  });
});

type Listed = Readonly<Record<string, unknown>>;

async function listOf(server: ServiceProcess, path: string): Promise<ReadonlyArray<Listed>> {
  const { text } = await server.get(path);
  return JSON.parse(text).data;
}

/** Without the fields that depend on when a server valued past swaps. */
function withoutWorth(entry: Listed): Listed {
  const fields = Object.entries(entry).filter(([name]) => !/^volume|^valueUsd$/.test(name));
  return Object.fromEntries(fields);
}

/** Lists follow their block with a small delay. */
const isAlike = ([first, ...others]: ReadonlyArray<unknown>): boolean =>
  others.every((other) => JSON.stringify(other) === JSON.stringify(first));
