import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { TestRunner } from "vitest";

const SERVICE = fileURLToPath(new URL("../../../apps/server/src/main.ts", import.meta.url));

/** As in `run.mjs`: otherwise Node strips the types of all files at every start. */
const NODE_OPTIONS = [
  "--disable-warning=ExperimentalWarning",
  "--import",
  new URL("../../../withoutTypes.mjs", import.meta.url).href,
];

const running = new Set<TestProcess>();

/** Options for starting a program. */
interface ProcessOptions {
  /** Its whole environment beside `PATH`: nothing is inherited from this process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly words?: ReadonlyArray<string>;
  readonly nodeOptions?: ReadonlyArray<string>;
  /** A shell command to run first, such as `ulimit -f 8`. */
  readonly shell?: string;
}

/** A TypeScript program in its own process, with everything that it has written. */
export class TestProcess {
  readonly child: ChildProcess;
  readonly output = { out: "", err: "" };
  /** Its exit code, once it has ended and its output is complete; null when a signal ended it. */
  readonly exit: Promise<number | null>;

  constructor(program: string | URL, options: ProcessOptions = {}) {
    const { environment = {}, words = [], nodeOptions = [], shell = ":" } = options;
    const path = typeof program === "string" ? program : fileURLToPath(program);
    const command = [process.execPath, ...NODE_OPTIONS, ...nodeOptions, path, ...words];
    this.child = spawn("sh", ["-c", `${shell}; exec "$@"`, "sh", ...command], {
      env: { PATH: process.env["PATH"], ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child.stdout!.on("data", (data: Buffer) => this.#read("out", data));
    this.child.stderr!.on("data", (data: Buffer) => this.#read("err", data));
    this.exit = once(this.child, "close").then(([code]) => code as number | null);
    running.add(this);
  }

  /** Waits for more output; rejects when the process has ended. */
  async more(): Promise<void> {
    const isOver = await Promise.race([
      once(this.child, "output").then(() => false),
      this.exit.then(() => true),
    ]);
    if (isOver) throw new Error(`it has ended: ${this.output.out}${this.output.err}`);
  }

  /** Waits for output that matches, on either stream. */
  async line(form: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = form.exec(this.output.out) ?? form.exec(this.output.err);
      if (found !== null) return found;
      await this.more();
    }
  }

  /** Sends the signal if the process still runs, and waits for its end. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    running.delete(this);
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    return await this.exit;
  }

  #read(stream: "out" | "err", data: Buffer): void {
    this.output[stream] += data;
    this.child.emit("output");
  }
}

/** The service as `npm start` runs it, or one of its commands, on a free port. */
export class ServiceProcess extends TestProcess {
  constructor(options: ProcessOptions = {}) {
    super(SERVICE, { ...options, environment: { PORT: "0", ...options.environment } });
  }

  /** Its address, once it prints it. */
  async url(): Promise<string> {
    const [url] = await this.line(/http:\/\/\S+(?=\n)/);
    return url;
  }

  async get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const headers = { connection: "close" };
    const response = await fetch(`${await this.url()}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  }

  /** Waits until all networks are ready; returns its address. */
  async ready(): Promise<string> {
    // Not so often that it slows the service down.
    while ((await this.get("/health/ready")).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 100));
    return await this.url();
  }
}

/** What is shown of the output of a process that runs on when its test has failed. */
const SHOWN_MAX = 4_000;

/**
 * Ends all processes that still run: for `afterEach`. Shows their output where the test has failed.
 */
export async function killProcesses(): Promise<void> {
  if (TestRunner.getCurrentTest()?.result?.state === "fail") {
    for (const { child, output } of running) {
      const text = `${output.out}${output.err}`.slice(-SHOWN_MAX);
      console.error(`${child.spawnargs.at(-1)} runs on, and has said: ${text}`);
    }
  }
  await Promise.all([...running].map((process) => process.end("SIGKILL")));
}
