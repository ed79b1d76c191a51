/**
 * Tells whenever the price of a token has moved by so many percent since it last told, on a devnet:
 *
 *     node priceAlert.ts WETH 0.1
 */
import { openEngine } from "millrace";

const [token = "WETH", percent = "0.1"] = process.argv.slice(2);
const engine = await openEngine({ devnet: "ETH", timeoutMs: 300_000 });
const priceNow = (): number => engine.prices([token])[0]!.priceUsd;

let last = priceNow();
console.log(`${token} is at ${last}`);
engine.onBlock(({ number }) => {
  const price = priceNow();
  const moved = (price / last - 1) * 100;
  if (Math.abs(moved) < Number(percent)) return;
  console.log(`block ${number}: ${token} is at ${price}, ${moved.toFixed(3)} %`);
  last = price;
});
