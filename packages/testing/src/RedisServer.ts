import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { env } from "node:process";
import { freePort } from "./freePort.ts";
import { eventually } from "./waiting.ts";

const PROGRAM = "redis-server";
/** With this set to `required`, tests that need a server fail where none is installed. */
const REQUIRED = "MILLRACE_TEST_PROGRAMS";

/** Path of the server program; undefined, with a warning, where it is not installed. */
export function redisProgram(file: string): string | undefined {
  const folders = (env["PATH"] ?? "").split(delimiter).concat("/usr/bin");
  const found = folders.map((folder) => join(folder, PROGRAM)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  const words = `${file}: no Redis server is installed; \`apt-get install redis-server\` brings it`;
  if (env[REQUIRED] === "required") throw new Error(words);
  console.warn(`SKIPPED ${words}`);
  return undefined;
}

/** A Redis server with its own port and data folder. */
export class RedisServer {
  readonly port: number;
  readonly #program: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  readonly #kill = () => void this.#child?.kill("SIGKILL");

  private constructor(program: string, folder: string, port: number) {
    this.#program = program;
    this.#folder = folder;
    this.port = port;
  }

  static async start(program: string): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), "millrace-redis-"));
    const server = new RedisServer(program, folder, await freePort());
    process.once("exit", server.#kill);
    await server.resume();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it with its stored data, or continues it after SIGSTOP. */
  async resume(): Promise<void> {
    if (this.#child !== undefined) return void this.#child.kill("SIGCONT");
    const settings = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"];
    const words = ["--port", String(this.port), "--dir", this.#folder, ...settings];
    const child = spawn(this.#program, words, { stdio: "ignore" });
    this.#child = child;
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`Redis ended with ${child.exitCode}`);
      return await this.ask("PING").then(
        (answer) => answer.startsWith("+PONG"),
        () => false,
      );
    });
  }

  /** Stops it with SIGSTOP: it answers nobody. */
  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** Kills it without warning. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** The first line of the answer to a command; its words must not contain spaces. */
  async ask(command: string): Promise<string> {
    const socket = connect(this.port, "127.0.0.1");
    try {
      await once(socket, "connect");
      socket.write(`${command}\r\n`);
      const [answer] = await once(socket, "data");
      return String(answer).split("\r\n")[0]!;
    } finally {
      socket.destroy();
    }
  }

  async stop(): Promise<void> {
    await this.kill();
    process.off("exit", this.#kill);
    await rm(this.#folder, { recursive: true });
  }
}
