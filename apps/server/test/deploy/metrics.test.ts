import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FEED_METRICS } from "../../src/metrics/feedMetrics.ts";
import { networkOn } from "../kit/networkOn.ts";
import { NATIVE, type Service, startConfigured } from "../kit/service.ts";
import { SwapChain } from "../swap/swapChain.ts";
import { DEPLOY, systemProgram } from "./programs.ts";

// Compares the metrics of a real service with those that the dashboard and the rules read.

const promtool = systemProgram("promtool", "prometheus");

interface Target {
  readonly expr: string;
}
interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: ReadonlyArray<Target>;
  readonly datasource?: { readonly uid: string };
}
const dashboard: {
  readonly panels: ReadonlyArray<Panel>;
  readonly templating: { readonly list: ReadonlyArray<{ query: { query: string }; name: string }> };
} = JSON.parse(readFileSync(`${DEPLOY}grafana/dashboard.json`, "utf8"));
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const rules = readFileSync(`${DEPLOY}prometheus/alerts.yaml`, "utf8");

/** Names of metrics in PromQL, without Prometheus's own `up`. */
const metricsIn = (promql: string): string[] =>
  [...promql.matchAll(/\b(?:millrace|process)_\w+/g)].map(([name]) => name);

let folder: string;
let chain: SwapChain;
let service: Service;
let shown: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-metrics-"));
  chain = await SwapChain.start();
  service = await startConfigured(
    {
      dataDirectory: folder,
      searchWorkers: 1,
      networks: [networkOn(chain.chain.devnet, { routers: chain.routers })],
    },
    {},
  );
  await eventually(async () => (await service.get("/health/ready")).status === 200);
  const ask = { tokenA: NATIVE, tokenB: chain.addressOf("USDC"), amountIn: "1000000000000" };
  expect((await service.post("/LOCAL/quote", ask)).status).toBe(200);
  // Metrics of saves appear after the first save.
  shown = await eventually(async () => {
    const { text } = await service.get("/metrics");
    return /^millrace_chain_snapshot_age_blocks/m.test(text) ? text : undefined;
  });
});
afterAll(async () => {
  await service?.stop();
  await chain?.stop();
  rmSync(folder, { recursive: true });
});

describe("the metrics of a service", () => {
  it.skipIf(promtool === undefined)("are as promtool wants them", async () => {
    const { code, text } = await promtool!(["check", "metrics"], shown);
    expect(text).toBe("");
    expect(code).toBe(0);
  });

  it("hold every one that the dashboard and the rules read", () => {
    // Metrics of a feed appear only with a feed, so they are listed.
    const listed = FEED_METRICS.map(({ name }) => name);
    const named = [...shown.matchAll(/^(\w+)(?:\{.*\})? \S+$/gm)].map(([, name]) => name!);
    const exist = new Set([...named, ...listed]);
    const read = new Set([...expressions, rules].flatMap(metricsIn));
    expect(read.size).toBeGreaterThan(30);
    expect([...read].filter((name) => !exist.has(name))).toEqual([]);
  });
});

describe("the dashboard", () => {
  it("opens with something in every panel: a title, a source that is set up, and what to show", () => {
    const source = readFileSync(`${DEPLOY}grafana/datasource.yaml`, "utf8");
    const uid = /^ {4}uid: (\w+)$/m.exec(source)![1];
    const panels = dashboard.panels.filter(({ type }) => type !== "row");
    expect(panels.length).toBeGreaterThan(15);
    expect(panels.filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
    expect(new Set(panels.map((panel) => panel.datasource?.uid))).toEqual(new Set([uid]));
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });

  it.skipIf(promtool === undefined)("asks in sound PromQL", async () => {
    const variables = new RegExp(
      `\\$(${dashboard.templating.list.map(({ name }) => name).join("|")})\\b`,
      "g",
    );
    const recorded = expressions.map((expr, index) => ({
      record: `dashboard:${index}`,
      expr: expr.replaceAll(variables, ".*"),
    }));
    expect(recorded.filter(({ expr }) => expr.includes("$"))).toEqual([]);
    const file = join(folder, "dashboard.yaml");
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules: recorded }] }));
    const { code, text } = await promtool!(["check", "rules", file]);
    expect(text).toContain(`SUCCESS: ${expressions.length} rules found`);
    expect(code).toBe(0);
  });
});
