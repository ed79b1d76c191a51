// The program of a thread of `SearchWorkers`: searches, one after the other, on a graph that
// another thread writes.
import { parentPort, workerData } from "node:worker_threads";
import type { Curve } from "../Curve.ts";
import { Cycles } from "../cycles/Cycles.ts";
import { quoteExplained } from "../explain/explainQuote.ts";
import { PoolGraph } from "../graph/PoolGraph.ts";
import { sequenceOf } from "../graph/writeSequence.ts";
import { type OpenMarket, openSearch } from "../openMarket.ts";
import type {
  GraphUpdate,
  SearchMessage,
  SearchReply,
  SearchResult,
  SearchTask,
  SearchWorkerData,
} from "./messages.ts";

const { chainId, gasLimit, curveNames, curvesModule } = workerData as SearchWorkerData;
const graph = new PoolGraph(chainId, curveNames);
let curves: ReadonlyArray<Curve> = [];
let search: Search | undefined;
let publishedSequence = Number.NaN;

interface Search extends Pick<OpenMarket, "families" | "router"> {
  readonly cycles: Cycles;
}

// Not awaited here: ending a thread while a module with a top-level `await` runs takes the whole
// process with it (nodejs/node#53238). A rejection ends the thread.
void start();

async function start(): Promise<void> {
  curves = await importCurves();
  parentPort!.on("message", (message: SearchMessage) => {
    if (message.kind === "update") take(message.update);
    else reply(answer(message.task));
  });
  reply({ kind: "ready" });
}

function reply(message: SearchReply): void {
  parentPort!.postMessage(message);
}

function answer(task: SearchTask): SearchReply {
  if (sequenceOf(graph) !== publishedSequence) return { kind: "stale" };
  try {
    search ??= opened();
    const result = resultOf(search, task);
    if (sequenceOf(graph) === publishedSequence) return { kind: "answer", result };
    return forget({ kind: "torn" });
  } catch (error) {
    // Torn reads may cause anything, errors included.
    const isTorn = sequenceOf(graph) !== publishedSequence;
    return forget(isTorn ? { kind: "torn" } : { kind: "defect", error });
  }
}

function opened(): Search {
  const found = openSearch(graph, curves, gasLimit);
  return { ...found, cycles: new Cycles({ ...found, graph, options: { gasLimit } }) };
}

function resultOf({ router, families, cycles }: Search, task: SearchTask): SearchResult {
  switch (task.kind) {
    case "quote":
      return router.quoteChecked(task.request);
    case "explained":
      return quoteExplained({ graph, families, options: { gasLimit }, router }, task.request);
    case "cycles":
      return cycles.find(task.token, task.maxHops);
  }
}

/** Drops the caches of families and search, which may come from torn reads. */
function forget(message: SearchReply): SearchReply {
  search = undefined;
  return message;
}

function take({ fields, sequence }: GraphUpdate): void {
  Object.assign(graph, fields);
  publishedSequence = sequence;
  search?.cycles.applied();
}

async function importCurves(): Promise<ReadonlyArray<Curve>> {
  const module: { readonly curves?: ReadonlyArray<Curve> } = await import(curvesModule);
  const names = module.curves?.map(({ name }) => name);
  if (names?.join() === curveNames.join()) return module.curves!;
  throw new TypeError(`curves of ${curvesModule}: ${names}, expected ${curveNames}`);
}
