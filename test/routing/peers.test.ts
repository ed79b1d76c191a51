import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";

// The benchmark compares other libraries with ours, and evaluates the routes of both by exact
// arithmetic, keeping the state of a pool that several routes use.

const CHILD = fileURLToPath(new URL("../../benchmarks/src/child.ts", import.meta.url));
const PEERS = ["v2-sdk", "v2-sdk-all", "v3-sdk", "router-sdk", "router-sdk-all", "smart-router"];

const figures = new Map<string, number>();

/** A figure of each peer. */
function ofEach(figure: string): ReadonlyArray<readonly [peer: string, value: number | undefined]> {
  return PEERS.map((peer) => [peer, figures.get(`peers.${peer}.60.${figure}`)]);
}

function each(value: number): ReadonlyArray<readonly [peer: string, value: number]> {
  return PEERS.map((peer) => [peer, value]);
}

beforeAll(async () => {
  const args = ["--disable-warning=ExperimentalWarning", CHILD, "peers", "--smoke"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  for (const line of stdout.split("\n")) {
    const [name, value] = line.split("\t");
    if (value !== undefined) figures.set(name!, Number(value));
  }
});

describe("the benchmark against other libraries", () => {
  // The number of queries they have time for depends on the machine.
  it("has answers of all of them, and of ours to every query", () => {
    for (const [peer, answered] of ofEach("answered")) expect(answered, peer).toBeGreaterThan(0);
    for (const [peer, queries] of ofEach("queries")) expect(queries, peer).toBeGreaterThan(0);
    expect(ofEach("ours-answered")).toEqual(each(1));
  });

  it("evaluates routes to what our quotes say, single and split", () => {
    expect(ofEach("ours-misclaimed-count")).toEqual(each(0));
  });

  it("evaluates routes to what the libraries say, whose arithmetic is that of the contracts", () => {
    expect(ofEach("misclaimed-count")).toEqual(each(0));
  });

  it("finds no query where ours gives less", () => {
    expect(ofEach("output-worse-count")).toEqual(each(0));
  });
});
