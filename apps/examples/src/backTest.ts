/**
 * A rule of trading over the blocks of a recorded market: after each block it holds ether where the
 * price is above the mean of all blocks so far, and dollars where it is below. Its trades are
 * quoted exactly, fees and depth included, with what it has then.
 *
 *     node backTest.ts MARKET.json
 */
import { readFileSync } from "node:fs";
import { openEngine } from "millrace";

const [path = ""] = process.argv.slice(2);
const { chainId, updates } = JSON.parse(readFileSync(path, "utf8"));
const source = { kind: "marketFile", path, replayMs: 20 };
const engine = await openEngine({ config: { id: "PAST", chainId, source } });
const usdc = (amountIn: bigint) => engine.quote({ tokenIn: "WETH", tokenOut: "USDC", amountIn });
const weth = (amountIn: bigint) => engine.quote({ tokenIn: "USDC", tokenOut: "WETH", amountIn });

const start = 10n ** 18n;
let held = { token: "WETH", amount: start };
const prices: number[] = [];

await new Promise<void>((resolve) => {
  const end = updates.at(-1).block;
  const trade = async (block: number) => {
    const price = Number((await usdc(start)).amountOut);
    prices.push(price);
    const mean = prices.reduce((sum, each) => sum + each, 0) / prices.length;
    const wanted = price >= mean ? "WETH" : "USDC";
    if (wanted !== held.token) {
      const { amountOut } = await (wanted === "USDC" ? usdc : weth)(held.amount);
      held = { token: wanted, amount: amountOut };
      console.log(`block ${block}: ${amountOut} ${wanted}`);
    }
    if (block === end) resolve();
  };
  // One block after the other, however long a trade takes.
  let turn = Promise.resolve();
  engine.onBlock(({ number }) => {
    turn = turn.then(() => trade(number));
  });
});
const left = held.token === "WETH" ? held.amount : (await weth(held.amount)).amountOut;
console.log(`${prices.length} blocks: ${start} became ${left} wei`);
await engine.close();
