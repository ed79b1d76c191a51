import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDevnet } from "@millrace/devnet";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { startChild, temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { startService } from "../http/service.ts";
import { readGauge } from "../overload/readMetrics.ts";
import { writeRequests } from "../overload/requests.ts";
import { configurationOn } from "../soak/chainOfSoak.ts";
import { median, quantile } from "../statistics.ts";
import { ask, attempt } from "../streams/processes.ts";
import type { FeedReport } from "./feedClients.ts";
import { startRedis } from "./startRedis.ts";

const FULL = { servers: 16, minutes: 10, requests: 200, newcomers: 5 };
const SMOKE = { servers: 2, minutes: 0.1, requests: 10, newcomers: 1 };
const CLIENTS = fileURLToPath(new URL("./feedClients.ts", import.meta.url));
const BLOCK_EVERY_MS = 1_000;

/**
 * One server follows a devnet and publishes its blocks to a real Redis; many others answer from the
 * feed. Measured are the time from the node's announcement of a block until the last server sends
 * it to its clients, and the start of another server. The answers of all servers are compared byte
 * for byte at equal blocks; a difference is a failure. All processes share the machine's
 * processors.
 */
export const feed = Effect.fnUntraced(
  function* (smoke: boolean, minutes?: number) {
    const sizes = smoke ? SMOKE : { ...FULL, minutes: minutes ?? FULL.minutes };
    const folder = yield* temporaryFolder;
    const redis = yield* startRedis(folder);
    if (redis === undefined) return [];
    const devnet = yield* startDevnet({ network: "ETH", trafficEveryMs: BLOCK_EVERY_MS });
    const start = Effect.fnUntraced(function* (lead: "whenFree" | "never") {
      const file = join(folder, `${lead}.json`);
      const own = { searchWorkers: 0, limits: { shedding: false } };
      const settings = { ...own, feed: { url: redis, name: "benchmark", lead } };
      const text = JSON.stringify({ ...configurationOn(devnet), ...settings });
      yield* attempt(() => writeFile(file, text));
      return yield* startService({ MILLRACE_CONFIG: file });
    });
    const urls = [yield* start("whenFree")];
    while (urls.length <= sizes.servers) urls.push(yield* start("never"));
    const requestsFile = yield* writeRequests(urls[0]!, sizes.requests, folder);
    const before = yield* Effect.forEach(urls, cpuOf);
    const clients = yield* startChild(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        CLIENTS,
        devnet.webSocketUrl,
        requestsFile,
        ...urls,
      ],
      { stdio: ["ignore", "inherit", "inherit", "ipc"] },
    );
    yield* Effect.sleep(60_000 * sizes.minutes);
    const report = yield* ask<FeedReport>(clients, "report");
    const cpu = (yield* Effect.forEach(urls, cpuOf)).map((seconds, at) => seconds - before[at]!);
    const residents = yield* Effect.forEach(urls.slice(1), (url) =>
      readGauge(url, "process_resident_memory_bytes"),
    );
    const newcomersMs: number[] = [];
    for (let newcomer = 0; newcomer < sizes.newcomers; newcomer++) {
      const startMs = performance.now();
      yield* Effect.scoped(start("never"));
      newcomersMs.push(performance.now() - startMs);
    }
    const { compared, differing, example, toFirstMs, toAllMs } = report;
    const spreadMs = toAllMs.map((ms, block) => ms - toFirstMs[block]!);
    if (differing > 0) {
      const message = `${differing} of ${compared} answers differ at equal blocks, as: ${example}`;
      return yield* new BenchmarkError({ message });
    }
    const each = (of: ReadonlyArray<number>) => (1e3 * median(of)) / report.blocks;
    return [
      { name: "feed.servers", value: sizes.servers, unit: "servers" },
      { name: "feed.blocks", value: report.blocks, unit: "blocks" },
      { name: "feed.to-first.p50", value: median(toFirstMs), unit: "ms" },
      { name: "feed.to-first.p99", value: quantile(toFirstMs, 0.99), unit: "ms" },
      { name: "feed.spread.p50", value: median(spreadMs), unit: "ms" },
      { name: "feed.spread.p99", value: quantile(spreadMs, 0.99), unit: "ms" },
      { name: "feed.to-all.p50", value: median(toAllMs), unit: "ms" },
      { name: "feed.to-all.p99", value: quantile(toAllMs, 0.99), unit: "ms" },
      { name: "feed.compared", value: compared, unit: "answers" },
      { name: "feed.differing", value: differing, unit: "answers" },
      { name: "feed.newcomer", value: median(newcomersMs), unit: "ms" },
      { name: "feed.newcomer.worst", value: Math.max(...newcomersMs), unit: "ms" },
      { name: "feed.cpu.leader", value: each(cpu.slice(0, 1)), unit: "ms" },
      { name: "feed.cpu.server", value: each(cpu.slice(1)), unit: "ms" },
      { name: "feed.resident", value: median(residents), unit: "bytes" },
    ] satisfies ReadonlyArray<Figure>;
  },
  Effect.scoped,
  Effect.mapError((cause) =>
    cause instanceof BenchmarkError ? cause : new BenchmarkError({ message: String(cause) }),
  ),
);

const cpuOf = (url: string) => readGauge(url, "process_cpu_seconds_total");
