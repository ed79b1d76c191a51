import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { TEST_EFFORT, TEST_SEED } from "./testEnvironment.ts";

/** After a run that failed, says of each failed law how to draw its cases again. */
export class LawReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const commands = modules.flatMap((module) =>
      [...module.children.allTests("failed")]
        .filter((test) => test.meta().laws !== undefined)
        .map((test) => commandFor(test)),
    );
    if (commands.length > 0) console.error(`\nThe same cases again:\n${commands.join("\n")}\n`);
  }
}

/** The command that runs the cases of a test again. */
function commandFor(test: TestCase): string {
  const file = relative(test.project.config.root, test.module.moduleId);
  const drawn = `MILLRACE_TEST_SEED=${TEST_SEED} MILLRACE_TEST_EFFORT=${TEST_EFFORT}`;
  const pattern = test.fullName.replace(/ > /g, " ").replace(/[\\^$.*+?()[\]{}|"`]/g, ".");
  return `${drawn} npm test -- ${file} -t "${pattern}"`;
}
