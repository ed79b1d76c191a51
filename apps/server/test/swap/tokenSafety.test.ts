import {
  PoolAnswer,
  SwapQuote,
  TokenAnswer,
  TokenEntries,
  TokenEntryAnswer,
  TokenListJson,
} from "@millrace/api";
import { eventually } from "@millrace/testing";
import { Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer, Service } from "../kit/service.ts";
import { quoted, SwapChain } from "./swapChain.ts";

// On a chain with tokens of all kinds, which its node tests.

const STRICT = { onExcessProperty: "error" } as const;
const ETHER = 10n ** 18n;
/** By symbol, without the block. */
const EXPECTED = {
  TAX: { verdict: "taxed", buyTaxBps: 500, sellTaxBps: 500 },
  SALETAX: { verdict: "taxed", buyTaxBps: 0, sellTaxBps: 500 },
  HONEY: { verdict: "unsellable", buyTaxBps: 0, sellTaxBps: 10_000 },
  NOBUY: { verdict: "taxed", buyTaxBps: 10_000 },
  NORETURN: { verdict: "plain" },
} as const;

let chain: SwapChain;
let service: Service;
beforeAll(async () => {
  chain = await SwapChain.start();
  service = await chain.serving();
  // Verdicts last for hours, so a tested token keeps its verdict.
  const { verdicts } = service.networks.primary.market!;
  const tokens = chain.chain.devnet.hostileTokens.map(({ address }) => address);
  await eventually(() =>
    tokens.every((token) => (verdicts!.of(token)?.kind ?? "untested") !== "untested"),
  );
});
afterAll(async () => {
  await service?.stop();
  await chain?.stop();
});

function decoded<A>(schema: Schema.Codec<A, unknown>, { status, json, text }: Answer): A {
  expect(status, text).toBe(200);
  return Schema.decodeUnknownSync(schema)(json, STRICT);
}

const marketToken = async (symbol: string) =>
  decoded(TokenAnswer, await service.get(`/tokens/${chain.addressOf(symbol)}`)).data;

const withoutBlock = ({ block, ...rest }: { readonly block: string }) => {
  expect(Number(block)).toBeGreaterThan(0);
  return rest;
};

describe("the safety of a token", () => {
  it("is told wherever the token is: what a trial found, and on which block", async () => {
    const list = decoded(TokenListJson, await service.get("/tokens?limit=500"));
    const entries = decoded(TokenEntries, await service.get("/LOCAL/tokenListWithDetails"));
    for (const [symbol, expected] of Object.entries(EXPECTED)) {
      const address = chain.addressOf(symbol);
      const details = await service.get(`/LOCAL/tokenDetails/${address}`);
      const found = await service.get(`/tokens/search/${symbol}`);
      for (const { safety } of [
        await marketToken(symbol),
        list.data.find((token) => token.address === address)!,
        found.json.data.find((token: { address: string }) => token.address === address),
        decoded(TokenEntryAnswer, details).result,
        entries.result.find((entry) => entry.address.toLowerCase() === address)!,
      ]) {
        expect([symbol, withoutBlock(safety!)]).toEqual([symbol, expected]);
      }
    }
    const pools = await service.get(`/pools?limit=1&token=${chain.addressOf("HONEY")}`);
    const pool = await service.get(`/pools/${pools.json.data[0].poolAddress}`);
    const { token0Details, token1Details } = decoded(PoolAnswer, pool).data;
    const verdicts = [token0Details, token1Details].map(({ safety }) => safety?.verdict);
    expect(verdicts).toContain("unsellable");
  });

  it("is not told of tokens that are known to be plain", async () => {
    expect(await marketToken("USDC")).not.toHaveProperty("safety");
  });

  it("takes the market cap of what nobody can sell, in lists and their order too", async () => {
    const honey = chain.addressOf("HONEY");
    // Supplies arrive with blocks.
    await chain.give(chain.traderOf(1), chain.addressOf("USDC"), 1n);
    await eventually(async () => ((await marketToken("TAX")).marketCap ?? 0) > 0);
    const { price, marketCap, fullyDilutedValuation } = await marketToken("HONEY");
    expect([price > 0, marketCap, fullyDilutedValuation]).toEqual([true, undefined, undefined]);
    for (const field of ["marketCap", "fullyDilutedValuation"] as const) {
      const { data } = decoded(
        TokenListJson,
        await service.get(`/tokens?limit=500&sort=-${field}`),
      );
      const values = data.map((token) => token[field] ?? 0);
      expect(values).toEqual(values.toSorted((a, b) => b - a));
      expect(data.find(({ address }) => address === honey)).not.toHaveProperty(field);
    }
  });
});

describe("a quote with such a token", () => {
  const dollars = { tokenB: "USDC", amountIn: String(ETHER) };
  it.each([
    [{ tokenA: "HONEY", ...dollars }, "TOKEN_UNSELLABLE", /bought, and not sold: a sale fails/],
    [{ tokenA: "TAX", ...dollars }, "TOKEN_TAXED", /bought, 5 % of it is missing; sold, 5 %/],
    [{ ...dollars, tokenA: "WETH", tokenB: "NOBUY" }, "TOKEN_UNBUYABLE", /cannot be bought: /],
  ])("warns of it: %o", async ({ tokenA, tokenB, amountIn }, code, detail) => {
    const symbols = [tokenA, tokenB];
    const addresses = symbols.map((symbol) => chain.addressOf(symbol));
    const answer = await service.post("/LOCAL/quote", {
      ...{ tokenA: addresses[0], tokenB: addresses[1], amountIn },
    });
    const { warnings, unverified } = decoded(SwapQuote, answer);
    const token = addresses[symbols.findIndex((symbol) => symbol !== "USDC" && symbol !== "WETH")];
    expect(warnings).toEqual([{ code, token, detail: expect.stringMatching(detail) }]);
    expect(unverified).toEqual([token]);
  });

  it("warns of none that a trial found to be plain", async () => {
    const [tokenA, tokenB] = [chain.addressOf("NORETURN"), chain.addressOf("USDC")];
    const answer = await service.post("/LOCAL/quote", { tokenA, tokenB, amountIn: String(ETHER) });
    const quote = decoded(SwapQuote, answer);
    expect([quote.warnings, quote.unverified]).toEqual([undefined, undefined]);
  });

  it("becomes no swap where the token refuses it, whatever the price does", async () => {
    for (const symbol of ["HONEY", "TAX"]) {
      const tokenA = chain.addressOf(symbol);
      const tokenB = chain.addressOf("USDC");
      const quote = await quoted(service, { tokenA, tokenB, amountIn: String(ETHER) });
      const publicKey = chain.traderOf(1);
      const { status, json } = await service.post("/LOCAL/swap", { publicKey, quote });
      expect([status, json.code]).toEqual([422, "TOKEN_REFUSES"]);
      expect(json.detail).toContain(tokenA);
      // An inflated output has another reason: a new quote helps.
      const promised = { ...quote, amountOut: String(2n * BigInt(quote.amountOut)) };
      const moved = await service.post("/LOCAL/swap", { publicKey, quote: promised });
      expect([moved.status, moved.json.code]).toEqual([409, "PRICE_MOVED"]);
    }
  });
});
