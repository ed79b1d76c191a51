import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { marketFileOf, type RecordedCase, recordedFamily, recordedToken } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configOf, type Service, startService } from "../kit/service.ts";

const families = [
  "aerodrome-stable",
  "algebra-integral",
  "curve-crypto",
  "balancer-v2-stable",
  "balancer-v2-weighted",
  "balancer-v3",
  "curve-stable",
  "curve-stable-ng",
  "pancake-v2",
  "pancake-v3",
  "slipstream",
  "uniswap-v4",
].map(recordedFamily);
/** Requests that are in flight at once. */
const BATCH = 32;

let service: Service;
let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "families-"));
  const path = join(folder, "market.json");
  writeFileSync(path, JSON.stringify(marketFileOf(families)));
  const config = await configOf({ MILLRACE_MARKET_FILE: path });
  const [network] = config.networks;
  // Nodes gave the recorded amounts, and they allow more gas than a transaction has.
  service = await startService({ ...config, networks: [{ ...network, gasLimit: 2 ** 40 }] });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

describe.each(families)("recorded swaps of $name, asked over HTTP", ({ name, pools, cases }) => {
  const ofKind = (kind: RecordedCase["kind"]) => cases.filter((each) => each.kind === kind);

  it("have a pool each, with its own state", async () => {
    expect(new Set(cases.map(({ pool }) => pool))).toEqual(new Set(pools.keys()));
    for (const [pool, { state }] of pools) {
      const { json } = await service.get(`/pools?token=${recordedToken(name, pool, 0)}`);
      expect(json.data).toHaveLength(1);
      const { sqrtPriceX96 } = state;
      if (sqrtPriceX96 !== undefined) expect(json.data[0].sqrtPriceX96).toBe(sqrtPriceX96);
    }
  });

  it("of an exact input give what the contract gave, and are refused where it refused", async () => {
    const exactIn = ofKind("exactIn");
    expect(exactIn.length).toBeGreaterThan(1);
    const answers = await inBatches(exactIn, (each) => quote(each, "amountIn", each.amount));
    expect(answers).toEqual(exactIn.map(({ expected }) => (expected === "0" ? null : expected)));
  });

  it("of an exact output cost the least input that gives it, never more than recorded", async () => {
    const exactOut = ofKind("exactOut");
    const isOwn = name.startsWith("balancer");
    const asked = await inBatches(exactOut, (each) => quote(each, "amountOut", each.amount));
    const given = await inBatches([...exactOut.entries()], async ([place, each]) => {
      const amountIn = asked[place];
      if (amountIn === null || amountIn === undefined) return null;
      const less = BigInt(amountIn) - 1n;
      return [
        BigInt((await quote(each, "amountIn", amountIn)) ?? 0),
        less === 0n ? 0n : BigInt((await quote(each, "amountIn", `${less}`)) ?? 0),
      ] as const;
    });
    for (const [place, { amount, expected, ...swap }] of exactOut.entries()) {
      const amountIn = asked[place]!;
      expect({ ...swap, isRefused: amountIn === null }).toEqual({
        ...swap,
        isRefused: expected === null,
      });
      if (expected === null) continue;
      // Balancer has its own formula for the input, even where a smaller exact input would be
      // enough.
      if (isOwn) {
        expect(amountIn).toBe(expected);
        continue;
      }
      expect(BigInt(amountIn)).toBeLessThanOrEqual(BigInt(expected));
      const [whole, ofLess] = given[place]!;
      expect(whole).toBeGreaterThanOrEqual(BigInt(amount));
      expect(ofLess).toBeLessThan(BigInt(amount));
    }
  });

  /** The other amount of a swap; null where the swap is refused. */
  async function quote(
    { pool, positionIn, positionOut }: RecordedCase,
    side: "amountIn" | "amountOut",
    amount: string,
  ): Promise<string | null> {
    const { status, json } = await service.post("/ETH/quote", {
      tokenA: recordedToken(name, pool, positionIn),
      tokenB: recordedToken(name, pool, positionOut),
      [side]: amount,
    });
    if (status === 200) return json[side === "amountIn" ? "amountOut" : "amountIn"];
    const isRefusal = status >= 400 && status < 500 && REFUSALS.includes(json.code);
    if (!isRefusal) throw new Error(`${status}: ${JSON.stringify(json)}`);
    return null;
  }
});

const REFUSALS = ["AMOUNT_TOO_SMALL", "INSUFFICIENT_LIQUIDITY", "NO_ROUTE"];

async function inBatches<A, B>(
  list: ReadonlyArray<A>,
  ask: (item: A) => Promise<B>,
): Promise<ReadonlyArray<B>> {
  const answers: B[] = [];
  for (let start = 0; start < list.length; start += BATCH) {
    answers.push(...(await Promise.all(list.slice(start, start + BATCH).map(ask))));
  }
  return answers;
}
