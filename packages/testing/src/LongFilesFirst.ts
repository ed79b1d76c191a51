import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They take 20 s and more. A fresh clone knows no durations, and would begin some of them last. */
const LONG_FILES = [
  "apps/examples/test/documents.test.ts",
  "apps/web/test/page.test.ts",
  "apps/server/test/history/keptFaults.test.ts",
  "apps/web/test/openLong.test.ts",
  "apps/web/test/troubles.test.ts",
  "apps/cli/test/history.test.ts",
  "apps/server/test/process/devnetProcess.test.ts",
  "test/execution/tokenVerdicts.test.ts",
  "apps/server/test/networks/marketDisk.test.ts",
  "apps/cli/test/service.test.ts",
  "packages/history/test/durability.test.ts",
  "packages/devnet/test/families.test.ts",
  "test/house/packedInstall.test.ts",
];

/** Vitest's order of files, but the longest of each project come first. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = LONG_FILES.filter((file) => !existsSync(join(this.ctx.config.root, file)));
    if (missing.length > 0) throw new Error(`no such test files: ${missing.join(", ")}`);
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const isLong = ({ moduleId }: TestSpecification) =>
      LONG_FILES.some((file) => moduleId.endsWith(`/${file}`));
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}
