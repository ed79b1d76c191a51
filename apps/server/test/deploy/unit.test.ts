import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEPLOY, systemProgram } from "./programs.ts";

const analyze = systemProgram("systemd-analyze", "systemd");
const UNIT = `${DEPLOY}millrace.service`;
const EXPOSURE_MAX = 2;

describe("the systemd unit", () => {
  it.skipIf(analyze === undefined)(`has an exposure of at most ${EXPOSURE_MAX}`, async () => {
    const { text } = await analyze!(["security", "--offline=true", "--no-pager", UNIT]);
    const exposure = /Overall exposure level for millrace\.service: ([\d.]+)/.exec(text)?.[1];
    expect(Number(exposure), text).toBeLessThanOrEqual(EXPOSURE_MAX);
  });

  it("lets V8 write the code that it runs, and node's threads be made", () => {
    const lines = readFileSync(UNIT, "utf8").split("\n");
    const settings = lines.filter((line) => !line.startsWith("#"));
    expect(settings.filter((line) => /MemoryDenyWriteExecute/.test(line))).toEqual([]);
    expect(settings).toContain("KillSignal=SIGTERM");
    // No shell and no npm in between: the signal reaches the service.
    expect(settings.filter((line) => line.startsWith("ExecStart="))).toEqual([
      expect.stringMatching(/^ExecStart=\/\S+\/node .*millrace\.js serve$/),
    ]);
  });
});
