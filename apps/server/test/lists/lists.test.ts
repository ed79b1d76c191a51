import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address } from "@millrace/core";
import { type ListedToken, makeMarketData } from "@millrace/market";
import { eventually, TestScope } from "@millrace/testing";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLists } from "../../src/lists/openLists.ts";
import { type LocationError, readLocation } from "../../src/lists/readLocation.ts";
import { configOf, DATA, NATIVE, startService, UNIVERSE_A, USDC, WETH } from "../kit/service.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-lists-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const written = (name: string, json: unknown): string => {
  const file = join(folder, name);
  writeFileSync(file, typeof json === "string" ? json : JSON.stringify(json));
  return file;
};

const entry = (address: string, symbol: string, decimals = 18) => ({
  ...{ chainId: 1, address, symbol, name: `${symbol} token`, decimals },
});

const LIMITS = { bytesMax: 1_000, timeoutMs: 500 };
const failureOf = (place: string, fetch?: typeof globalThis.fetch): Promise<string> =>
  Effect.runPromise(
    Effect.flip(readLocation(place, { ...LIMITS, ...(fetch && { fetch }) })).pipe(
      Effect.map((error: LocationError) => error.detail),
    ),
  );

describe("a list", () => {
  it("is read from a file of bounded size", async () => {
    const file = written("small.json", { tokens: [] });
    expect(await Effect.runPromise(readLocation(file, LIMITS))).toEqual({ tokens: [] });
    expect(await failureOf(written("large.json", " ".repeat(1_001)))).toBe("more than 1000 bytes");
    expect(await failureOf(written("words.json", "no list"))).toBe("not JSON");
    expect(await failureOf(join(folder, "absent.json"))).toBe("ENOENT");
    expect(await failureOf(folder)).toBe("no file");
  });

  it("is read from https, with a bound on its size, its time and its redirections", async () => {
    const asked: string[] = [];
    const answering = (answers: Record<string, () => Response | Promise<Response>>) =>
      (async (url: URL) => {
        asked.push(String(url));
        return answers[String(url)]!();
      }) as unknown as typeof globalThis.fetch;
    const to = (location: string) => () =>
      new Response(null, { status: 302, headers: { location } });
    const endless = () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(400)) }),
      );
    const fetch = answering({
      "https://lists.example/a": to("/b"),
      "https://lists.example/b": () => new Response('{"tokens":[]}'),
      "https://lists.example/down": () => new Response("KEY", { status: 500 }),
      "https://lists.example/plain": to("http://10.0.0.1/secret"),
      "https://lists.example/circle": to("/circle"),
      "https://lists.example/endless": endless,
      "https://lists.example/slow": () => new Promise(() => {}),
    });
    const read = readLocation("https://lists.example/a", { ...LIMITS, fetch });
    expect(await Effect.runPromise(read)).toEqual({ tokens: [] });
    const failure = (path: string) => failureOf(`https://lists.example/${path}`, fetch);
    expect(await failure("down")).toBe("the server answers 500");
    expect(await failure("plain")).toBe("redirected away from https");
    expect(await failure("circle")).toBe("redirected more than 3 times");
    expect(await failure("endless")).toBe("more than 1000 bytes");
    expect(await failure("slow")).toBe("not read in 500 ms");
    expect(asked).not.toContain("http://10.0.0.1/secret");
    const refused = "https://127.0.0.1:1/KEY";
    expect(await failureOf(refused)).toMatch(/^(ECONNREFUSED|cannot be read)$/);
  });

  it("that cannot be read is tried again, and what was read of it before stays", async () => {
    const scope = new TestScope();
    let answer: unknown = new Error("down");
    let readings = 0;
    const read: typeof readLocation = () =>
      Effect.suspend(() => {
        readings++;
        return answer instanceof Error
          ? readLocation(join(folder, "absent.json"), LIMITS)
          : Effect.succeed(answer);
      });
    const config = { chainId: 1, tokenLists: ["https://lists.example/a"] };
    const lists = await scope.run(openLists(config, read, { refreshMs: 5, retryMs: 5 }));
    let changes = 0;
    lists.onChange(() => changes++);
    try {
      await Effect.runPromise(lists.firstReading);
      expect(lists.listedTokens.size).toBe(0);
      answer = { tokens: [entry(WETH, "WETH")] };
      await eventually(() => lists.listedTokens.has(WETH));
      answer = { problem: "an error page" };
      const soFar = readings;
      await eventually(() => readings > soFar + 3);
      expect(lists.listedTokens.get(WETH)).toMatchObject({ symbol: "WETH" });
      expect(changes).toBe(1);
    } finally {
      await scope.close();
    }
  });
});

describe("a service with token lists", () => {
  it("lists their tokens first, believes the chain, and counts what circulates", async () => {
    const chain = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const first = await startService(chain);
    const { json } = await first.get("/tokens?sort=liquidity&limit=5");
    const obscure: Array<{ address: string; decimals: number }> = json.data;
    await first.stop();
    const [listed, wrong] = obscure;
    const list = written("list.json", {
      tokens: [
        entry(listed!.address, "OTHER", listed!.decimals),
        entry(wrong!.address, "WRONG", (wrong!.decimals + 1) % 19),
      ],
    });
    const supplies = written("supplies.json", {
      tokens: { [USDC]: { circulatingSupply: 1_000.5 } },
    });
    const config = {
      ...chain,
      logLevel: "none" as const,
      networks: [
        {
          ...chain.networks[0],
          tokenLists: [join(folder, "absent.json"), list],
          supplyFile: supplies,
        },
      ] as const,
    };
    const service = await startService(config);
    try {
      const { result } = (await service.get("/ETH/tokenList")).json;
      expect(result.slice(0, 2)).toEqual([NATIVE, listed!.address]);
      const details = await service.get("/ETH/tokenListWithDetails");
      expect(details.json.result[1]).toMatchObject({ address: listed!.address });
      expect(details.json.result.map(({ address }: { address: string }) => address)).toEqual(
        result,
      );
      const { json: one } = await service.get(`/tokens/${wrong!.address}`);
      expect(one.data.decimals).toBe(wrong!.decimals);
      expect(one.data.symbol).not.toBe("WRONG");
    } finally {
      await service.stop();
    }
  });

  it("follows lists that change", async () => {
    const service = await startService(await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A }));
    const { graph, familyOf, onPart, tokenListing, totalSupply } =
      service.networks.primary.market!.engine;
    const listedTokens = new Map<Address, ListedToken>();
    const data = makeMarketData({
      ...{ graph, familyOf, onApplied: onPart, tokenListing, listedTokens, supply: totalSupply },
      anchors: [{ address: USDC, priceUsd: 1 }],
    });
    try {
      const last = data.routableTokens().at(-1)!;
      const version = data.version();
      expect(data.version()).toBe(version);
      const decimals = graph.tokenDecimals[last]!;
      listedTokens.set(graph.tokenAddress(last), { symbol: "L", name: "Listed", decimals });
      data.listsChanged();
      expect(data.version()).not.toBe(version);
      // In slices, in the background.
      await eventually(() => data.routableTokens()[0] === last);
      listedTokens.clear();
      data.listsChanged();
      await eventually(() => data.routableTokens()[0] !== last);
    } finally {
      data.close();
      await service.stop();
    }
  });

  it("serves with the real lists, whatever they contradict each other in", async () => {
    const chain = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const network = {
      ...chain.networks[0],
      tokenLists: [
        `${DATA}tokenlists/coingecko-ethereum.json`,
        `${DATA}tokenlists/uniswap-base.json`,
      ],
      supplyFile: `${DATA}tokenlists/supply-ethereum.json`,
    };
    const service = await startService({ ...chain, logLevel: "none", networks: [network] });
    try {
      const { result } = (await service.get("/ETH/tokenListWithDetails")).json;
      const { data } = service.networks.primary.market!;
      expect(result.length).toBe(data.routableTokens().length + 1);
      expect((await service.get(`/tokens/${WETH}`)).json.data.symbol).toBe("WETH");
    } finally {
      await service.stop();
    }
  });
});
