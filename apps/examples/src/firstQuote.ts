/**
 * The first quote, on a devnet that the engine starts:
 *
 *     npm install millrace @millrace/devnet
 *     node firstQuote.ts
 */
import { openEngine } from "millrace";

const engine = await openEngine({ devnet: "ETH", timeoutMs: 300_000 });
const { amountOut } = await engine.quote({
  tokenIn: "ETH",
  tokenOut: "USDC",
  amountIn: 10n ** 18n,
});
console.log(`one ether buys ${amountOut} of the smallest units of USDC`);
await engine.close();
