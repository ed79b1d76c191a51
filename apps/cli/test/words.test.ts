import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runHere } from "./runHere.ts";

// What the command says without a service.

const COMMANDS = [
  [],
  ...["quote", "explain", "swap", "tokens", "pools", "candles", "trades"].map((name) => [name]),
  ...["blocks", "price", "quote", "trades"].map((name) => ["watch", name]),
  ...["blocks", "price", "quote", "cycles"].map((name) => ["replay", name]),
  ...["watch", "replay", "cycles", "serve", "devnet", "doctor", "verify", "executor"].map(
    (name) => [name],
  ),
  ["completions"],
];

describe("help", () => {
  it.each(COMMANDS.map((words) => [["millrace", ...words].join(" "), words] as const))(
    "of %s is what it was",
    async (_, words) => {
      const { code, out, err } = await runHere([...words, "--help"]);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      await expect(out).toMatchFileSnapshot(`help/${words.join("-") || "millrace"}.txt`);
    },
  );

  it("that nobody asked for is no data, and wrong usage", async () => {
    const { code, out, err } = await runHere([]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("USAGE");
  });
});

describe("wrong words", () => {
  it.each([
    [["qoute"], "quote"],
    [["quote", "1", "A", "B", "--max-hop", "2"], "--max-hops"],
    [["quote", "1,5", "WETH", "USDC"], "no amount"],
    [["quote", "-1", "WETH", "USDC"], "-1"],
    [["quote", "1", "WETH"], "token-out"],
    [["quote", "1", "WETH", "USDC", "--max-hops", "9"], "1 to 4"],
    [["trades", "0x12"], "no pool"],
    [["candles", "WETH", "--pool"], "no pool"],
    [["candles", "WETH", "--interval", "7m"], "15m"],
    [["tokens", "--url", "ftp://somewhere"], "http"],
    [["swap", "1", "WETH", "USDC", "--slippage", "0.00001"], "four decimals"],
    [["watch", "blocks", "--count", "0"], "above 0"],
    [["watch", "trades", "0x12"], "no pool"],
    [["cycles"], "--market-file"],
    [["cycles", "WETH", "--devnet", "ETH", "--max-hops", "1"], "2 to 4"],
    [["cycles", "--devnet", "MAINNET"], "ETH"],
    [["tokens", "--market-file", "/nowhere.json"], "cannot be read"],
    [["tokens", "--config", "/nowhere.json"], "cannot be read"],
    [["tokens", "--rpc-url", "http://127.0.0.1:1"], "--network"],
    [["tokens", "--rpc-url", "http://127.0.0.1:1", "--network", "NOWHERE"], "BASE"],
    [["tokens", "--rpc-url", "ftp://somewhere", "--network", "BASE"], "--rpc-url: entry 1"],
    [["tokens", "--url", "http://127.0.0.1:1", "--devnet", "ETH"], "exclude each other"],
    [["tokens", "--market-file", "a.json", "--config", "b.json"], "exclude each other"],
    [["replay", "blocks"], "--market-file"],
    [["replay", "quote", "1", "WETH", "USDC", "--devnet", "ETH"], "--market-file"],
    [["replay", "cycles", "--max-hops", "5", "--market-file", "a.json"], "2 to 4"],
    [["devnet", "MAINNET"], "ETH"],
    [["devnet", "--port", "70000"], "65535"],
    [["devnet", "--seed", "0"], "1 to"],
    [["devnet", "--market-file", "a.json"], "of no use"],
    [["serve", "--url", "http://127.0.0.1:1"], "of no use"],
    [["serve", "--devnet", "ETH", "--config", "a.json"], "exclude each other"],
  ])("%j are told on standard error, with exit code 2", async (words, hint) => {
    const { code, out, err } = await runHere(words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(hint);
  });
});

describe("a service that is not there", () => {
  it.each(["quote 1 WETH USDC", "tokens --json", "watch blocks", "doctor"])(
    "ends %s with exit code 3",
    async (words) => {
      const asked = [...words.split(" "), "--url", "http://127.0.0.1:1"];
      const { code, out, err } = await runHere(asked);
      expect({ code, out }).toEqual({ code: 3, out: "" });
      expect(err).toContain("http://127.0.0.1:1 cannot be reached");
    },
  );
});

describe("completions", () => {
  it.for(["bash", "zsh", "fish"])(
    "are a script that %s takes; without that shell on the machine this is skipped",
    async (shell, { skip }) => {
      if (!isInstalled(shell)) skip(`${shell} is not installed: its completions are not tried`);
      const { code, out } = await runHere(["completions", shell]);
      expect(code).toBe(0);
      for (const word of ["quote", "watch", "exact-output"]) expect(out).toContain(word);
      const folder = mkdtempSync(join(tmpdir(), "millrace-completions-"));
      const path = join(folder, `completions.${shell}`);
      writeFileSync(path, out);
      try {
        execFileSync(shell, [
          "-c",
          `${shell === "zsh" ? "autoload -U compinit; compinit -u;" : ""} source ${path}`,
        ]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it("in bash give the commands that begin with what is written", async () => {
    const { out } = await runHere(["completions", "bash"]);
    const [, completer] = /complete .*-F (\S+) millrace/.exec(out)!;
    const written = `COMP_WORDS=(millrace tr) COMP_CWORD=1 COMP_LINE="millrace tr"`;
    const ask = `${written}; ${completer} millrace tr millrace; echo "\${COMPREPLY[*]}"`;
    const answer = execFileSync("bash", ["--norc", "-c", `${out}\n${ask}`], { encoding: "utf8" });
    expect(answer.trim()).toBe("trades");
  });
});

const isInstalled = (shell: string): boolean => {
  try {
    execFileSync(shell, ["-c", "true"]);
    return true;
  } catch {
    return false;
  }
};
