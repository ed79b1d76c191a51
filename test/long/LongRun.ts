import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { env, execPath } from "node:process";
import type { ModuleReport } from "@millrace/testing";

const ROOT = resolve(import.meta.dirname, "../..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const SIMULATOR = "packages/chain/test/simulator/main.ts";
const FEED_SIMULATOR = "packages/feed/test/simulator/main.ts";
const FEED_SEEDS = 2_000;
/** The longest that a seed of the simulator may run on after time is up. */
const CUT_OFF_MS = 20_000;
/** The time between the request to end and the kill. */
const ENDING_MS = 5_000;

export interface LongRunOptions {
  /** An existing folder for the reports of the parts. */
  readonly folder: string;
  /** When nothing new starts, and running parts are cut off (`Date.now()`). */
  readonly untilMs: number;
  readonly effort: number;
  /** Seeds of the chain's simulator in each round. */
  readonly simulatorSeeds: number;
}

/** Runs rounds of all laws, each part in a process group of its own, and records what ran. */
export class LongRun {
  /** The commands that run again what failed. */
  readonly failures: string[] = [];
  readonly #options: LongRunOptions;
  readonly #cases = new Map<string, number>();
  readonly #seeds: number[] = [];
  #files = 0;
  #tests = 0;
  #cutOff = 0;
  #child: ChildProcess | undefined;
  #isStopped = false;

  constructor(options: LongRunOptions) {
    this.#options = options;
  }

  isOver(): boolean {
    return this.#isStopped || Date.now() >= this.#options.untilMs;
  }

  /** Starts nothing more, and ends running parts. */
  stop(): void {
    this.#isStopped = true;
    signalGroup(this.#child, "SIGTERM");
  }

  /**
   * Runs all parts with the seed, or only `simulator`, `live`, `rest`, or test files by their path.
   */
  async round(seed: number, only?: string): Promise<void> {
    console.log(`\nround with seed ${seed}`);
    this.#seeds.push(seed);
    if (only === undefined || only === "simulator") await this.#simulate(seed);
    if (only === undefined || only === "feed") await this.#simulateFeed(seed);
    // The parts of vitest.config.ts.
    if (only === undefined || only === "live") await this.#vitest(seed, ["--project=live"]);
    if (only === undefined || only === "rest")
      await this.#vitest(seed, ["--project=together", "--project=alone"]);
    if (only !== undefined && !["simulator", "feed", "live", "rest"].includes(only))
      await this.#vitest(seed, [only]);
  }

  /** What ran: the laws and their cases, all seeds, and the commands that rerun failures. */
  summary(): string {
    const laws = [...this.#cases].sort(([a], [b]) => (a < b ? -1 : 1));
    const cut = this.#cutOff === 0 ? "" : `; ${this.#cutOff} parts were cut off as time was up`;
    return [
      "",
      ...laws.map(([name, cases]) => `${String(cases).padStart(9)}  ${name}`),
      `${laws.length} laws in ${this.#files} runs of files, ${this.#tests} tests${cut}`,
      `seeds: ${this.#seeds.join(", ")}; effort ${this.#options.effort}`,
      ...(this.failures.length === 0 ? [] : ["failed:", ...new Set(this.failures)]),
    ].join("\n");
  }

  async #simulate(seed: number): Promise<void> {
    if (this.isOver()) return;
    const { simulatorSeeds, untilMs } = this.#options;
    // It ends by itself before it would be cut off and lose its counts.
    const minutes = Math.max(0, untilMs - Date.now() - CUT_OFF_MS) / 60_000;
    const arguments_ = ["--first", seed, "--count", simulatorSeeds, "--minutes", minutes];
    const script = [SIMULATOR, ...arguments_.map(String), "--forks", "2"];
    let output = "";
    const code = await this.#run(script, {}, (text) => {
      output += text;
    });
    const found = [...output.matchAll(/^alone: (.*)$/gm)].map(([, command]) => command as string);
    this.failures.push(...found);
    if (code !== 0 && found.length === 0) this.failures.push(`node run.mjs ${script.join(" ")}`);
    const ran = [...output.matchAll(/^(\d+) seeds from /gm)];
    this.#count(
      "a chain source among faults (simulator)",
      ran.reduce((sum, [, count]) => sum + Number(count), 0),
    );
  }

  /** Reports its counts, and ends with 1 where anything failed. */
  async #simulateFeed(seed: number): Promise<void> {
    if (this.isOver()) return;
    const minutes = Math.max(0, this.#options.untilMs - Date.now() - CUT_OFF_MS) / 60_000;
    const words = ["--first", seed, "--count", FEED_SEEDS, "--minutes", minutes].map(String);
    let output = "";
    const code = await this.#run([FEED_SIMULATOR, ...words], {}, (text) => {
      output += text;
    });
    const found = [...output.matchAll(/^alone: (.*)$/gm)].map(([, command]) => command as string);
    this.failures.push(...found);
    if (code !== 0 && found.length === 0) {
      this.failures.push(`node run.mjs ${[FEED_SIMULATOR, ...words].join(" ")}`);
    }
    const ran = /^(\d+) seeds from /m.exec(output)?.[1] ?? "0";
    this.#count("servers of one feed among faults (simulator)", Number(ran));
  }

  async #vitest(seed: number, selection: ReadonlyArray<string>): Promise<void> {
    if (this.isOver()) return;
    const { effort, folder } = this.#options;
    const path = join(folder, `${seed}-${this.#files}.jsonl`);
    const drawn = {
      MILLRACE_TEST_SEED: String(seed),
      MILLRACE_TEST_EFFORT: String(effort),
      MILLRACE_TEST_REPORT: path,
    };
    // A new order each time, so that different files are left out when time is up.
    const order = ["--sequence.shuffle.files", `--sequence.seed=${seed}`];
    const timeouts = Math.ceil(600_000 * Math.max(1, effort));
    const patience = [`--testTimeout=${timeouts}`, `--hookTimeout=${timeouts}`];
    const code = await this.#run([VITEST, "run", ...order, ...patience, ...selection], drawn);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const reports = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as ModuleReport);
    for (const { laws, tests, failures } of reports) {
      this.#files++;
      this.#tests += tests;
      for (const { name, cases } of laws) this.#count(name, cases);
      this.failures.push(...failures);
    }
    const isExplained = this.isOver() || reports.some(({ failures }) => failures.length > 0);
    if (code !== 0 && !isExplained) {
      const names = `MILLRACE_TEST_SEED=${seed} MILLRACE_TEST_EFFORT=${effort}`;
      this.failures.push(`${names} npm test -- ${selection.join(" ")}`);
    }
  }

  #count(law: string, cases: number): void {
    this.#cases.set(law, (this.#cases.get(law) ?? 0) + cases);
  }

  /** Runs a script to its end, or until time is up; none of its processes outlives it. */
  async #run(
    script: ReadonlyArray<string>,
    drawn: Readonly<Record<string, string>>,
    onOutput?: (text: string) => void,
  ): Promise<number> {
    const child = spawn(execPath, ["--disable-warning=ExperimentalWarning", ...script], {
      cwd: ROOT,
      env: { ...env, ...drawn },
      stdio: ["ignore", onOutput === undefined ? "inherit" : "pipe", "inherit"],
      // A group of its own, so that all that it starts can be ended with it.
      detached: true,
    });
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      process.stdout.write(text);
      onOutput?.(text);
    });
    const timer = setTimeout(
      () => {
        this.#cutOff++;
        signalGroup(child, "SIGTERM");
      },
      Math.max(0, this.#options.untilMs - Date.now()),
    );
    const code = await new Promise<number>((done, failed) => {
      child.on("error", failed);
      child.on("close", (exit) => done(exit ?? 1));
      child.on("exit", () => setTimeout(() => signalGroup(child, "SIGKILL"), ENDING_MS).unref());
    });
    clearTimeout(timer);
    signalGroup(child, "SIGKILL");
    this.#child = undefined;
    return code;
  }
}

/** Signals all remaining processes of the child's group. */
function signalGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // None is left.
  }
}
