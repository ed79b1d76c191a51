import { readFileSync } from "node:fs";
import { documentPaths, readDocument } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DEPLOY, systemProgram } from "./programs.ts";

const promtool = systemProgram("promtool", "prometheus");

const FOLDER = `${DEPLOY}prometheus/`;
const read = (name: string) => parse(readFileSync(`${FOLDER}${name}`, "utf8"));

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
}
interface Tried {
  readonly alertname: string;
  readonly exp_alerts?: ReadonlyArray<unknown>;
}
const rules: ReadonlyArray<Rule> = read("alerts.yaml").groups.flatMap(
  (group: { readonly rules: ReadonlyArray<Rule> }) => group.rules,
);
const trials: ReadonlyArray<ReadonlyArray<Tried>> = read("alerts.test.yaml").tests.map(
  (test: { readonly alert_rule_test: ReadonlyArray<Tried> }) => test.alert_rule_test,
);

describe("the alerts", () => {
  it("each wait, fire and clear in a trial of promtool's", () => {
    expect(rules.length).toBeGreaterThan(15);
    for (const trial of trials) {
      expect(new Set(trial.map(({ alertname }) => alertname)).size).toBe(1);
      const fires = trial.map(({ exp_alerts = [] }) => exp_alerts.length > 0);
      expect(fires, trial[0]!.alertname).toEqual([false, true, false]);
    }
    const tried = new Set(trials.map(([first]) => first!.alertname));
    expect(rules.map(({ alert }) => alert).filter((alert) => !tried.has(alert))).toEqual([]);
  });

  it("say how much they hurry, and the page of operating says what to do about each", () => {
    expect(documentPaths()).toContain("docs/operating.md");
    const page = readDocument("docs/operating.md");
    for (const { alert, labels } of rules) {
      expect(["page", "ticket"], alert).toContain(labels["severity"]);
      expect(page).toContain(`| \`${alert}\` `);
    }
  });

  it.skipIf(promtool === undefined)("pass promtool's trials, and its check", async () => {
    const [checked, configured, tried] = await Promise.all([
      promtool!(["check", "rules", `${FOLDER}alerts.yaml`]),
      promtool!(["check", "config", `${FOLDER}prometheus.yaml`]),
      promtool!(["test", "rules", `${FOLDER}alerts.test.yaml`]),
    ]);
    expect(checked.text).toContain(`SUCCESS: ${rules.length} rules found`);
    expect(configured.text).toContain("SUCCESS");
    expect(tried.text).toContain("SUCCESS");
    expect([checked.code, configured.code, tried.code]).toEqual([0, 0, 0]);
  });
});
