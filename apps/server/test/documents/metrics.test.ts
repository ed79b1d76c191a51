import { AnswerQueue } from "@millrace/platform-uws";
import { markedPart, readDocument, tableRows } from "@millrace/testing";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { AnswerTurns } from "../../src/limits/AnswerTurns.ts";
import { Metrics } from "../../src/Metrics.ts";
import { METRICS } from "../../src/metrics/networkMetrics.ts";
import { Networks } from "../../src/networks/Networks.ts";
import { writePart } from "./writePart.ts";

const PAGE = "docs/operating.md";
const HEAD = ["metric", "type", "meaning"];

/** Name, type and help of each family of a text in the format of Prometheus. */
function familiesOf(text: string): string[][] {
  return [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$/gm)].map(
    ([, name, help, type]) => [`\`${name}\``, type!, help!],
  );
}

describe("the page of operating", () => {
  it("has every metric, with its type and its meaning as the service says it", async () => {
    // A service without networks shows only its own metrics; the others are listed.
    const none = Networks.of({ all: [] } as unknown as Networks["Service"]);
    const own = await Effect.runPromise(
      Effect.gen(function* () {
        return (yield* Metrics).render(0);
      }).pipe(
        Effect.provide(Metrics.layer),
        Effect.provideService(AnswerTurns, new AnswerQueue()),
        Effect.provideService(Networks, none),
      ),
    );
    const rows = [
      ...familiesOf(own),
      ...METRICS.map(({ name, type, help }) => [`\`${name}\``, type, help]),
    ];
    writePart(PAGE, "metrics", [HEAD, ...rows]);
    expect(rows.length).toBeGreaterThan(40);
    expect(tableRows(markedPart(readDocument(PAGE), "metrics"))).toEqual(rows);
  });
});
