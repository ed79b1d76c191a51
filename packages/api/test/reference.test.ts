import { expect, it } from "vitest";
import { openApiText, PROBLEMS, referencePage } from "../src/index.ts";

const document = JSON.parse(openApiText()) as {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { readonly responses: object }>>;
  readonly components: {
    readonly schemas: Record<string, { readonly additionalProperties?: unknown }>;
  };
};

it("the OpenAPI document has every path of the contract's sections", () => {
  expect(document.openapi).toBe("3.1.0");
  expect(Object.keys(document.paths).sort()).toEqual(
    [
      "/docs",
      "/health/live",
      "/health/ready",
      "/health/ready/{network}",
      "/metrics",
      "/networks",
      "/pools",
      "/pools/{address}",
      "/tokens",
      "/tokens/search/{query}",
      "/tokens/{address}",
      "/tokens/{address}/price",
      "/{network}/dexes",
      "/{network}/permit",
      "/{network}/quote",
      "/{network}/swap",
      "/{network}/tokenDetails/{tokenAddress}",
      "/{network}/tokenList",
      "/{network}/tokenListWithDetails",
      "/{network}/tokenPrice/{tokenAddress}",
    ].sort(),
  );
  const { responses } = document.paths["/{network}/quote"]!["post"]!;
  expect(Object.keys(responses)).toEqual(
    expect.arrayContaining(["200", "400", "404", "413", "422", "429", "500", "503"]),
  );
  for (const path of ["swap", "permit"]) {
    const { responses } = document.paths[`/{network}/${path}`]!["post"]!;
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(["200", "400", "404", "409", "413", "422", "429", "500", "503"]),
    );
  }
});

it("the OpenAPI document lets a quote come back whole, and nothing else beside what it names", () => {
  const { schemas } = document.components;
  expect(schemas["QuotedSwap"]!.additionalProperties).not.toBe(false);
  expect(schemas["SwapStep"]!.additionalProperties).not.toBe(false);
  for (const name of ["SwapRequest", "PartnerFees", "SignedPermit"]) {
    expect(schemas[name]!.additionalProperties).toBe(false);
  }
});

it("the OpenAPI document takes no text for a number, and tells the bounds of a swap's slippage", () => {
  expect(openApiText()).not.toMatch(/Infinity|NaN/);
  expect(document.components.schemas["SwapRequest"]).toMatchObject({
    properties: {
      slippage: {
        ...{ type: "number", minimum: 0, maximum: 50 },
        description: expect.stringContaining("Percent"),
      },
    },
  });
  expect(document.components.schemas["SwapQuote"]).toMatchObject({
    properties: { priceImpact: { type: "number" }, timestamp: { type: "number" } },
  });
});

it("the reference page tells every path and problem, and needs nothing from elsewhere", () => {
  const page = referencePage();
  for (const path of Object.keys(document.paths)) expect(page).toContain(path);
  for (const code of Object.keys(PROBLEMS)) expect(page).toContain(`id="${code}"`);
  expect(page).not.toMatch(/<script|<link|<img|https?:\/\/|@import|url\(/i);
});
