import type { ChildProcess } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Effect, type Scope } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { median } from "../statistics.ts";
import type { ClientsReport } from "./clients.ts";
import {
  ask,
  attempt,
  nextMessage,
  type Server,
  startClients,
  startProbedService,
  startServer,
} from "./processes.ts";

const CLIENTS = fileURLToPath(new URL("./clients.ts", import.meta.url));
const BARE = fileURLToPath(new URL("./bareFanOut.ts", import.meta.url));
const MARKET = { kind: "generated", seed: 20_261_120, poolCount: 500 };
const MEGABYTE = 1_000_000;
/** The least pause between two blocks, for the highest rate. */
const NO_PAUSE_MS = 1;

interface ClientSizes {
  readonly connections: number;
  /** Between the end of a block's work and the next block. */
  readonly pauseMs: number;
  readonly holdWarmUpMs: number;
  readonly minutes: number;
  readonly minuteMs: number;
  readonly rounds: number;
  readonly pushWarmUpMs: number;
  readonly roundMs: number;
}

/** The reports of clients and of their server over one period. */
interface Spell {
  readonly clients: ClientsReport;
  readonly cores: number;
  readonly residentBytes: number;
}

/** Clients that get updates of about ten blocks a second, for some minutes. */
export const holdClients = (
  sizes: ClientSizes,
  folder: string,
): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const service = yield* startService(sizes.pauseMs, folder);
      const { connections, holdWarmUpMs, minutes, minuteMs } = sizes;
      const clients = yield* openClients(service, connections, holdWarmUpMs);
      const keptBytes = [yield* service.kept];
      const spells: Spell[] = [];
      for (let minute = 0; minute < minutes; minute++) {
        spells.push(yield* watchClients(service, clients, minuteMs));
        keptBytes.push(yield* service.kept);
      }
      const of = (what: string, value: number, unit: string): Figure => ({
        name: `streams.connections.${what}`,
        value,
        unit,
      });
      const each = (pick: (spell: Spell) => number) => spells.map(pick);
      return [
        of("count", connections, "connections"),
        of("published", median(each((spell) => rateOf(spell) / connections)), "messages/s each"),
        of("rate", Math.round(median(each(rateOf))), "messages/s"),
        of("spared", sum(each(({ clients }) => clients.spared)), "messages"),
        of("unnoticed", sum(each(({ clients }) => clients.unnoticed)), "messages"),
        of("cpu", median(each(({ cores }) => cores)), "cores"),
        of("read.p50", median(each(({ clients }) => clients.p50Ms)), "ms"),
        of("read.p99", median(each(({ clients }) => clients.p99Ms)), "ms"),
        ...spells.map(({ residentBytes }, minute) =>
          of(`resident.minute-${minute + 1}`, residentBytes / MEGABYTE, "MB"),
        ),
        ...keptBytes.map((bytes, minute) => of(`kept.minute-${minute}`, bytes / MEGABYTE, "MB")),
      ];
    }),
  );

/**
 * The most messages a second that the service delivers to its clients, against a server that only
 * sends as many bytes to as many clients: one socket after the other, and by the native library's
 * own `publish`. They take turns, each with a process and clients of its own.
 */
export const pushToClients = (
  sizes: ClientSizes,
  folder: string,
): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.gen(function* () {
    const messageFile = join(folder, "message.json");
    const spell = (server: Effect.Effect<Server, BenchmarkError, Scope.Scope>) =>
      Effect.scoped(
        Effect.gen(function* () {
          const started = yield* server;
          const clients = yield* openClients(started, sizes.connections, sizes.pushWarmUpMs);
          return yield* watchClients(started, clients, sizes.roundMs);
        }),
      );
    const service: Spell[] = [];
    const bare: Spell[] = [];
    const published: Spell[] = [];
    for (let round = 0; round < sizes.rounds; round++) {
      service.push(yield* spell(startService(NO_PAUSE_MS, folder)));
      if (round === 0) yield* attempt(() => writeFile(messageFile, service[0]!.clients.sample));
      bare.push(yield* spell(startServer([BARE, messageFile, "each"])));
      published.push(yield* spell(startServer([BARE, messageFile, "publish"])));
    }
    const ratios = (of: (spell: Spell) => number, one: ReadonlyArray<Spell>) =>
      median(service.map((spell, round) => of(spell) / of(one[round]!)));
    const { messages, bytes } = service[0]!.clients;
    return [
      { name: "streams.push.message-size", value: bytes / messages, unit: "bytes" },
      ...pushFigures("service", service),
      ...pushFigures("bare", bare),
      ...pushFigures("bare-publish", published),
      { name: "streams.push.ratio", value: ratios(rateOf, bare), unit: "of bare" },
      { name: "streams.push.ratio-publish", value: ratios(rateOf, published), unit: "of bare" },
      // The ratio of what each would deliver with a whole core to itself.
      { name: "streams.push.ratio-a-core", value: ratios(rateOfCore, bare), unit: "of bare" },
    ];
  });

function pushFigures(name: string, spells: ReadonlyArray<Spell>): ReadonlyArray<Figure> {
  const rates = spells.map(rateOf);
  const cpuUs = spells.map((spell) => 1e6 / rateOfCore(spell));
  return [
    { name: `streams.push.${name}`, value: Math.round(median(rates)), unit: "messages/s" },
    { name: `streams.push.${name}.cpu`, value: median(cpuUs), unit: "us/message" },
    {
      name: `streams.push.${name}.cores`,
      value: median(spells.map(({ cores }) => cores)),
      unit: "cores",
    },
  ];
}

const startService = (pauseMs: number, folder: string) =>
  Effect.gen(function* () {
    const configuration = join(folder, "millrace.json");
    const source = { ...MARKET, blockEveryMs: pauseMs };
    // The store of swaps is small: it is soon full, so that it does not look like growth.
    const kept = { tradesMax: 1_000, candleMiB: 1 };
    const networks = [{ id: "ETH", name: "Generated", chainId: 1, source, ...kept }];
    const streams = { connectionsPerAddress: 1_000_000 };
    const text = JSON.stringify({ networks, searchWorkers: 0, streams });
    yield* attempt(() => writeFile(configuration, text));
    return yield* startProbedService(configuration);
  });

/** Clients of a server, once all are connected and the server is warmed up. */
const openClients = Effect.fnUntraced(function* (
  server: Server,
  connections: number,
  warmUpMs: number,
) {
  const clients = yield* startClients(CLIENTS, [server.port, connections]);
  yield* nextMessage(clients);
  // A bare server starts to send at this request.
  yield* server.report;
  yield* Effect.sleep(warmUpMs);
  return clients;
});

/** Measures one period. Fails if a connection ended, or if a message was lost unnoticed. */
const watchClients = Effect.fnUntraced(function* (
  server: Server,
  clients: ChildProcess,
  ms: number,
) {
  yield* ask(clients, "report");
  const before = yield* server.report;
  yield* Effect.sleep(ms);
  const report = yield* ask<ClientsReport>(clients, "report");
  const { cpuUs, residentBytes } = yield* server.report;
  const { ended, unnoticed, seconds } = report;
  if (ended + unnoticed > 0) {
    const message = `${ended} connections ended, ${unnoticed} messages were missing unnoticed`;
    return yield* new BenchmarkError({ message });
  }
  return { clients: report, cores: (cpuUs - before.cpuUs) / 1e6 / seconds, residentBytes };
});

/** Messages a second. */
const rateOf = ({ clients: { messages, seconds } }: Spell): number => messages / seconds;
const rateOfCore = (spell: Spell): number => rateOf(spell) / spell.cores;

const sum = (values: ReadonlyArray<number>): number =>
  values.reduce((total, value) => total + value, 0);
