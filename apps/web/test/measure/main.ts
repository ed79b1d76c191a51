import { blockToPixel } from "./blockToPixel.ts";
import { firstPaint } from "./firstPaint.ts";
import { openHour } from "./openHour.ts";
import { openPages } from "./openPages.ts";
import { redraw } from "./redraw.ts";

// What takes too long, or too quiet a machine, for a test:
// `node run.mjs apps/web/test/measure/main.ts hour 60`.
const MEASURES: Readonly<Record<string, (count: number | undefined) => Promise<void>>> = {
  paint: firstPaint,
  pixel: blockToPixel,
  redraw,
  pages: openPages,
  hour: openHour,
};

const [what = "", count] = process.argv.slice(2);
const measure = MEASURES[what];
if (measure === undefined) throw new Error(`what is measured: ${Object.keys(MEASURES).join(", ")}`);
await measure(count === undefined ? undefined : Number(count));
