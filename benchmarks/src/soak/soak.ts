import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDevnet } from "@millrace/devnet";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { startChild, temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { writeRequests } from "../overload/requests.ts";
import { ask, attempt, startProbedService } from "../streams/processes.ts";
import { type ChainOfSoak, configurationOn, keepMoving } from "./chainOfSoak.ts";
import { lineThrough } from "./lineThrough.ts";
import type { SoakReport } from "./soakClients.ts";

const FULL = { minutes: 5, looks: 60, quotesPerSecond: 2_000, subscriptions: 1_000 };
const SMOKE = { minutes: 0.1, looks: 4, quotesPerSecond: 50, subscriptions: 50 };
const CLIENTS = fileURLToPath(new URL("./soakClients.ts", import.meta.url));
const MEGABYTE = 1_000_000;
const MINUTES_A_HOUR = 60;

/**
 * The service on a chain that moves and reorganises, under constant load for some minutes. Fails
 * for a wrong answer, and for one of a block that is too old. Memory is sampled repeatedly after
 * full collections; its slope is that of the second half. What was compiled is told apart: for half
 * an hour, rare code is still found hot.
 */
export const soak = Effect.fnUntraced(
  function* (smoke: boolean, minutes?: number) {
    const sizes = smoke ? SMOKE : { ...FULL, minutes: minutes ?? FULL.minutes };
    const folder = yield* temporaryFolder;
    const devnet = yield* startDevnet({ network: "ETH" });
    const configuration = join(folder, "millrace.json");
    const text = JSON.stringify(configurationOn(devnet));
    yield* attempt(() => writeFile(configuration, text));
    const service = yield* startProbedService(configuration);
    const requestsFile = yield* writeRequests(service.url, 100, folder);
    const load = [service.port, requestsFile, sizes.quotesPerSecond, sizes.subscriptions];
    const clients = yield* startChild(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", CLIENTS, ...load.map(String)],
      { stdio: ["ignore", "inherit", "inherit", "ipc"] },
    );
    const chain: ChainOfSoak = { blocks: 0, reorganisations: 0 };
    const moving = keepMoving(devnet, chain, (head) => void clients.send({ head }));
    yield* Effect.forkScoped(moving);
    const kept: Array<readonly [minutes: number, megabytes: number]> = [];
    const code: number[] = [];
    let residentBytes = 0;
    for (let look = 1; look <= sizes.looks; look++) {
      yield* Effect.sleep((60_000 * sizes.minutes) / sizes.looks);
      kept.push([(look * sizes.minutes) / sizes.looks, (yield* service.kept) / MEGABYTE]);
      const report = yield* service.report;
      ({ residentBytes } = report);
      code.push(report.codeBytes / MEGABYTE);
    }
    const report = yield* ask<SoakReport>(clients, "report");
    const { errors, example, messages, quotes, reconnects, refused, stale, unsent } = report;
    if (errors + stale > 0) {
      const message = `${errors} errors and ${stale} stale answers, as: ${example}`;
      return yield* new BenchmarkError({ message });
    }
    const data = kept.map(
      ([minute, megabytes], look) => [minute, megabytes - code[look]!] as const,
    );
    const line = lineThrough(kept.slice(kept.length / 2));
    const dataLine = lineThrough(data.slice(data.length / 2));
    const of = (name: string, value: number, unit: string): Figure => ({
      name: `soak.${name}`,
      value,
      unit,
    });
    return [
      of("minutes", sizes.minutes, "minutes"),
      of("quotes", quotes / (60 * sizes.minutes), "requests/s"),
      of("refused", refused / (quotes + refused), "of requests"),
      of("unsent", unsent / (quotes + refused + unsent), "of requests"),
      of("messages", messages / (60 * sizes.minutes), "messages/s"),
      of("reconnects", reconnects, "times"),
      of("blocks", chain.blocks, "blocks"),
      of("reorganisations", chain.reorganisations, "times"),
      of("errors", errors, "times"),
      of("stale", stale, "times"),
      of("resident", residentBytes / MEGABYTE, "MB"),
      of("kept.first", kept[0]![1], "MB"),
      of("kept.last", kept.at(-1)![1], "MB"),
      of("kept.slope", MINUTES_A_HOUR * line.slope, "MB/hour"),
      of("kept.slope.error", MINUTES_A_HOUR * line.slopeError, "MB/hour"),
      of("code.first", code[0]!, "MB"),
      of("code.last", code.at(-1)!, "MB"),
      of("data.slope", MINUTES_A_HOUR * dataLine.slope, "MB/hour"),
      of("data.slope.error", MINUTES_A_HOUR * dataLine.slopeError, "MB/hour"),
    ];
  },
  Effect.scoped,
  Effect.mapError((cause) =>
    cause instanceof BenchmarkError ? cause : new BenchmarkError({ message: String(cause) }),
  ),
);
