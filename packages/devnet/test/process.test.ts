import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { startAnvil } from "../src/node/startAnvil.ts";

const CHAIN_ID = 0x6d696c7f;

describe("the node's process", () => {
  it("runs while the scope is open, and is gone when that has closed", async () => {
    const port = await Effect.runPromise(
      Effect.scoped(Effect.tap(startAnvil(CHAIN_ID), (port) => expectAnswer(port))),
    );
    await expect(chainId(port)).rejects.toThrow();
  });

  it("listens on the port that is wanted; a port that is taken is named", async () => {
    const both = Effect.gen(function* () {
      const port = yield* startAnvil(CHAIN_ID);
      return [port, yield* Effect.flip(startAnvil(CHAIN_ID, 0, port))] as const;
    });
    const [port, { reason, detail }] = await Effect.runPromise(Effect.scoped(both));
    expect(reason).toBe("NotStarted");
    expect(detail).toContain(`port ${port} is taken`);
    expect(await Effect.runPromise(Effect.scoped(startAnvil(CHAIN_ID, 0, port)))).toBe(port);
  });

  it("is gone soon after the process that started it was killed with SIGKILL", async () => {
    const holder = spawn(
      process.execPath,
      [fileURLToPath(new URL("./holdAnvil.ts", import.meta.url)), String(CHAIN_ID)],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    try {
      const port = await new Promise<number>((resolve, reject) => {
        holder.stdout.once("data", (chunk) => resolve(Number(chunk)));
        holder.once("exit", () => reject(new Error("ended before it told the port")));
      });
      expect(await chainId(port)).toBe(CHAIN_ID);
      holder.kill("SIGKILL");
      expect(await isGoneWithin(port, 200)).toBe(true);
    } finally {
      holder.kill("SIGKILL");
    }
  });
});

const expectAnswer = (port: number) =>
  Effect.promise(async () => expect(await chainId(port)).toBe(CHAIN_ID));

async function chainId(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }),
  });
  const { result } = (await response.json()) as { result: string };
  return Number(result);
}

/** Asks so many times, fifty milliseconds apart. */
async function isGoneWithin(port: number, tries: number): Promise<boolean> {
  for (let count = 0; count < tries; count++) {
    const answered = await chainId(port).then(
      () => true,
      () => false,
    );
    if (!answered) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
