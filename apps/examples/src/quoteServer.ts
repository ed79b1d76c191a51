/**
 * A server of quotes in twenty lines, for the recorded market of the first word or a devnet:
 *
 *     node quoteServer.ts MARKET.json 8081
 *     curl 'http://127.0.0.1:8081/?from=WETH&to=USDC&amount=1000000000000000000'
 */
import { createServer } from "node:http";
import { MillraceError, openEngine } from "millrace";

const [marketFile, port = "8081"] = process.argv.slice(2);
const engine = await openEngine(marketFile === undefined ? { devnet: "ETH" } : { marketFile });

const server = createServer(async ({ url }, response) => {
  try {
    const asked = Object.fromEntries(new URL(url ?? "/", "http://here").searchParams);
    const { from = "", to = "", amount = "" } = asked;
    if (!/^\d{1,78}$/.test(amount)) throw new MillraceError("INVALID_REQUEST", "which amount?");
    const quote = await engine.quote({ tokenIn: from, tokenOut: to, amountIn: BigInt(amount) });
    response.end(
      JSON.stringify(quote, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
    );
  } catch (error) {
    const { code, message } =
      error instanceof MillraceError ? error : new MillraceError("INTERNAL", "");
    response.writeHead(code === "INTERNAL" ? 500 : 400).end(JSON.stringify({ code, message }));
  }
});
server.listen(Number(port), "127.0.0.1", () => console.log("answers on", server.address()));
