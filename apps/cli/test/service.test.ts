import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CandleList,
  PoolList,
  Readiness,
  StreamedBlock,
  StreamedPrice,
  SwapQuote,
  SwapTransactions,
  TokenListJson,
  TokenSearch,
  TradeJson,
  TradeList,
} from "@millrace/api";
import { eventually, killProcesses, type TestProcess } from "@millrace/testing";
import { Schema } from "effect";
import { CliOutput } from "effect/cli";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { runHere } from "./runHere.ts";
import { BundledCommand } from "./runs.ts";

// The command against a service on a devnet of its own, all of them started as a user does. Most
// questions are asked from this process: they need no other.

let command: BundledCommand;
let folder: string;
let config: string;
let devnet: TestProcess;
let service: TestProcess;
let url: string;
let rpcUrl: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-command-"));
  config = join(folder, "devnet.json");
  command = await BundledCommand.write();
  devnet = command.start(`devnet --json --block-every 3000 --write-config ${config}`);
  [, rpcUrl = ""] = await devnet.line(/"rpcUrl":"([^"]+)".*\n/);
  const { networks } = JSON.parse(readFileSync(config, "utf8"));
  // However slow the machine is.
  const settings = { headAgeLimitMs: null };
  writeFileSync(config, JSON.stringify({ networks: [{ ...networks[0], ...settings }] }));
  const shared = { PORT: "0", MILLRACE_GRACE_PERIOD_MS: "500", MILLRACE_SEARCH_WORKERS: "0" };
  service = command.start(`serve --config ${config}`, shared);
  [url] = await service.line(/http:\/\/\S+(?=\n)/);
  while (!(await fetch(`${url}/health/ready`, { headers: { connection: "close" } })).ok)
    await new Promise((resolve) => setTimeout(resolve, 100));
});
afterAll(async () => {
  await killProcesses();
  rmSync(folder, { recursive: true });
  rmSync(command.folder, { recursive: true });
});

/**
 * Asks again while the service is not ready: a busy machine may hold it up for some blocks, and
 * then it says so until it has caught up.
 */
const onceReady = (ask: () => ReturnType<typeof runHere>) =>
  eventually(async () => {
    const ended = await ask();
    return /NOT_READY|is not ready/u.test(ended.err) ? undefined : ended;
  });

const run = (words: string, columns?: number) =>
  onceReady(() =>
    runHere([...words.split(" "), "--url", url], columns === undefined ? {} : { columns }),
  );

/** Standard output of a run that went well, and said nothing else. */
async function output(words: string, columns?: number): Promise<string> {
  const { code, out, err } = await run(words, columns);
  expect({ code, err }, words).toEqual({ code: 0, err: "" });
  return out;
}

const SENDER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
/** The key of the account above, which every anvil begins with. */
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

describe("--json", () => {
  it.each([
    ["quote 1.5 WETH USDC", SwapQuote],
    ["quote 3000 ETH USDC --exact-output", SwapQuote],
    ["explain 1.5 WETH USDC --max-splits 4", SwapQuote],
    [`swap 0.1 ETH USDC --from ${SENDER}`, SwapTransactions],
    ["tokens --limit 5", TokenListJson],
    ["tokens usd", TokenSearch],
    ["pools --token WETH --sort volume24h", PoolList],
    ["candles WETH --interval 1m", CandleList],
    ["doctor", Readiness],
  ] as const)("of %s is one document of the interface", async (words, schema) => {
    const lines = (await output(`${words} --json`)).split("\n");
    expect(lines).toHaveLength(2);
    decoded(schema, lines[0]!);
  });

  it("of a pool's trades and candles is, too", async () => {
    const list = decoded(PoolList, await output("pools --limit 1 --json"));
    const { poolAddress, poolId = poolAddress } = list.data[0]!;
    decoded(TradeList, await output(`trades ${poolId} --json`));
    decoded(CandleList, await output(`candles ${poolId} --pool --json`));
  });

  it("of a watch is an update on each line", async () => {
    const blocks = (await output("watch blocks --count 2 --json")).trim().split("\n");
    expect(blocks).toHaveLength(2);
    for (const line of blocks) decoded(Schema.Struct({ data: StreamedBlock }), line);
    const price = await output("watch price WETH --count 1 --json");
    decoded(Schema.Struct({ data: StreamedPrice }), price);
    const quote = await output("watch quote 1 WETH USDC --count 1 --json");
    decoded(Schema.Struct({ data: SwapQuote }), quote);
  });
});

describe("tables", () => {
  it.each([
    "quote 1.5 WETH USDC --max-splits 4",
    "explain 1 WETH USDC",
    "tokens",
    "pools",
    "doctor",
  ])("of %s fit 40 columns, and are whole without a terminal", async (words) => {
    const narrow = await output(words, 40);
    expect(narrow.split("\n").filter((line) => CliOutput.displayWidth(line) > 40)).toEqual([]);
    expect(await output(words)).not.toContain("…");
  });

  it("show amounts as people write them", async () => {
    const out = await output("quote 1.5 WETH USDC");
    expect(out).toMatch(/^in +1\.5 WETH$/m);
    expect(out).toMatch(/^out +\d+(\.\d{1,6})? USDC$/m);
  });
});

describe("refusals", () => {
  it.each([
    ["quote 1 WETHH USDC", 1, "did you mean WETH"],
    ["quote 1 WETH WETH", 2, "the same token"],
    ["quote 1 WETH USDC --dex NONE", 1, "UNKNOWN_DEX"],
    ["quote 0.0000001 USDC WETH", 2, "6 digits"],
    [`quote 1 0x${"1".repeat(40)} USDC`, 1, "UNKNOWN_TOKEN"],
    ["tokens --network NOWHERE", 1, "no network NOWHERE"],
    ["swap 1 WETH USDC", 2, "--from"],
    ["swap 1 WETH USDC --execute", 1, "--yes"],
    ["swap 1 WETH USDC --execute --yes", 2, "--send-to"],
  ])("%s ends with %i and says %s", async (words, exitCode, hint) => {
    const { code, out, err } = await run(words);
    expect({ code, out }).toEqual({ code: exitCode, out: "" });
    expect(err).toContain(hint);
  });
});

describe("swap --execute", () => {
  it("mines the transactions, and watch trades tells of their swap", async () => {
    const pair = "0.1 WETH USDC --dex UNISWAP_V2 --max-hops 1";
    const quote = decoded(SwapQuote, await output(`quote ${pair} --json`));
    const { poolAddress } = quote.routePlan[0]!;
    const trades: Array<typeof TradeJson.Type> = [];
    const stop = new AbortController();
    const words = ["watch", "trades", poolAddress, "--json", "--url", url];
    const watching = runHere(words, {
      signal: stop.signal,
      onOut: (line) => trades.push(decoded(TradeJson, line)),
    });
    const environment = { MILLRACE_URL: url, MILLRACE_RPC_URL: rpcUrl, MILLRACE_PRIVATE_KEY: KEY };
    // Wraps what is sold, for the account has ether alone.
    const executed = (words: string) => onceReady(() => command.run(words, environment));
    const wrapped = await executed("swap 1 ETH WETH --execute --yes");
    expect(wrapped).toMatchObject({ code: 0, err: "" });
    const swap = `swap ${pair} --slippage 20 --execute --yes --json`;
    const { code, out, err } = await executed(swap);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { transactions, hashes } = JSON.parse(out) as Record<string, string[]>;
    expect(hashes).toHaveLength(transactions!.length);
    const hash = hashes!.at(-1)!;
    const { result } = await asked("eth_getTransactionReceipt", [hash]);
    expect(result).toMatchObject({ status: "0x1", from: SENDER.toLowerCase() });
    while (!trades.some(({ transactionHash }) => transactionHash === hash))
      await new Promise((resolve) => setTimeout(resolve, 50));
    stop.abort();
    expect((await watching).code).toBe(130);
    const { data } = decoded(TradeList, await output(`trades ${poolAddress} --limit 500 --json`));
    const order = data.map(({ id }) => id).reverse();
    const first = order.indexOf(trades[0]!.id);
    expect(trades.map(({ id }) => id)).toEqual(order.slice(first, first + trades.length));
  });
});

describe("a process of the command", () => {
  it("says its version, and colours help where it is told to, never with NO_COLOR", async () => {
    const { version } = manifest;
    expect(await command.run("--version")).toEqual({
      ...{ code: 0, out: `millrace ${version}\n`, err: "" },
    });
    const { out } = await command.run("--help", { FORCE_COLOR: "1" });
    expect(out).toContain("\u001b[");
    expect((await command.run("--help", { NO_COLOR: "1" })).out).not.toContain("\u001b[");
  });

  it("that watches ends at Ctrl-C with 130, having said nothing else", async () => {
    const watching = command.start("watch blocks", { MILLRACE_URL: url });
    await watching.line(/\n/);
    expect(await watching.end("SIGINT")).toBe(130);
    expect(watching.output.err).toBe("");
  });

  it("ends in silence when nobody reads it any more", async () => {
    const watching = command.start("watch blocks", { MILLRACE_URL: url });
    await watching.line(/\n/);
    watching.child.stdout!.destroy();
    expect(await watching.exit).toBe(0);
    expect(watching.output.err).toBe("");
  });

  it("with an engine of its own answers, ends, and leaves nothing behind", async () => {
    const { code, out, err } = await command.run(`quote 1 WETH USDC --json --config ${config}`);
    expect({ code, err }).toMatchObject({ code: 0 });
    decoded(SwapQuote, out);
    // How far it has come, where that takes long.
    expect(err).toMatch(/^(millrace: [^{}\n]+\n)*$/);
  });
});

describe("the processes that all this was asked of", () => {
  it("end at a signal: the service with 0, and the devnet with 130, its chain too", async () => {
    expect(await service.end("SIGTERM")).toBe(0);
    expect((await asked("eth_chainId", [])).result).toMatch(/^0x/);
    expect(await devnet.end("SIGINT")).toBe(130);
    await expect(asked("eth_chainId", [])).rejects.toThrow();
    const { accounts, tokens, chainId } = JSON.parse(devnet.output.out);
    expect(accounts.length).toBeGreaterThan(0);
    expect(tokens.map(({ symbol }: { symbol: string }) => symbol)).toContain("WETH");
    expect(chainId).toBe(0x6d696c01);
  });
});

async function asked(method: string, params: ReadonlyArray<unknown>) {
  const answer = await fetch(rpcUrl, {
    ...{ method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) },
    headers: { "content-type": "application/json", connection: "close" },
  });
  return (await answer.json()) as { readonly result: unknown };
}

function decoded<S extends Schema.ConstraintDecoder<unknown>>(schema: S, text: string): S["Type"] {
  return Schema.decodeUnknownSync(schema)(JSON.parse(text));
}
