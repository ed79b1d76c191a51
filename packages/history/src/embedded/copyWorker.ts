// The thread that copies an open file, while others write and read it.
import { existsSync, rmSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { FileError } from "./FileError.ts";
import { failureOf } from "./failureOf.ts";
import type { HistoryReply } from "./messages.ts";
import { openReadOnly } from "./schema.ts";

/** Paths of files. */
export interface CopyData {
  readonly path: string;
  readonly target: string;
}

const { path, target } = workerData as CopyData;

function copy(): void {
  if (existsSync(target)) {
    throw new FileError("Invalid", `${target} is there already`);
  }
  const database = openReadOnly(path);
  try {
    database.prepare("VACUUM INTO ?").run(target);
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  } finally {
    database.close();
  }
}

let reply: HistoryReply = { kind: "ready" };
try {
  copy();
} catch (error) {
  const { reason, detail } = failureOf(error);
  reply = { kind: "failure", number: undefined, reason, detail };
}
parentPort!.postMessage(reply);
