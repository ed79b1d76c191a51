import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { routeTable } from "../../src/routes/routeTable.ts";
import { recordedService, USDC } from "../kit/service.ts";
import { WalletService } from "../kit/walletService.ts";

const recorded = recordedService();
const devnet = new WalletService();

const page = async (service: { readonly get: typeof recorded.get }) => await service.get("/docs");

const UNKNOWN_TOKEN = [404, "UNKNOWN_TOKEN"];

/** A line for a shell, parsed as a request to a service. */
interface Line {
  readonly line: string;
  readonly path: string;
  readonly body: string | undefined;
}

/** The shell lines of the reference, split into words as a shell does. */
function linesOf(html: string): Line[] {
  const blocks = [...html.matchAll(/<pre>([^<]*)<\/pre>/g)].map(([, text]) =>
    text!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  );
  return blocks
    .filter((text) => text.startsWith("curl"))
    .map((line) => {
      // A path stands between quotes where it has a query.
      const words =
        /^curl -s ('?)127\.0\.0\.1:8080(\/[\w./-]*(?:\?[\w=]+)?)\1(?: -d '([^']*)')?$/.exec(line);
      expect([line, words]).not.toEqual([line, null]);
      return { line, path: words![2]!, body: words![3] };
    });
}

/** As curl sends it. */
const run = async (service: typeof recorded, { path, body }: Line) =>
  await service.request(path, {
    ...(body !== undefined && {
      ...{ method: "POST", body },
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
  });

describe("the reference page", () => {
  it("lets no style apply but its own, and nothing run on it or show it", async () => {
    const { headers, text } = await page(recorded);
    const [, style] = /<style>(.*?)<\/style>/s.exec(text)!;
    const hash = createHash("sha256").update(style!).digest("base64");
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; ` +
        "frame-ancestors 'none'",
    );
    expect(text.match(/<style/g)).toHaveLength(1);
    expect(text).not.toMatch(/\sstyle=|\son\w+=|javascript:/i);
  });

  it("has a line for each operation that a shell may ask, and each is answered", async () => {
    const { text } = await page(recorded);
    const lines = linesOf(text);
    for (const line of lines) {
      const { status } = await run(recorded, line);
      expect([line.line, status]).toEqual([line.line, 200]);
    }
    const operations = routeTable.filter(
      ({ pattern }) =>
        !/^\/(|app|app\/\*|ws|openapi\.json|asyncapi\.json|:network\/wallet)$/.test(pattern),
    );
    // Plus the three lines of the first steps.
    expect(lines.length).toBe(operations.length + 3);
    expect(text).toContain(`curl -s 127.0.0.1:8080/tokens/${USDC}`);
    expect(lines.map(({ path }) => path)).not.toContain("/ETH/wallet");
  });

  it("asks for what a devnet has, where it is of one, once that is there", async () => {
    const { text } = await page(devnet.service);
    for (const line of linesOf(text)) {
      const { status, json } = await run(devnet.service, line);
      // The quotes of their bodies are of Ethereum, whose tokens are not here.
      if (/\/(swap|permit)$/.test(line.path)) expect([status, json.code]).toEqual(UNKNOWN_TOKEN);
      else expect([line.line, status]).toEqual([line.line, 200]);
    }
  });

  it("keeps its tag while its market is there", async () => {
    const { headers } = await page(recorded);
    const again = await recorded.request("/docs", {
      headers: { "if-none-match": headers.get("etag")! },
    });
    expect(again.status).toBe(304);
  });

  it("has a stream in its first steps that a service answers", async () => {
    const { text } = await page(devnet.service);
    const [, json] = /const subscription = (\{[^\n]*\});\n/.exec(text.replace(/&#34;/g, '"'))!;
    const socket = new WebSocket(`${devnet.service.url.replace("http", "ws")}/ws`);
    try {
      const snapshot = await new Promise<{ readonly data: object }>((resolve, reject) => {
        socket.onopen = () => socket.send(json!);
        socket.onerror = () => reject(new Error("no connection"));
        socket.onmessage = ({ data }) => {
          const message = JSON.parse(String(data));
          if (message.op === "error") reject(new Error(String(data)));
          if (message.op === "snapshot") resolve(message);
        };
      });
      expect(snapshot.data).toHaveProperty("amountOut");
    } finally {
      socket.close();
    }
  });
});
