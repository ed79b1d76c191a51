import { createServer, type Server, type Socket } from "node:net";
import { CandleList, PoolList, Readiness, SwapQuote, TokenListJson } from "@millrace/api";
import { sharedDataPath } from "@millrace/testing";
import { Schema } from "effect";
import { CliOutput } from "effect/cli";
import { describe, expect, it, vi } from "vitest";
import { OpeningNotes } from "../src/output/OpeningNotes.ts";
import { runHere } from "./runHere.ts";

// An engine of the command's own, on a recorded market of twelve blocks.

const UNIVERSE = sharedDataPath("ethereum-2026-03/universe-a.json");
const BLOCKS = 12;
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

/** Standard output of a line that went well, and said nothing else. */
async function output(words: string, columns?: number): Promise<string> {
  const asked = [...words.split(" "), "--market-file", UNIVERSE];
  const { code, out, err } = await runHere(asked, columns === undefined ? {} : { columns });
  expect({ code, err }, words).toEqual({ code: 0, err: "" });
  return out;
}

const lines = (text: string): string[] => text.trimEnd().split("\n");

const Step = Schema.Struct({
  ...{ pool: Schema.String, dexId: Schema.String, tokenIn: Schema.String },
  ...{ tokenOut: Schema.String, amountIn: Schema.String, amountOut: Schema.String },
});
const Cycles = Schema.Struct({
  token: Schema.String,
  cycles: Schema.Array(
    Schema.Struct({
      ...{ amountIn: Schema.String, amountOut: Schema.String, profit: Schema.String },
      ...{ gasEstimate: Schema.String, blockNumber: Schema.String, steps: Schema.Array(Step) },
    }),
  ),
});
const decoded = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, text: string): S["Type"] =>
  Schema.decodeUnknownSync(schema)(JSON.parse(text));

describe("a market of one's own", () => {
  it.each([
    ["quote 1.5 WETH USDC --certify", SwapQuote],
    ["explain 1.5 WETH USDC --max-splits 4", SwapQuote],
    ["tokens --limit 5", TokenListJson],
    ["pools --token WETH", PoolList],
    ["candles WETH", CandleList],
    ["doctor", Readiness],
  ] as const)("answers %s as a service does, in one document", async (words, schema) => {
    const said = lines(await output(`${words} --json`));
    expect(said).toHaveLength(1);
    decoded(schema, said[0]!);
  });

  it("that is none is told as such, with exit code 1", async () => {
    const file = sharedDataPath("exactness");
    const { code, out, err } = await runHere(["tokens", "--market-file", `${file}/../README.md`]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/README\.md: .*JSON/);
  });

  it("of another chain is told as such", async () => {
    const words = ["tokens", "--market-file", UNIVERSE, "--network", "BASE"];
    const { code, err } = await runHere(words);
    expect(code).toBe(1);
    expect(err).toContain("a market of chain 1, where chain 8453 is configured");
  });

  it("is left in the middle of its opening at Ctrl-C", async () => {
    const sockets = new Set<Socket>();
    const silent: Server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { readonly port: number };
    const stop = new AbortController();
    silent.once("connection", () => stop.abort());
    const words = ["tokens", "--network", "BASE", "--rpc-url", `http://127.0.0.1:${port}`];
    const { code, out } = await runHere(words, { signal: stop.signal });
    for (const socket of sockets) socket.destroy();
    silent.close();
    expect({ code, out }).toEqual({ code: 130, out: "" });
  });
});

describe("cycles", () => {
  it("give back what they say, each step taking what the one before gave", async () => {
    const { token, cycles } = decoded(Cycles, await output("cycles --json"));
    expect(token).toBe(WETH);
    expect(cycles.length).toBeGreaterThan(0);
    for (const { amountIn, amountOut, profit, steps } of cycles) {
      expect(BigInt(amountOut) - BigInt(amountIn)).toBe(BigInt(profit));
      const given = [amountIn, ...steps.map((step) => step.amountOut)];
      expect(steps.map((step) => step.amountIn)).toEqual(given.slice(0, -1));
      expect(steps[0]!.tokenIn).toBe(token);
      expect(steps.at(-1)!.tokenOut).toBe(token);
    }
    const profits = cycles.map(({ profit }) => BigInt(profit));
    expect(profits).toEqual([...profits].sort((one, other) => (one > other ? -1 : 1)));
  });

  it("are lines for people, and fit 40 columns", async () => {
    const narrow = await output("cycles WETH --limit 3", 40);
    expect(lines(narrow).filter((line) => CliOutput.displayWidth(line) > 40)).toEqual([]);
    expect(await output("cycles WETH --limit 3")).toContain("→ WETH");
  });
});

describe("replay", () => {
  it("tells every block once, in their order", async () => {
    const told = lines(await output("replay blocks --json")).map((line) => JSON.parse(line));
    expect(told).toHaveLength(BLOCKS);
    const numbers = told.map(({ blockNumber }) => Number(blockNumber));
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
    expect(told.slice(1).every(({ poolsChanged }) => poolsChanged > 0)).toBe(true);
  });

  it("quotes in each block, and in the last what the whole recording gives", async () => {
    const told = lines(await output("replay quote 1.5 WETH USDC --json"));
    expect(told).toHaveLength(BLOCKS);
    const quotes = told.map((line) => {
      const { blockNumber, data } = JSON.parse(line);
      expect(data.blockNumber).toBe(blockNumber);
      return Schema.decodeUnknownSync(SwapQuote)(data);
    });
    expect(new Set(quotes.map(({ amountOut }) => amountOut)).size).toBeGreaterThan(2);
    const whole = decoded(SwapQuote, await output("quote 1.5 WETH USDC --json"));
    expect(quotes.at(-1)!.amountOut).toBe(whole.amountOut);
  });

  it("tells prices and round trips too, and ends after --count blocks", async () => {
    const prices = lines(await output("replay price WBTC --count 3"));
    expect(prices).toHaveLength(3);
    for (const line of prices) expect(line).toMatch(/^\d+ {2}WBTC \$[\d,.]+$/);
    const trips = lines(await output("replay cycles --json --count 2"));
    for (const line of trips)
      Schema.decodeUnknownSync(Schema.Struct({ data: Cycles }))(JSON.parse(line));
  });

  it("says why there is no quote where there is none, and goes on", async () => {
    const told = lines(await output("replay quote 1 WETH USDC --dex NONE"));
    expect(told.filter((line) => line.includes("UNKNOWN_DEX"))).toHaveLength(BLOCKS);
  });
});

describe("what is told of an opening", () => {
  const sink = (isTerminal: boolean) => {
    const written: string[] = [];
    const write = (text: string) => void written.push(text);
    return { written, write, isTerminal, isStyled: false, columns: 20 };
  };

  it("is a line that is written anew on a terminal, clipped, and erased in the end", () => {
    const terminal = sink(true);
    const notes = new OpeningNotes(terminal);
    notes.show("ETH: reading states 40 %\u001b[2J");
    notes.show("ETH: ready");
    notes.clear();
    expect(terminal.written).toEqual([
      "\r\u001b[KETH: reading states ".slice(0, 4 + 19),
      "\r\u001b[KETH: ready",
      "\r\u001b[K",
    ]);
  });

  it("is a plain line every few seconds elsewhere", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const file = sink(false);
      const notes = new OpeningNotes(file);
      for (let step = 0; step < 110; step++) {
        notes.show(`ETH: step ${step}`);
        vi.advanceTimersByTime(100);
      }
      notes.clear();
      expect(file.written).toEqual(["millrace: ETH: step 50\n", "millrace: ETH: step 100\n"]);
    } finally {
      vi.useRealTimers();
    }
  });
});
