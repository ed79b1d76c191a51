import {
  killProcesses,
  law,
  RedisServer,
  redisProgram,
  type ServiceProcess,
  TEST_EFFORT,
} from "@millrace/testing";
import { openTestDevnet, type TestDevnet } from "@millrace/testing/devnet";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FedReadiness, FedServers, quoteOf, readiness, untilReady } from "./FedServers.ts";
import { TcpLink } from "./TcpLink.ts";

const program = redisProgram("apps/server/test/feed/chaos.test.ts");
/** Each takes seconds, so only long runs have them; effort 12 has twelve of each. */
const isLong = TEST_EFFORT >= 8;

/** Without a pause between requests, servers would do little else. */
const BETWEEN_LOOKS_MS = 20;
const pause = (ms: number) => Effect.runPromise(Effect.sleep(ms));

interface Member {
  server: ServiceProcess;
  readonly link: TcpLink;
  /** To its node. */
  readonly nodeLink: TcpLink;
}

describe.skipIf(program === undefined || !isLong)("leaders of a feed", () => {
  let chain: TestDevnet;
  let redis: RedisServer;
  let servers: FedServers;
  const leaders: Member[] = [];
  let reader: ServiceProcess;
  const tookMs = new Map<string, number[]>();

  beforeAll(async () => {
    [chain, redis] = await Promise.all([
      openTestDevnet({ network: "ETH", trafficEveryMs: 500 }),
      RedisServer.start(program!),
    ]);
    servers = new FedServers(chain.devnet, redis);
    for (let count = 0; count < 2; count++) {
      const link = await TcpLink.open(redis.port);
      const nodeLink = await TcpLink.open(Number(new URL(chain.devnet.rpcUrl).port));
      const server = await servers.start("standby", link.port, nodeLink.port);
      leaders.push({ link, nodeLink, server });
    }
    reader = await servers.start("never");
    await Promise.all(
      [reader, ...leaders.map(({ server }) => server)].map((each) => untilReady(each)),
    );
  });

  afterAll(async () => {
    console.log("ms until the reader had a block of the next leader, and all agreed:");
    for (const [kind, all] of tookMs) console.log(kind, all.map(Math.round).join(" "));
    await killProcesses();
    for (const { link, nodeLink } of leaders) {
      link.close();
      nodeLink.close();
    }
    await servers?.remove();
    await redis?.stop();
    await chain?.close();
  });

  const leading = async (): Promise<Member> => {
    for (;;) {
      for (const member of leaders) {
        const state = await readiness(member.server).catch(() => undefined);
        if (state?.feed.role === "leader") return member;
      }
      await pause(BETWEEN_LOOKS_MS);
    }
  };

  const kinds: Readonly<Record<string, (leader: Member) => Promise<() => Promise<void>>>> = {
    "kill -9": async (leader) => {
      await leader.server.end("SIGKILL");
      return async () => {
        const { link, nodeLink } = leader;
        leader.server = await servers.start("standby", link.port, nodeLink.port);
      };
    },
    "SIGSTOP for 5 s": async ({ server }) => {
      server.child.kill("SIGSTOP");
      const until = pause(5_000);
      return async () => {
        await until;
        server.child.kill("SIGCONT");
      };
    },
    "cut off": async ({ link }) => {
      link.cut();
      return async () => link.mend();
    },
    "its node is cut off": async ({ nodeLink }) => {
      nodeLink.cut();
      return async () => nodeLink.mend();
    },
    "Redis restarts": async () => {
      await redis.kill();
      await redis.resume();
      return async () => {};
    },
    "Redis is wiped": async () => {
      await redis.ask("FLUSHALL");
      return async () => {};
    },
    "two leaders at once": async () => {
      await redis.ask(`DEL {millrace:test:${chain.devnet.chainId}}:lease`);
      return async () => {};
    },
  };

  it.each(Object.keys(kinds))(
    "%s: all go on, and agree",
    async (kind) => {
      const times: number[] = [];
      for (const [index] of law(`chaos of a feed: ${kind}`, 1).sources()) {
        const leader = await leading();
        const before = await readiness(reader);
        const start = performance.now();
        const heal = await kinds[kind]!(leader);
        // A restart of Redis alone needs no new leader.
        const isOn = ({ feed, blockNumber }: FedReadiness) =>
          kind === "Redis restarts"
            ? Number(blockNumber) > Number(before.blockNumber)
            : feed.epoch > before.feed.epoch;
        await untilReady(reader, isOn);
        times.push(performance.now() - start);
        const { blockNumber } = await readiness(reader);
        expect(Number(blockNumber), `${kind} ${index}`).toBeGreaterThanOrEqual(
          Number(before.blockNumber),
        );
        await heal();
        const all = [reader, ...leaders.map(({ server }) => server)];
        await Promise.all(
          all.map((server) => untilReady(server, ({ feed }) => feed.epoch >= before.feed.epoch)),
        );
        expect(await agreed(all), `${kind} ${index}`).toBe(true);
      }
      tookMs.set(kind, times);
    },
    3_600_000,
  );

  /** Whether all give the same answers, once all were asked at one block. */
  async function agreed(all: ReadonlyArray<ServiceProcess>): Promise<boolean> {
    const [weth, token] = chain.devnet.tokens.map(({ address }) => address);
    for (;;) {
      const texts = await Promise.all(all.map((each) => quoteOf(each, weth!, token!, 10n ** 18n)));
      const blocks = texts.map(({ text }) => JSON.parse(text).blockNumber);
      if (new Set(blocks).size === 1 && texts.every(({ status }) => status === 200))
        return new Set(texts.map(({ text }) => text)).size === 1;
      await pause(BETWEEN_LOOKS_MS);
    }
  }
});
