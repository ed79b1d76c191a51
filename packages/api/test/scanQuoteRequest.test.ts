import { law, type RandomSource, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { decodeQuoteRequest, scanQuoteRequest } from "../src/index.ts";

const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const MOST = String(2n ** 256n - 1n);

/** What the full decoder makes of a body. */
function decoded(body: string): unknown {
  try {
    return decodeQuoteRequest(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** Values of each key, as JSON text: most are sound. */
const VALUES: Readonly<Record<string, ReadonlyArray<string>>> = {
  tokenA: [`"${WETH}"`, `"${WETH.toLowerCase()}"`, `"${USDC}"`, `"0X${USDC.slice(2)}"`, "1"],
  tokenB: [`"${USDC}"`, `"${USDC}"`, `"${WETH}"`, `"${USDC}0"`, `"${USDC.slice(0, -1)}g"`, "null"],
  amountIn: ['"1"', '"1000000000000000000"', `"${MOST}"`, `"${MOST}0"`, '"0"', '"01"', '"-1"', "1"],
  amountOut: ['"5"', `"${MOST.slice(0, -1)}6"`, '""', '" 1"', '"1e3"'],
  dexId: [
    '"ALL"',
    '"UNISWAP_V3"',
    '""',
    '"a:b,c}"',
    `"${"x".repeat(65)}"`,
    '"\u00e9"',
    '"\\u0041"',
  ],
  maxHops: ["1", "3", "4", "5", "0", "03", "3.0", "3.5", "30", "-1", '"3"', "1e0", "true"],
  maxSplits: ["1", "8", "64", "65", "0", "100", "6.4e1", "08", '"8"'],
  other: ["1", '"x"'],
};
const AMOUNTS = ["amountIn", "amountIn", "amountIn", "amountOut"];
const OPTIONS = ["dexId", "maxHops", "maxSplits"];
const ODD = ["other", "amountOut", "tokenA", "maxHops", "dexId"];
const BLANKS = ["", "", "", " ", "  ", "\n", "\t"];
const CHARACTERS = [...'{}[]":,\\ 0123456789abcdefxXALtokenABmntIuMHSpl_-+.eE\u00e9\u0000\n\ud800'];

function anyBody(random: RandomSource): string {
  const options = OPTIONS.filter(() => random.chance(0.5));
  const keys = ["tokenA", "tokenB", random.pick(AMOUNTS), ...options];
  if (random.chance(0.1)) keys.push(random.pick(ODD));
  const isSound = random.chance(0.8);
  const blanks = random.chance(0.8) ? random.pick(["", " "]) : undefined;
  const blank = () => blanks ?? random.pick(BLANKS);
  const members = random.shuffled(keys).map((key) => {
    const values = VALUES[key]!;
    return `"${key}":${blank()}${isSound ? values[0] : random.pick(values)}`;
  });
  return `{${members.join(`,${blank()}`)}}`;
}

/** The text with some characters changed, cut out, doubled or added. */
function mutated(text: string, random: RandomSource): string {
  let changed = text;
  for (let count = random.between(1, 3); count > 0; count--) {
    const at = random.integer(changed.length + 1);
    const end = Math.min(changed.length, at + random.integer(random.pick([2, 12])));
    const part = changed.slice(at, end);
    const put = random.pick(["", random.pick(CHARACTERS), part + part]);
    changed = changed.slice(0, at) + put + changed.slice(end);
  }
  return changed;
}

describe("a body of a quote request", () => {
  it("is scanned to what the full decoder makes of it, or left to that", () => {
    const bodies = law("scanned bodies of quote requests", 20_000);
    let scannedCount = 0;
    for (const [index, random] of bodies.sources()) {
      const plain = anyBody(random);
      const body = random.chance(0.5) ? mutated(plain, random) : plain;
      const scanned = scanQuoteRequest(body);
      if (scanned === undefined) continue;
      expect(scanned, `body ${index}: ${body}`).toEqual(decoded(body));
      scannedCount++;
    }
    expect(scannedCount).toBeGreaterThanOrEqual(surely(0.2 * bodies.cases));
  });

  it("is scanned as the usual writers of JSON write it, in any order", () => {
    const request = { tokenA: WETH, tokenB: USDC, dexId: "ALL", amountIn: "1000" };
    const bodies = [
      JSON.stringify(request),
      JSON.stringify(request).replaceAll(/([:,])/gu, "$1 "),
      JSON.stringify({ maxSplits: 64, amountOut: MOST, maxHops: 4, tokenB: USDC, tokenA: WETH }),
      `{"tokenB":"${USDC}","tokenA":"${WETH}","amountIn":"0","dexId":"UNISWAP_V3","maxSplits":12}`,
    ];
    for (const body of bodies) {
      expect(decoded(body)).toBeDefined();
      expect(scanQuoteRequest(body)).toEqual(decoded(body));
    }
  });

  it("is left to the full decoder where it has anything else in it", () => {
    const rest = `"tokenA":"${WETH}","tokenB":"${USDC}"`;
    for (const body of [
      `{${rest},"amountIn":"1","amountIn":"2"}`,
      `{${rest},"amountIn":"1","amountOut":"2"}`,
      `{${rest},"amountIn":"1","certify":true}`,
      `{${rest},"amountIn":"1"} `,
      `{${rest},"amountIn":"\\u0031"}`,
      `{${rest},"amountIn":"1",}`,
      `{${rest},"amountIn":"1","__proto__":"ALL"}`,
      `{"tokenA":"${WETH}","tokenB":"${WETH.toLowerCase()}","amountIn":"1"}`,
      `{${rest},"amountIn":"1"${" ".repeat(600)}}`,
      "",
      "{",
      "{}",
      "[]",
    ]) {
      expect(scanQuoteRequest(body), body).toBeUndefined();
    }
  });
});
