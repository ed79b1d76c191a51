/**
 * What holdings bring when all of them are sold now, on the recorded market of the first word. Each
 * sale takes place in the pools as the sales before left them: where several go through one pool,
 * its depth counts once.
 *
 *     node portfolio.ts MARKET.json USDC WETH=500000000000000000000 WBTC=1000000000
 */
import { openEngine, type RouteAssumption } from "millrace";

const [marketFile = "", into = "USDC", ...words] = process.argv.slice(2);
const holdings = words.map((word) => word.split("=") as [token: string, amount: string]);
const engine = await openEngine({ marketFile });

let alone = 0n;
let together = 0n;
const sold: RouteAssumption[] = [];
for (const [tokenIn, amount] of holdings) {
  const asked = { tokenIn, tokenOut: into, amountIn: BigInt(amount), maxSplits: 8 };
  alone += (await engine.quote(asked)).amountOut;
  const { amountOut, steps } = await engine.quote({ ...asked, assume: sold });
  sold.push({ routePlan: steps });
  together += amountOut;
  console.log(`${tokenIn}: ${amountOut}`);
}
console.log(`together ${together} of ${into}; each alone would be ${alone}`);
await engine.close();
