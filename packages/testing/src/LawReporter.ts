import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { env } from "node:process";
import type { SerializedError } from "vitest";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { TEST_EFFORT, TEST_SEED } from "./testEnvironment.ts";

/** The result of a test file: a line of JSON in the file that `MILLRACE_TEST_REPORT` names. */
export interface ModuleReport {
  readonly file: string;
  readonly tests: number;
  readonly laws: ReadonlyArray<{ readonly name: string; readonly cases: number }>;
  /** Commands that rerun the failures. */
  readonly failures: ReadonlyArray<string>;
}

/** Prints for each failed test how to rerun it with the same cases. */
export class LawReporter implements Reporter {
  readonly #failures: string[] = [];
  readonly #path = env["MILLRACE_TEST_REPORT"];

  onTestModuleEnd(module: TestModule): void {
    const report = reportOf(module);
    this.#failures.push(...report.failures);
    if (this.#path === undefined) return;
    appendFileSync(this.#path, `${JSON.stringify(report)}\n`);
    // Vitest prints errors when all files are done, and a long run may be cut off before.
    for (const error of errorsOf(module)) console.error(`\n${report.file}\n${error}`);
  }

  onTestRunEnd(): void {
    const failures = this.#failures.splice(0);
    if (failures.length > 0) console.error(`\nThe same cases again:\n${failures.join("\n")}\n`);
  }
}

function reportOf(module: TestModule): ModuleReport {
  const file = relative(module.project.config.root, module.moduleId);
  const tests = [...module.children.allTests()].filter((test) => test.result().state !== "skipped");
  const failed = tests.filter((test) => test.result().state === "failed");
  const failures = failed.map((test) => commandFor(file, test));
  // The file failed before or after its tests.
  if (failures.length === 0 && module.state() === "failed") failures.push(commandFor(file));
  const laws = tests.flatMap((test) => test.meta().laws ?? []);
  return { file, tests: tests.length, laws, failures };
}

function errorsOf(module: TestModule): ReadonlyArray<string> {
  const ofTests = [...module.children.allTests()].flatMap((test) =>
    (test.result().errors ?? []).map((error) => `${test.fullName}\n${textOf(error)}`),
  );
  return [...ofTests, ...module.errors().map(textOf)];
}

const textOf = ({ diff = "", message, stack = message }: SerializedError) => `${stack}\n${diff}`;

function commandFor(file: string, test?: TestCase): string {
  const drawn = `MILLRACE_TEST_SEED=${TEST_SEED} MILLRACE_TEST_EFFORT=${TEST_EFFORT}`;
  if (test === undefined) return `${drawn} npm test -- ${file}`;
  // The full name, suites included, since the pattern is matched against that.
  const pattern = test.fullName.replace(/[\\^$.*+?()[\]{}|"`!]/g, ".");
  return `${drawn} npm test -- ${file} -t "${pattern}"`;
}
