import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { Effect, type Scope } from "effect";
import type { BenchmarkError } from "../BenchmarkError.ts";
import { startChild } from "../children.ts";
import { attempt } from "../streams/processes.ts";

const PROGRAM = "/usr/bin/redis-server";
const ASK_EVERY_MS = 10;

/**
 * The URL of a Redis server that keeps its log in a folder and ends with the scope. Undefined, with
 * a message, where none is installed.
 */
export const startRedis = (
  folder: string,
): Effect.Effect<string | undefined, BenchmarkError, Scope.Scope> =>
  Effect.gen(function* () {
    if (!existsSync(PROGRAM)) {
      process.stderr.write(
        "SKIPPED: no Redis server is installed (apt-get install redis-server)\n",
      );
      return undefined;
    }
    const port = yield* attempt(freePort);
    const place = ["--port", String(port), "--dir", folder];
    const settings = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"];
    yield* startChild(PROGRAM, [...place, ...settings], { stdio: "ignore" });
    yield* attempt(async () => {
      while (!(await isOpen(port))) await setTimeout(ASK_EVERY_MS);
    });
    return `redis://127.0.0.1:${port}`;
  });

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const say = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => say(true));
    socket.once("error", () => say(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
