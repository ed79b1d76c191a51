// The thread of an embedded store: runs one task after the other on its file.
import { parentPort, workerData } from "node:worker_threads";
import type { HistoryChange } from "../HistoryStore.ts";
import { failureOf } from "./failureOf.ts";
import type { HistoryReply, HistoryRequest, HistoryTask, HistoryThreadData } from "./messages.ts";
import { SqliteHistory } from "./SqliteHistory.ts";

const IS_UNANSWERED: ReadonlySet<HistoryTask["kind"]> = new Set(["changes", "abandon", "close"]);

let changes: HistoryChange[] = [];

const { isReadOnly } = workerData as HistoryThreadData;
const history = opened(workerData as HistoryThreadData);
if (history !== undefined) {
  parentPort!.on("message", ({ number, task }: HistoryRequest) => {
    try {
      const value = answer(history, task);
      if (!IS_UNANSWERED.has(task.kind)) reply({ kind: "answer", number, value });
    } catch (error) {
      const { reason, detail } = failureOf(error);
      reply({ kind: "failure", number, reason, detail });
    }
  });
  reply({ kind: "ready" });
}

function opened(data: HistoryThreadData): SqliteHistory | undefined {
  try {
    return new SqliteHistory(data);
  } catch (error) {
    const { reason, detail } = failureOf(error);
    reply({ kind: "failure", number: undefined, reason, detail });
    parentPort!.close();
    return undefined;
  }
}

function answer(store: SqliteHistory, task: HistoryTask): unknown {
  switch (task.kind) {
    case "changes":
      take(task.changes, task.isContinued);
      return undefined;
    case "abandon":
      changes = [];
      return undefined;
    case "close":
      store.close();
      parentPort!.close();
      return undefined;
    case "write": {
      const written = changes;
      changes = [];
      return store.write(written);
    }
    case "check":
      return store.check();
    case "coverage":
      return store.ranges.all();
    case "stateRange":
      return store.stateTable.range();
    case "size":
      return isReadOnly === true ? store.readTogether(() => store.size()) : store.size();
    case "read":
      return read(store, task);
  }
}

function take(part: ReadonlyArray<HistoryChange>, isContinued: boolean): void {
  const [first, ...others] = part;
  const last = changes.at(-1);
  if (!isContinued || last?.kind !== "block" || first?.kind !== "block") {
    changes.push(...part);
    return;
  }
  const swaps = [...last.block.swaps, ...first.block.swaps];
  changes[changes.length - 1] = { kind: "block", block: { ...last.block, swaps } };
  changes.push(...others);
}

/**
 * Mends damage first: the row is forgotten or made anew. A reader that may not write gets an error.
 */
function read(store: SqliteHistory, { what, query }: HistoryTask & { kind: "read" }): unknown {
  const found = (): unknown => store[what](query as never);
  const together = () => store.readTogether(found);
  return isReadOnly === true ? together() : store.mended(together);
}

function reply(message: HistoryReply): void {
  const isPacked = message.kind === "answer" && message.value instanceof Float64Array;
  parentPort!.postMessage(message, isPacked ? [message.value.buffer as ArrayBuffer] : []);
}
