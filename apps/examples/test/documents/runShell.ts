import { execFile } from "node:child_process";
import type { DocumentService } from "./DocumentService.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;
const COMMAND = "apps/cli/src/main.ts";

export interface ShellRun {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the text of a block at the root, as in a fresh clone. Answers above 399 are errors. */
export function runShell(text: string, service: DocumentService): Promise<ShellRun> {
  // As it stands in the path of a reader who has installed it.
  const command = `millrace() { node run.mjs ${COMMAND} "$@"; }\n`;
  const script = command + service.aimed(text).replaceAll("curl -s ", "curl -sS --fail-with-body ");
  const { PATH, HOME } = process.env;
  const quiet = { NO_COLOR: "1", npm_config_loglevel: "error" };
  const aim = { RPC_URL: service.rpcUrl, MILLRACE_URL: service.url };
  const env = { PATH, HOME, ...quiet, ...aim };
  // Without `--norc` bash takes the pipe to it for a remote shell, and reads the machine's
  // settings.
  const args = ["--norc", "-euo", "pipefail", "-c", script];
  return new Promise((resolve) => {
    execFile("bash", args, { cwd: ROOT, env, maxBuffer: 2 ** 24 }, (error, output, errors) => {
      resolve({ code: Number(error?.code ?? 0), output, errors });
    });
  });
}
