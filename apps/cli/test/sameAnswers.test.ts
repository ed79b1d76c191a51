import type { TokenListJson } from "@millrace/api";
import { law, postText, ServiceProcess, sharedDataPath, surely } from "@millrace/testing";
import { formatUnits } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "./runHere.ts";

const environment = { MILLRACE_MARKET_FILE: sharedDataPath("ethereum-2026-03/universe-a.json") };

let service: ServiceProcess;
let url: string;
let tokens: (typeof TokenListJson.Type)["data"];
beforeAll(async () => {
  service = new ServiceProcess({ environment });
  url = await service.ready();
  const listed = await fetch(`${url}/tokens?limit=200`);
  ({ data: tokens } = (await listed.json()) as typeof TokenListJson.Type);
});
afterAll(() => service?.end("SIGTERM"));

describe("the command and HTTP", () => {
  it("answer the same questions alike", { timeout: 600_000 }, async () => {
    const drawn = law("the command and HTTP answer alike", 90);
    let found = 0;
    for (const [index, random] of drawn.sources()) {
      const [tokenIn, tokenOut] = random.shuffled(tokens).slice(0, 2) as [Listed, Listed];
      const isExactOut = random.chance(0.5);
      const { decimals } = isExactOut ? tokenOut : tokenIn;
      const amount = 1n + random.bigint(10n ** BigInt(decimals + random.between(-1, 2)));
      const [maxHops, maxSplits] = [random.between(1, 4), random.pick([1, 4])];
      const words = `quote ${formatUnits(amount, decimals)} ${tokenIn.address} ${tokenOut.address}`;
      const flags = `--max-hops ${maxHops} --max-splits ${maxSplits} --url ${url} --json`;
      const asked = `${words} ${flags}${isExactOut ? " --exact-output" : ""}`;
      const { code, out, err } = await runHere(asked.split(" "));
      const body = {
        ...{ tokenA: tokenIn.address, tokenB: tokenOut.address, maxHops, maxSplits },
        [isExactOut ? "amountOut" : "amountIn"]: String(amount),
      };
      const { text } = await postText(`${url}/ETH/quote`, JSON.stringify(body));
      const answer = JSON.parse(text);
      if (answer.code === undefined) {
        found++;
        expect(JSON.parse(out), `${index}: ${asked}`).toEqual(answer);
      } else {
        expect({ code, out }, `${index}: ${asked}`).toEqual({ code: 1, out: "" });
        expect(err).toContain(answer.code);
      }
    }
    expect(found).toBeGreaterThanOrEqual(surely(drawn.cases / 4));
  });
});

type Listed = (typeof tokens)[number];
