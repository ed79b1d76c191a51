/**
 * Takes the most profitable round trip of a devnet that the engine starts: sells ether for the
 * first token of the trip, and buys it back where it is dearer. Two swaps, so somebody may come
 * between; roundTripBot.ts makes a trip in one transaction.
 *
 *     npm install millrace @millrace/devnet viem
 *     node arbitrageBot.ts
 */
import { openEngine } from "millrace";
import { createWalletClient, formatEther, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

// What every devnet knows.
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const engine = await openEngine({ devnet: "ETH", timeoutMs: 300_000 });
const account = privateKeyToAccount(KEY);
const transport = http(engine.network.rpcUrls[0]);
const wallet = createWalletClient({ account, transport }).extend(publicActions);

const trip = engine.cycles("WETH")[0]!;
const middle = trip.steps[0]!.tokenOut;
const before = await wallet.getBalance(account);
await swap(middle, "ETH", await swap("ETH", middle, trip.amountIn));
console.log(`${formatEther((await wallet.getBalance(account)) - before)} ETH gained`);
await engine.close();

/** What surely comes out of a swap at the best rate now, once it is mined. */
async function swap(tokenIn: string, tokenOut: string, amountIn: bigint): Promise<bigint> {
  const quote = await engine.quote({ tokenIn, tokenOut, amountIn, maxSplits: 4 });
  const built = await engine.swap(quote, { sender: account.address, slippage: 0.05 });
  for (const { to, data, value } of built.transactions) {
    const call = { to: to as `0x${string}`, data: data as `0x${string}`, value, chain: null };
    const hash = await wallet.sendTransaction(call);
    console.log(`${hash}: ${(await wallet.waitForTransactionReceipt({ hash })).status}`);
  }
  return built.minAmountOut!;
}
