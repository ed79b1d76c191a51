import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  TradeList,
} from "@millrace/api";
import { killProcesses, ServiceProcess } from "@millrace/testing";
import { Schema } from "effect";
import { CliOutput } from "effect/cli";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BundledCommand } from "./runs.ts";

// The command against a service on a devnet of its own, which all tests share.

let command: BundledCommand;
let environment: Record<string, string>;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-command-"));
  const config = join(folder, "config.json");
  const source = { kind: "devnet", market: "ETH", trafficEveryMs: 500 };
  const network = { id: "ETH", name: "Devnet", chainId: 0x6d696c01, source };
  const settings = { headAgeLimitMs: null, nativeSymbol: "ETH", nativeName: "Ether" };
  writeFileSync(config, JSON.stringify({ networks: [{ ...network, ...settings }] }));
  const shared = { MILLRACE_GRACE_PERIOD_MS: "500", MILLRACE_SEARCH_WORKERS: "0" };
  const service = new ServiceProcess({ environment: { MILLRACE_CONFIG: config, ...shared } });
  command = await BundledCommand.write();
  const [, rpcUrl] = await service.line(/"rpcUrl":"([^"]+)"/);
  environment = { MILLRACE_URL: await service.ready(), MILLRACE_RPC_URL: rpcUrl! };
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  rmSync(command.folder, { recursive: true });
  await killProcesses();
});

const run = (words: string, more: Readonly<Record<string, string>> = {}) =>
  command.run(words.split(" "), { ...environment, ...more });

/** Standard output of a run that went well, and said nothing else. */
async function output(words: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, out, err } = await run(words, more);
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
    const narrow = await output(words, { COLUMNS: "40" });
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
    ["swap 1 WETH USDC --execute", 2, "MILLRACE_PRIVATE_KEY"],
  ])("%s ends with %i and says %s", async (words, exitCode, hint) => {
    const { code, out, err } = await run(words);
    expect({ code, out }).toEqual({ code: exitCode, out: "" });
    expect(err).toContain(hint);
  });
});

describe("swap --execute", () => {
  it("mines the transactions on a devnet, in their order", async () => {
    const out = await output("swap 0.1 ETH USDC --execute --json", { MILLRACE_PRIVATE_KEY: KEY });
    const { transactions, hashes } = JSON.parse(out) as Record<string, string[]>;
    expect(hashes).toHaveLength(transactions!.length);
    const [hash] = hashes!.slice(-1);
    const body = { jsonrpc: "2.0", id: 1, method: "eth_getTransactionReceipt", params: [hash] };
    const answer = await fetch(environment["MILLRACE_RPC_URL"]!, {
      ...{ method: "POST", body: JSON.stringify(body) },
      headers: { "content-type": "application/json", connection: "close" },
    });
    const { result } = (await answer.json()) as { result: { status: string; from: string } };
    expect(result).toMatchObject({ status: "0x1", from: SENDER.toLowerCase() });
  });
});

describe("a watch", () => {
  it("ends at Ctrl-C with 130, having said nothing else", async () => {
    const child = command.start(["watch", "blocks"], environment);
    let err = "";
    child.stderr!.on("data", (data) => (err += data));
    await once(child.stdout!, "data");
    child.kill("SIGINT");
    const [code] = await once(child, "close");
    expect({ code, err }).toEqual({ code: 130, err: "" });
  });

  it("ends in silence when nobody reads it any more", async () => {
    const child = command.start(["watch", "blocks"], environment);
    let err = "";
    child.stderr!.on("data", (data) => (err += data));
    await once(child.stdout!, "data");
    child.stdout!.destroy();
    const [code] = await once(child, "close");
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });
});

function decoded<S extends Schema.ConstraintDecoder<unknown>>(schema: S, text: string): S["Type"] {
  return Schema.decodeUnknownSync(schema)(JSON.parse(text));
}
