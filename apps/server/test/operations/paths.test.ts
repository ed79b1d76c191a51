import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routeTable } from "../../src/routes/routeTable.ts";
import { issuesOf, recordedService, USDC, WETH } from "../kit/service.ts";

const service = recordedService();

const ASK = { tokenA: WETH, tokenB: USDC, amountIn: "1000000000000000000" };
const POOL = "0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc";

describe("a path below /tokens, /pools or /trades", () => {
  it("that no route has is not found, in the envelope of market data", async () => {
    for (const path of [
      // Networks have such paths, but `tokens`, `pools` and `trades` are no networks.
      ...["/tokens/tokenPrice/tokenList", "/tokens/tokenDetails/x", "/pools/tokenPrice/x"],
      ...["/%74okens/tokenPrice/x", "/TOKENS/a/b/c", "/poo%6cs/a/b/c", "/tokens//price"],
      ...["/trades/tokenPrice/x", "/trades/tokenList", "/Trades/a"],
    ]) {
      for (const method of ["GET", "POST"]) {
        const answer = await service.request(path, { method });
        expect([path, answer.status]).toEqual([path, 404]);
        expect(issuesOf(answer)).toMatchObject([{ code: "not_found", path: [] }]);
      }
    }
  });

  it("takes GET and HEAD only, also where a network's path takes POST", async () => {
    for (const path of ["/tokens/quote", "/pools/swap", "/t%6fkens/permit", "/pools", "/trades"]) {
      const answer = await service.post(path, ASK);
      expect([path, answer.status]).toEqual([path, 405]);
      expect(issuesOf(answer)).toMatchObject([{ code: "method_not_allowed" }]);
      expect(answer.headers.get("allow")).toBe("GET, HEAD");
    }
  });

  it("keeps a semicolon as part of what is searched for", async () => {
    const { status, json } = await service.get("/tokens/search/w;eth?limit=1");
    expect([status, json]).toEqual([200, { success: true, data: [], total: 0, query: "w;eth" }]);
  });
});

describe("paths of networks", () => {
  it("a path below any other fixed word is of no network either", async () => {
    for (const word of ["networks", "health", "metrics", "docs", "openapi.json", "ws", "HEALTH"]) {
      for (const rest of ["tokenList", "tokenPrice/x"]) {
        const { status, json } = await service.get(`/${word}/${rest}`);
        expect([word, rest, status, json.code]).toEqual([word, rest, 404, "NOT_FOUND"]);
      }
      const { status, json } = await service.post(`/${word}/quote`, ASK);
      expect([word, status, json.code]).toEqual([word, 404, "NOT_FOUND"]);
    }
  });

  it("a network's path is found with escapes, and the network too", async () => {
    const plain = await service.post("/ETH/quote", ASK);
    expect(plain.status).toBe(200);
    for (const path of ["/ETH/%71uote", "/%45TH/quote", "/ETH/quote/", "/ETH/QUOTE"]) {
      const { status, text, headers } = await service.post(path, ASK);
      expect([path, status, text]).toEqual([path, 200, plain.text]);
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });
});

describe("a path in another form", () => {
  const plainPaths = routeTable
    .filter(({ pattern }) => !/^\/(ws|metrics|health|docs|app|$)/.test(pattern))
    .flatMap(({ pattern, methods }) =>
      [WETH, POOL, "weth", "0x1"].map((parameter) => ({
        pattern,
        method: methods[0]!,
        path: pattern.replace(":network", "ETH").replace(/:\w+/, parameter),
      })),
    );

  /**
   * The same path in another form: needless escapes, fixed segments in any case, a slash at the
   * end.
   */
  const rewritten = fc.constantFrom(...plainPaths).chain(({ pattern, method, path }) =>
    fc
      .tuple(
        fc.array(fc.tuple(fc.nat(), fc.constantFrom("escape", "case")), { maxLength: 6 }),
        fc.boolean(),
      )
      .map(([changes, hasSlash]) => {
        const segments = path.split("/").map((segment) => [...segment]);
        const fixed = pattern.split("/").map((part) => !part.startsWith(":"));
        for (const [draw, change] of changes) {
          const index = 1 + (draw % (segments.length - 1));
          const segment = segments[index]!;
          const at = draw % segment.length;
          const letter = segment[at]!;
          if (change === "escape" && letter.length === 1) {
            segment[at] = `%${letter.charCodeAt(0).toString(16)}`;
          } else if (fixed[index] && letter.length === 1) {
            segment[at] = letter.toUpperCase();
          }
        }
        const form = segments.map((segment) => segment.join("")).join("/");
        return { method, path, form: hasSlash ? `${form}/` : form };
      }),
  );

  it("is answered as in the plain one, whatever it leads to", async () => {
    const ask = (path: string, method: string) =>
      method === "POST" ? service.post(path, ASK) : service.get(path);
    await fc.assert(
      fc.asyncProperty(rewritten, async ({ method, path, form }) => {
        const [plain, other] = [await ask(path, method), await ask(form, method)];
        expect([form, other.status, other.text]).toEqual([form, plain.status, plain.text]);
      }),
      law("paths in other forms", 100).options,
    );
  });

  it("is counted once, and as the same route", async () => {
    const count = async (route: string) => {
      const { text } = await service.get("/metrics");
      const lines = text
        .split("\n")
        .filter((line) => line.includes(`route="${route}",status="200"`));
      expect(lines.length).toBeLessThanOrEqual(1);
      return Number(lines[0]?.split(" ")[1] ?? 0);
    };
    for (const [route, ask] of [
      ["/:network/quote", (path: string) => service.post(path, ASK)],
      ["/tokens/:address", service.get],
    ] as const) {
      const before = await count(route);
      const plain = route === "/:network/quote" ? "/ETH/quote" : `/tokens/${WETH}`;
      for (const path of [plain, `${plain}/`, plain.replace("/", "/%").replace("%E", "%45")]) {
        await ask(path.replace("%t", "%74"));
      }
      expect([route, await count(route)]).toEqual([route, before + 3]);
    }
  });
});
