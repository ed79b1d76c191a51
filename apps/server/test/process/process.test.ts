import { hash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SHIPPED_BUILDS } from "@millrace/platform-uws/shippedBuilds";
import { budget, killProcesses, ServiceProcess } from "@millrace/testing";
import { afterEach, describe, expect, it } from "vitest";
import { UNIVERSE_A, USDC, WETH } from "../kit/service.ts";

afterEach(killProcesses);

const start = (environment: Record<string, string>) => new ServiceProcess({ environment });

const isListening = (url: string) =>
  fetch(`${url}/health/live`, { headers: { connection: "close" } }).then(
    () => true,
    () => false,
  );

describe("the service as a process", () => {
  it("says in one line where it listens, answers, and ends with 0 on SIGTERM and SIGINT", async () => {
    for (const signal of (["SIGINT", "SIGTERM"] as const).slice(0, budget(2))) {
      const service = start({ MILLRACE_MARKET_FILE: UNIVERSE_A });
      const url = await service.ready();
      expect(service.output.out).toBe(`millrace listens on ${url}\n`);
      const response = await fetch(`${url}/ETH/quote`, {
        method: "POST",
        body: JSON.stringify({ tokenA: WETH, tokenB: USDC, amountIn: "1000000000000" }),
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      service.child.kill(signal);
      expect(await service.exit).toBe(0);
      for (const line of service.output.err.trim().split("\n")) {
        expect(JSON.parse(line)).toMatchObject({ level: "INFO" });
      }
    }
  });

  it("finishes a request that is in flight, and takes no new ones, before it ends", async () => {
    const service = start({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const url = new URL(await service.ready());
    const body = JSON.stringify({ tokenA: WETH, tokenB: USDC, amountIn: "1000000000000" });
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, "connect");
    let answer = "";
    socket.on("data", (data: Buffer) => {
      answer += data;
    });
    const closed = once(socket, "close");
    // Sends half of the request before the signal, and the rest well after it.
    socket.write(
      `POST /ETH/quote HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.slice(0, 10));
    // This answer shows that the half above has arrived.
    expect((await service.get("/health/ready")).status).toBe(200);
    service.child.kill("SIGTERM");
    while (await isListening(url.origin)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(service.child.exitCode).toBeNull();
    socket.write(body.slice(10));
    await closed;
    expect(answer).toContain("HTTP/1.1 200 OK");
    expect(answer).toContain('"amountOut"');
    expect(await service.exit).toBe(0);
  });

  it("ends with 1 and every problem in one message when the configuration is wrong", async () => {
    const service = start({ PORT: "99999", MILLRACE_LOG_LEVEL: "loud", MILLRACE_REPLAY_MS: "1" });
    expect(await service.exit).toBe(1);
    expect(service.output.out).toBe("");
    const [first, ...rest] = service.output.err.trim().split("\n");
    expect(first).toBe("millrace: the configuration is wrong:");
    expect(rest.map((line) => line.split(":")[0])).toEqual([
      "  - MILLRACE_REPLAY_MS",
      "  - PORT",
      "  - MILLRACE_LOG_LEVEL",
    ]);
  });

  it("ends with 1 and one line when the port is taken", async () => {
    const first = start({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const { port } = new URL(await first.ready());
    const second = start({ MILLRACE_MARKET_FILE: UNIVERSE_A, PORT: port });
    expect(await second.exit).toBe(1);
    const said = second.output.err.split("\n").filter((line) => line.startsWith("millrace:"));
    expect(said).toEqual([expect.stringContaining(port)]);
    expect(second.output.err).not.toContain("    at ");
  });

  it("serves by another build of the native library where it is named with its hash", async () => {
    const platform = createRequire(
      createRequire(import.meta.url).resolve("@millrace/platform-uws"),
    );
    const [build] = Object.keys(SHIPPED_BUILDS);
    const shipped = createRequire(platform.resolve("uWebSockets.js"));
    const folder = mkdtempSync(join(tmpdir(), "millrace-library-"));
    // The library loads like the original, since nothing reads beyond its end.
    const bytes = Buffer.concat([
      readFileSync(shipped.resolve(`@uwsjs/${build}/uws.node`)),
      Buffer.from("another build"),
    ]);
    const file = join(folder, "other.node");
    writeFileSync(file, bytes);
    const startWith = (name: string, sha256: string) => {
      const config = join(folder, `${name}.json`);
      writeFileSync(config, JSON.stringify({ nativeLibrary: { file, sha256 } }));
      return start({ MILLRACE_MARKET_FILE: UNIVERSE_A, MILLRACE_CONFIG: config });
    };
    try {
      const refused = startWith("refused", SHIPPED_BUILDS[build!]!);
      expect(await refused.exit).toBe(1);
      const said = refused.output.err.split("\n").filter((line) => line.startsWith("millrace:"));
      expect(said).toEqual([
        expect.stringMatching(/other\.node is unknown: its SHA-256 is .* see docs\/security\.md/),
      ]);
      const served = startWith("served", hash("sha256", bytes));
      await served.ready();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("replays a market file block by block", async () => {
    const service = start({ MILLRACE_MARKET_FILE: UNIVERSE_A, MILLRACE_REPLAY_MS: "250" });
    const url = await service.ready();
    const blocks = new Set<string>();
    while (blocks.size < 3) {
      const response = await fetch(`${url}/ETH/quote`, {
        method: "POST",
        body: JSON.stringify({ tokenA: WETH, tokenB: USDC, amountIn: "1000000000000" }),
      });
      const { blockNumber } = (await response.json()) as { blockNumber: string };
      blocks.add(blockNumber);
    }
    const numbers = [...blocks].map(Number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });
});
