import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { PgConnection } from "@effect/sql-pg";
import { eventually } from "@millrace/testing";
import { Effect, Redacted } from "effect";

const execute = promisify(execFile);
const DEBIAN = "/usr/lib/postgresql";
/** A server of tests may lose what it has when the machine goes down. */
const SETTINGS = [
  ...["fsync=off", "full_page_writes=off", "listen_addresses=", "shared_buffers=64MB"],
  ...["max_connections=40", "autovacuum=off", "log_min_messages=panic"],
];

/** The folder of the server's programs; undefined where they are not installed. */
export function postgresPrograms(): string | undefined {
  const installed = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newestFirst = installed.sort((a, b) => Number(b) - Number(a));
  const folders = newestFirst.map((version) => join(DEBIAN, version, "bin"));
  folders.push(...(process.env["PATH"] ?? "").split(delimiter));
  return folders.find((folder) =>
    ["initdb", "postgres"].every((program) => existsSync(join(folder, program))),
  );
}

/** A PostgreSQL server in a folder of its own, on a socket in it; it asks for a password. */
export class PostgresServer {
  readonly password = "swordfish & co";
  readonly #programs: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #schemas = 0;

  private constructor(programs: string, folder: string) {
    this.#programs = programs;
    this.#folder = folder;
  }

  static async start(programs: string): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), "millrace-postgres-"));
    const user = serverUser();
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    const server = new PostgresServer(programs, folder);
    try {
      const passwordFile = join(folder, "password");
      await writeFile(passwordFile, server.password);
      const auth = ["-U", "millrace", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
      const form = ["-D", server.#data, "--no-locale", "-E", "UTF8", "--no-sync"];
      await execute(join(programs, "initdb"), [...form, ...auth], server.#options);
      await server.resume();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Starts it again where it was lost, and waits until it answers. */
  async resume(): Promise<void> {
    const words = SETTINGS.flatMap((setting) => ["-c", setting]);
    const all = ["-D", this.#data, "-k", this.#folder, ...words];
    const child = spawn(join(this.#programs, "postgres"), all, {
      ...this.#options,
      stdio: "ignore",
    });
    this.#child = child;
    process.once("exit", this.#kill);
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      return await this.query("SELECT 1").catch(() => undefined);
    });
  }

  /** Ends it without a word to whoever is connected. */
  async lose(): Promise<void> {
    process.off("exit", this.#kill);
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const ended = once(child, "exit");
    if (child.kill("SIGQUIT")) await ended;
  }

  readonly #kill = () => void this.#child?.kill("SIGQUIT");

  get #data(): string {
    return join(this.#folder, "data");
  }

  get #options() {
    return { ...serverUser(), cwd: this.#folder, env: {} };
  }

  /** The password can be another one. */
  url(password = this.password): string {
    const parts = [password, this.#folder].map(encodeURIComponent);
    return `postgres://millrace:${parts[0]}@localhost/postgres?host=${parts[1]}`;
  }

  /** A name that no schema has had. */
  newSchema(): string {
    return `history_${++this.#schemas}`;
  }

  /** Over a connection of its own. */
  readonly query = (sql: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
    PgConnection.make({ url: Redacted.make(this.url()) }).pipe(
      Effect.flatMap((connection) => connection.query(sql)),
      Effect.map(({ rows }) => rows),
      Effect.scoped,
      Effect.runPromise,
    );

  async stop(): Promise<void> {
    await this.lose();
    await rm(this.#folder, { recursive: true });
  }
}

/** The server refuses to be run by root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const entries = users.map((line) => line.split(":"));
  const found = ["postgres", "nobody"].flatMap((name) => entries.filter(([user]) => user === name));
  const [, , uid, gid] = found[0]!;
  return { uid: Number(uid), gid: Number(gid) };
}
