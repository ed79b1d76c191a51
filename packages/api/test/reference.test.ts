import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import {
  CANDLE_INTERVALS,
  CandleJson,
  openApiText,
  PROBLEMS,
  referencePage,
  TradeJson,
} from "../src/index.ts";

const document = JSON.parse(openApiText()) as {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { readonly responses: object }>>;
  readonly components: {
    readonly schemas: Record<string, { readonly additionalProperties?: unknown }>;
  };
};

describe("the published interface", () => {
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
        "/pools/{address}/candles",
        "/pools/{address}/trades",
        "/tokens",
        "/tokens/search/{query}",
        "/tokens/{address}",
        "/tokens/{address}/candles",
        "/tokens/{address}/price",
        "/tokens/{address}/trades",
        "/trades",
        "/{network}/cycles",
        "/{network}/dexes",
        "/{network}/permit",
        "/{network}/quote",
        "/{network}/swap",
        "/{network}/tokenDetails/{tokenAddress}",
        "/{network}/tokenList",
        "/{network}/tokenListWithDetails",
        "/{network}/tokenPrice/{tokenAddress}",
        "/{network}/wallet",
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

  it("the OpenAPI document shows what candles and trades look like, and how they are asked for", () => {
    const { schemas } = document.components;
    for (const [schema, example] of [
      [CandleJson, schemas["Candle"]],
      [TradeJson, schemas["Trade"]],
    ] as const) {
      const { examples } = example as { readonly examples: ReadonlyArray<unknown> };
      expect(examples.length).toBe(1);
      Schema.decodeUnknownSync(schema as Schema.Codec<unknown>)(examples[0], {
        onExcessProperty: "error",
      });
    }
    const parametersOf = (path: string) => {
      const { parameters } = document.paths[path]!["get"] as unknown as {
        readonly parameters: ReadonlyArray<{ readonly name: string; readonly schema: object }>;
      };
      return Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    };
    for (const path of ["/tokens/{address}/candles", "/pools/{address}/candles"]) {
      const parameters = parametersOf(path);
      const pair = path.startsWith("/pools") ? ["base", "quote"] : [];
      const range = ["interval", "from", "to", "limit", "fill"];
      expect(Object.keys(parameters)).toEqual(["address", ...range, ...pair, "network", "chainId"]);
      expect(parameters["interval"]).toMatchObject({ enum: CANDLE_INTERVALS });
      expect(parameters["from"]).toMatchObject({ type: "integer" });
    }
    const trades = ["from", "to", "maker", "limit", "before"];
    const network = ["network", "chainId"];
    expect(Object.keys(parametersOf("/pools/{address}/trades"))).toEqual([
      ...["address", ...trades, "base", "quote", ...network],
    ]);
    expect(Object.keys(parametersOf("/tokens/{address}/trades"))).toEqual([
      ...["address", ...trades, ...network],
    ]);
    expect(Object.keys(parametersOf("/trades"))).toEqual(["transaction", ...trades, ...network]);
  });

  it("the reference page tells every path and problem, and needs nothing from elsewhere", () => {
    const page = referencePage();
    for (const path of Object.keys(document.paths)) expect(page).toContain(path);
    for (const code of Object.keys(PROBLEMS)) expect(page).toContain(`id="${code}"`);
    expect(page).not.toMatch(/<script|<link|<img|https?:\/\/|@import|url\(/i);
  });

  it("the reference page tells the messages of the stream beside the rest", () => {
    const page = referencePage();
    for (const name of [
      "subscribe_quote",
      "unsubscribe",
      "hello",
      "update",
      "heartbeat",
      "error",
    ]) {
      expect(page).toContain(`id="message-${name}"`);
    }
    expect(page).toContain("<code>minChangeBps</code> <small>optional</small>");
    // With an example of each.
    expect(page).toContain("{&#34;op&#34;:&#34;unsubscribe&#34;,&#34;id&#34;:6");
    // Each message is told once: links to it are not ambiguous.
    const anchors = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    expect(new Set(anchors).size).toBe(anchors.length);
    // Every link within the page leads somewhere.
    const targets = new Set([...page.matchAll(/id="([^"]+)"/g)].map((match) => match[1]));
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(targets).toContain(target);
  });

  it("the reference page names method and path of each operation in its navigation", () => {
    const [navigation] = /<nav>.*<\/nav>/s.exec(referencePage())!;
    for (const [path, item] of Object.entries(document.paths)) {
      for (const method of Object.keys(item))
        expect(navigation).toContain(`<b>${method.toUpperCase()}</b> ${path}</a>`);
    }
    expect(navigation).toContain('<a href="#quickstart">');
  });

  it("the reference page asks for the examples that it is given, as words of a shell", () => {
    const examples = { network: "BASE", token: `0x${"1".repeat(40)}`, pool: `0x${"2".repeat(64)}` };
    const page = referencePage(examples);
    for (const path of [
      ...[`/tokens/${examples.token}/price`, `/pools/${examples.pool}/trades`],
      ...["/BASE/dexes", `/BASE/tokenPrice/${examples.token}`, "/health/ready/BASE"],
    ]) {
      expect(page).toContain(`<pre>curl -s 127.0.0.1:8080${path}</pre>`);
    }
    const odd = referencePage({ ...examples, network: "A'; <b> $(id)", token: "it's" });
    expect(odd).not.toContain("<b> $");
    expect(odd).toContain("it'\\''s");
    expect(odd).toContain("/A%27%3B%20%3Cb%3E%20%24%28id%29/dexes");
  });
});
