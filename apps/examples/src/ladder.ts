/**
 * A market maker's ladder: at what price each size is sold and bought on chain, after every block
 * of a devnet. What one quotes elsewhere is hedged here.
 *
 *     node ladder.ts WETH USDC 0.1 1 10
 */
import { openEngine } from "millrace";

const [base = "WETH", dollars = "USDC", ...words] = process.argv.slice(2);
const sizes = words.length === 0 ? [0.1, 1, 10] : words.map(Number);
const engine = await openEngine({ devnet: "ETH", timeoutMs: 300_000 });
const [ofBase, ofDollars] = engine.prices([base, dollars]);
const unit = (whole: number): bigint => BigInt(Math.round(whole * 1e6)) * 10n ** 12n;
const perBase = (amount: bigint, size: number): string =>
  (Number(amount) / 10 ** ofDollars!.decimals / size).toFixed(3);

async function ladder(block: number): Promise<void> {
  const lines = sizes.map(async (size) => {
    const common = { maxSplits: 4 };
    const amount = (unit(size) * 10n ** BigInt(ofBase!.decimals)) / 10n ** 18n;
    const [bid, ask] = await Promise.all([
      engine.quote({ ...common, tokenIn: base, tokenOut: dollars, amountIn: amount }),
      engine.quote({ ...common, tokenIn: dollars, tokenOut: base, amountOut: amount }),
    ]);
    return `${size}: ${perBase(bid.amountOut, size)} / ${perBase(ask.amountIn, size)}`;
  });
  console.log(`block ${block}: ${(await Promise.all(lines)).join(", ")}`);
}
await ladder(engine.core.graph.stamp.number);
engine.onBlock(({ number }) => void ladder(number));
