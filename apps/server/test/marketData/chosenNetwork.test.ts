import { TokenAnswer } from "@millrace/api";
import { Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  issuesOf,
  NATIVE,
  type Service,
  startConfigured,
  UNIVERSE_A,
  USDC,
  WETH,
} from "../kit/service.ts";

const STRICT = { onExcessProperty: "error" } as const;
const NOWHERE = `0x${"1".repeat(40)}`;

let service: Service;
/** Of the second network alone. */
let token = "";
let pool = "";
beforeAll(async () => {
  const source = { kind: "generated", seed: 7, poolCount: 40 };
  service = await startConfigured({
    networks: [
      { id: "ETH", chainId: 1, source: { kind: "marketFile", path: UNIVERSE_A } },
      // Its wrapped native token is in no pool.
      { id: "BASE", chainId: 8453, source, wrappedNative: NOWHERE },
    ],
  });
  const { graph } = service.networks.byId("BASE")!.market!.engine;
  const primary = service.networks.primary.market!.engine.graph;
  const addresses = Array.from({ length: graph.tokenCount }, (_, index) =>
    graph.tokenAddress(index as Parameters<typeof graph.tokenAddress>[0]),
  );
  token = addresses.find((address) => primary.findToken(address) === undefined)!;
  pool = (await service.get("/pools?network=BASE&limit=1")).json.data[0].poolAddress;
});
afterAll(() => service?.stop());

/** Every path of the interface, of a token and a pool. */
const pathsOf = (asked: string, poolAddress: string) => [
  "/tokens",
  "/tokens/search/eth",
  `/tokens/${asked}`,
  `/tokens/${asked}/price`,
  `/tokens/${asked}/candles`,
  "/pools",
  `/pools/${poolAddress}`,
  `/pools/${poolAddress}/candles`,
  `/pools/${poolAddress}/trades`,
];

describe("the network of a request", () => {
  it("is named by its id, by its chain id or by both", async () => {
    for (const path of pathsOf(token, pool)) {
      const answers = await Promise.all(
        ["network=BASE", "chainId=8453", "network=BASE&chainId=8453"].map((query) =>
          service.get(`${path}?${query}`),
        ),
      );
      for (const { status, text } of answers) {
        expect([path, status]).toEqual([path, 200]);
        expect(text).toBe(answers[0]!.text);
      }
    }
    const { json } = await service.get(`/tokens/${token}?network=BASE`);
    const { data } = Schema.decodeUnknownSync(TokenAnswer)(json, STRICT);
    expect([data.address, data.chainId]).toEqual([token, "8453"]);
    const primary = await service.get("/tokens?network=ETH&limit=5");
    expect(primary.text).toBe((await service.get("/tokens?limit=5")).text);
  });

  it("is refused where the two disagree, and where there is none of that name", async () => {
    for (const path of pathsOf(token, pool)) {
      for (const [query, status, code, place] of [
        ["network=BASE&chainId=1", 400, "invalid_value", "network"],
        ["network=ETH&chainId=8453", 400, "invalid_value", "network"],
        ["network=NONE", 404, "not_found", "network"],
        ["network=base", 404, "not_found", "network"],
        ["network=BASE&chainId=77", 404, "not_found", "chainId"],
        ["network=", 400, "too_small", "network"],
        ["network=BASE&network=BASE", 400, "invalid_type", "network"],
      ] as const) {
        const answer = await service.get(`${path}?${query}`);
        expect([path, query, answer.status]).toEqual([path, query, status]);
        expect(issuesOf(answer)).toMatchObject([{ code, path: [place] }]);
      }
    }
  });

  it("is hinted at where another one has the address", async () => {
    const [, , ...paths] = pathsOf(token, pool).filter((path) => path !== "/pools");
    for (const path of paths) {
      const answer = await service.get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      const [issue] = issuesOf(answer) as Array<{ path: string[]; message?: string }>;
      expect(issue!.path).toEqual(["address"]);
      expect(issue!.message).toContain("on ETH. It is of the network BASE: add network=BASE");
    }
    const elsewhere = await service.get(`/tokens/${WETH}?network=BASE`);
    expect(elsewhere.status).toBe(404);
    expect(elsewhere.json.error).toContain("It is of the network ETH: add network=ETH");
    for (const path of [`/tokens/${NOWHERE}`, `/pools/${NOWHERE}`]) {
      const nowhere = await service.get(path);
      expect(nowhere.status).toBe(404);
      expect(nowhere.json.error).not.toContain("network=");
    }
  });
});

describe("the native token's address", () => {
  it("stands for its wrapped form, in any case", async () => {
    for (const native of [NATIVE, NATIVE.toLowerCase()]) {
      for (const rest of ["", "/price", "/candles"]) {
        const { status, text } = await service.get(`/tokens/${native}${rest}`);
        expect([rest, status]).toEqual([rest, 200]);
        expect(text).toBe((await service.get(`/tokens/${WETH}${rest}`)).text);
      }
      const pools = await service.get(`/pools?token=${native}&limit=20`);
      expect(pools.text).toBe((await service.get(`/pools?token=${WETH}&limit=20`)).text);
      expect(pools.json.data.length).toBe(20);
    }
  });

  it("stands for it as a token of a pair", async () => {
    const pools = await service.get(`/pools?token=${USDC}&limit=500`);
    const found = pools.json.data.find((each: { token1: string }) => each.token1 === WETH);
    for (const what of ["candles", "trades"]) {
      const path = `/pools/${found.poolAddress}/${what}`;
      const { status } = await service.get(`${path}?base=${NATIVE}&quote=${USDC}`);
      expect([what, status]).toEqual([what, 200]);
      const both = await service.get(`${path}?base=${NATIVE}&quote=${WETH}`);
      expect([both.status, issuesOf(both)[0]!.path]).toEqual([400, ["quote"]]);
    }
  });

  it("is nowhere where the market has no wrapped form", async () => {
    const pools = await service.get(`/pools?network=BASE&token=${NATIVE}`);
    expect(pools.status).toBe(200);
    expect(pools.json.data).toEqual([]);
    const one = await service.get(`/tokens/${NATIVE}?network=BASE`);
    expect(one.status).toBe(404);
    expect(one.json.error).not.toContain("network=");
  });
});
