// What strangers write into their empty projects.

const QUESTION = `async function main({ openEngine }) {
  const engine = await openEngine({ marketFile: process.argv[2] });
  const asked = { tokenIn: "WETH", tokenOut: "USDC", amountIn: 10n ** 18n };
  const { amountOut } = await engine.quote(asked);
  const { steps } = await engine.quote({ ...asked, maxHops: 3, maxSplits: 8 });
  console.log(String(amountOut), steps.length);
  await engine.close();
}
`;

/** One quote by the facade, of the recorded market in the first word. */
export const FACADE_MODULE = `import * as millrace from "millrace";
${QUESTION}await main(millrace);
`;

export const FACADE_COMMON = `${QUESTION}main(require("millrace"));
`;

/** A client that has nobody to ask says so; its Effects are of the version that it speaks. */
export const CLIENT_MODULE = `import { Client } from "@millrace/client";
const client = new Client("http://127.0.0.1:1");
client.onState((state) => console.log(state));
const reading = client.blocks("ETH")[Symbol.asyncIterator]().next();
client.close();
console.log((await reading).done);
await client.quote("ETH", { tokenA: "0x", tokenB: "0x", amountIn: "1" }).then(
  () => console.log("answered"),
  () => console.log("refused"),
);
`;

/** A program of one's own Effect 3 beside ours. */
export const BESIDE_EFFECT_3 = `import { Effect } from "effect";
import * as millrace from "millrace";
import { Client } from "@millrace/client";
const doubled = Effect.map(Effect.succeed(21), (half) => half * 2);
console.log(Effect.runSync(doubled), typeof Client);
${QUESTION}await Effect.runPromise(Effect.promise(() => main(millrace)));
`;

export const TYPED = `import { Client } from "@millrace/client";
import { openMarket, type Quote } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { marketFile } from "@millrace/replay";
import { type MillraceEngine, MillraceError, openEngine, type RouteQuote } from "millrace";

export const market = openMarket(1, curves);
export const amountOf = (quote: Quote | RouteQuote): bigint => quote.amountOut;
export const source = marketFile("market.json");
export const engine: Promise<MillraceEngine> = openEngine({ marketFile: "market.json" });
export const code = (error: unknown): string =>
  error instanceof MillraceError ? error.code : "none";
export const client = new Client("http://127.0.0.1:8080");
// @ts-expect-error an address is not a number
market.graph.findToken(1);
// @ts-expect-error no such network ships
openEngine({ network: "NOWHERE", rpcUrls: [] });
`;

/** Compiled strictly, libraries of others included. */
export const typeOptions = (resolution: "nodenext" | "bundler"): string =>
  JSON.stringify({
    compilerOptions: {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ skipLibCheck: false, noEmit: true, target: "es2024", lib: ["es2024", "dom"] },
      module: resolution === "nodenext" ? "nodenext" : "preserve",
      ...{ moduleResolution: resolution, types: ["node"] },
    },
    files: ["typed.ts"],
  });
