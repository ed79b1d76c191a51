import { expect } from "vitest";
import type { TestProcess } from "./TestProcess.ts";

/** Starts an example file with arguments. */
type StartExample = (file: string, ...words: ReadonlyArray<string>) => TestProcess;

/** What an example shows its user, on a recorded market or with a chain of its own. */
interface ExampleRun {
  readonly file: string;
  readonly hasDevnet: boolean;
  readonly see: (start: StartExample, market: string) => Promise<void>;
}

const WETH_500 = "WETH=500000000000000000000";

export const exampleRuns: ReadonlyArray<ExampleRun> = [
  {
    file: "firstQuote.ts",
    hasDevnet: true,
    see: async (start) => {
      const [, amount] = await ended(start("firstQuote.ts"), /one ether buys (\d+) of/);
      expect(Number(amount)).toBeGreaterThan(1_000e6);
    },
  },
  {
    file: "arbitrageBot.ts",
    hasDevnet: true,
    see: async (start) => {
      const bot = start("arbitrageBot.ts");
      const [, gained] = await ended(bot, /^(-?[\d.]+) ETH gained$/m);
      // Another trade may have come in between.
      expect(Math.abs(Number(gained))).toBeGreaterThan(0);
      expect(bot.output.out.match(/^0x[0-9a-f]{64}: success$/gm)!.length).toBeGreaterThan(1);
    },
  },
  {
    file: "quoteServer.ts",
    hasDevnet: false,
    see: async (start, market) => {
      const server = start("quoteServer.ts", market, "0");
      const [, port] = await server.line(/answers on .*port: (\d+)/);
      const ask = async (words: string) => {
        const response = await fetch(`http://127.0.0.1:${port}/?${words}`);
        return { status: response.status, ...(JSON.parse(await response.text()) as object) };
      };
      const quote = await ask("from=WETH&to=USDC&amount=1000000000000000000");
      expect(quote).toMatchObject({ status: 200, amountOut: expect.stringMatching(/^\d{10}$/) });
      const nobody = await ask("from=WETH&to=NOBODY&amount=1");
      expect(nobody).toMatchObject({ status: 400, code: "UNKNOWN_TOKEN" });
      expect(await ask("from=WETH")).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
      await server.end("SIGTERM");
    },
  },
  {
    file: "priceAlert.ts",
    hasDevnet: true,
    see: async (start) => {
      const alert = start("priceAlert.ts", "WETH", "0.0001");
      const [, , moved] = await alert.line(/block (\d+): WETH is at [\d.]+, (-?[\d.]+) %/);
      expect(Math.abs(Number(moved))).toBeGreaterThan(0);
      await alert.end("SIGINT");
    },
  },
  {
    file: "portfolio.ts",
    hasDevnet: false,
    see: async (start, market) => {
      const sale = start("portfolio.ts", market, "USDC", WETH_500, "WBTC=1000000000", WETH_500);
      const form = /together (\d+) of USDC; each alone would be (\d+)/;
      const [, together, alone] = await ended(sale, form);
      const lines = [...sale.output.out.matchAll(/^\w+: (\d+)$/gm)].map(([, out]) => BigInt(out!));
      expect(lines).toHaveLength(3);
      expect(lines.reduce((sum, each) => sum + each)).toBe(BigInt(together!));
      // The second ether goes through pools that the first has moved.
      expect(lines[2]).toBeLessThan(lines[0]!);
      expect(BigInt(together!)).toBeLessThan(BigInt(alone!));
    },
  },
  {
    file: "backTest.ts",
    hasDevnet: false,
    see: async (start, market) => {
      const [, blocks, left] = await ended(
        start("backTest.ts", market),
        /^(\d+) blocks: 1000000000000000000 became (\d+) wei$/m,
      );
      expect(Number(blocks)).toBeGreaterThan(5);
      // A few trades cost a few fees.
      expect(Number(left)).toBeGreaterThan(0.9e18);
      expect(Number(left)).toBeLessThan(1.1e18);
    },
  },
  {
    file: "ladder.ts",
    hasDevnet: true,
    see: async (start) => {
      const ladder = start("ladder.ts", "WETH", "USDC", "1", "100");
      await ladder.line(/^block (\d+): .*\n(.*\n)*block (?!\1:)\d+: /m);
      const [, bid, ask, bidOfMany, askOfMany] = await ladder.line(
        /: 1: ([\d.]+) \/ ([\d.]+), 100: ([\d.]+) \/ ([\d.]+)/,
      );
      // They may cross for a moment, while a round trip pays.
      expect(Number(bid) / Number(ask)).toBeCloseTo(1, 1);
      expect(Number(bidOfMany)).toBeLessThan(Number(bid));
      expect(Number(askOfMany)).toBeGreaterThan(Number(ask));
      await ladder.end("SIGINT");
    },
  },
];

/** The output of an example that ends by itself. */
async function ended(example: TestProcess, form: RegExp): Promise<RegExpExecArray> {
  expect({ code: await example.exit, errors: example.output.err }).toEqual({ code: 0, errors: "" });
  return form.exec(example.output.out)!;
}
