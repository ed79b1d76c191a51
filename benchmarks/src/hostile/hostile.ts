import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { startChild, temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { startService } from "../http/service.ts";
import { readTrades, UNIVERSE_FILE } from "../market.ts";
import { openLoop, type Target } from "../overload/loops.ts";
import { writeRequests } from "../overload/requests.ts";
import { median } from "../statistics.ts";
import { attempt } from "../streams/processes.ts";
import { RawSocket } from "../streams/RawSocket.ts";
import { heavyQuote, hostileRequests } from "./hostileRequests.ts";

const FULL = { requests: 500, seconds: 8, perSecond: 200, rounds: 3 };
const SMOKE = { requests: 50, seconds: 0.5, perSecond: 50, rounds: 1 };
const ATTACKER = fileURLToPath(new URL("./attacker.ts", import.meta.url));
const CALM = "203.0.113.1";
const HOSTILE = "203.0.113.2";
const CONNECTIONS = 32;
/** Budget of each address; the calm client's load fits in. */
const UNITS_A_SECOND = 4_000;
/** After this, the hostile client has used up its burst. */
const SETTLE_MS = 1_000;
const FIRST_VALUE_MS_MAX = 20_000;

/**
 * One hostile client at its full allowance, of each kind that was found to hurt, against a calm
 * client that asks for quotes at fixed times: the calm client's p99, relative to its p99 alone, and
 * the time until its first value of a heavy stream.
 */
export const hostile = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sizes = smoke ? SMOKE : FULL;
      const folder = yield* temporaryFolder;
      const configuration = join(folder, "millrace.json");
      yield* attempt(() => writeFile(configuration, JSON.stringify(CONFIGURATION)));
      const url = yield* startService({ MILLRACE_CONFIG: configuration });
      const requestsFile = yield* writeRequests(url, sizes.requests, folder);
      const calm: Target = { url, requestsFile, address: CALM };
      const timeCalm = openLoop(calm, CONNECTIONS, sizes.perSecond, sizes.seconds);
      yield* timeCalm;
      const ratios = new Map<string, number[]>();
      const firsts = new Map<string, number[]>();
      const calmP99Us: number[] = [];
      for (let round = 0; round < sizes.rounds; round++) {
        const { p99Us } = yield* timeCalm;
        calmP99Us.push(p99Us);
        for (const { name, kind, lines } of hostileRequests()) {
          const file = join(folder, `${name}.txt`);
          yield* attempt(() => writeFile(file, lines.map((line) => `${line}\n`).join("")));
          const [report, firstMs] = yield* Effect.scoped(
            Effect.gen(function* () {
              yield* startAttacker(kind, url, file);
              yield* Effect.sleep(SETTLE_MS);
              return [yield* timeCalm, yield* timeFirstValue(url)] as const;
            }),
          );
          ratios.set(name, [...(ratios.get(name) ?? []), report.p99Us / p99Us]);
          firsts.set(name, [...(firsts.get(name) ?? []), firstMs]);
        }
      }
      return [
        { name: "hostile.calm.p99", value: median(calmP99Us), unit: "us" },
        ...[...ratios].flatMap(([name, values]) => [
          { name: `hostile.${name}.p99.ratio`, value: median(values), unit: "of calm" },
          { name: `hostile.${name}.first-value`, value: median(firsts.get(name)!), unit: "ms" },
        ]),
      ];
    }),
  );

const CONFIGURATION = {
  networks: [
    {
      id: "ETH",
      name: "Recorded",
      chainId: 1,
      source: { kind: "marketFile", path: UNIVERSE_FILE },
    },
  ],
  limits: { address: { perSecond: UNITS_A_SECOND }, trustedProxies: ["127.0.0.1/32"] },
};

const startAttacker = (kind: string, url: string, file: string) =>
  startChild(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", ATTACKER, kind, new URL(url).port, file, HOSTILE],
    { stdio: ["ignore", "ignore", "inherit", "ipc"] },
  );

/** Milliseconds until a client that connects now has the first value of a heavy stream. */
const timeFirstValue = (url: string): Effect.Effect<number, BenchmarkError> =>
  Effect.callback<number, BenchmarkError>((resume) => {
    const [trade] = readTrades(1);
    const startMs = performance.now();
    const finish = (): void => {
      clearTimeout(limit);
      socket.leave();
      resume(Effect.succeed(performance.now() - startMs));
    };
    const limit = setTimeout(finish, FIRST_VALUE_MS_MAX);
    const socket: RawSocket = new RawSocket(
      Number(new URL(url).port),
      {
        open: () => socket.send(heavyQuote(trade!, 1)),
        text: (bytes, start, end) => {
          if (bytes.toString("latin1", start, end).startsWith('{"op":"snapshot"')) finish();
        },
        ended: (why) => {
          clearTimeout(limit);
          const message = `the stream ended before its first value: ${why}`;
          resume(Effect.fail(new BenchmarkError({ message })));
        },
      },
      [`X-Forwarded-For: ${CALM}`],
    );
  });
