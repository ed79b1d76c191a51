/**
 * Takes the most profitable round trip of a devnet that the engine starts: sells ether for the
 * first token of the trip, and buys it back where it is dearer. Two swaps, so somebody may come
 * between; roundTripBot.ts makes a trip in one transaction.
 *
 *     npm install millrace @millrace/devnet viem
 *     node arbitrageBot.ts
 */
import { openEngine, type RouteRequest } from "millrace";
import { createWalletClient, formatEther, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

// What every devnet knows.
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const engine = await openEngine({ devnet: "ETH", timeoutMs: 300_000 });
const account = privateKeyToAccount(KEY);
const transport = http(engine.network.rpcUrls[0]);
const wallet = createWalletClient({ account, transport }).extend(publicActions);

const { tokenOut: middle, amountOut: amount } = engine.cycles("WETH")[0]!.steps[0]!;
const before = await wallet.getBalance(account);
await swap({ tokenIn: "ETH", tokenOut: middle, amountOut: amount });
await swap({ tokenIn: middle, tokenOut: "ETH", amountIn: amount });
console.log(`${formatEther((await wallet.getBalance(account)) - before)} ETH gained`);
await engine.close();

/** A swap at the best rate now, until one is mined before the price has moved too far. */
async function swap(request: RouteRequest): Promise<void> {
  for (let mined = { status: "", transactionHash: "" }; mined.status !== "success"; ) {
    const quote = await engine.quote({ ...request, maxSplits: 4 });
    const { transactions } = await engine.swap(quote, { sender: account.address, slippage: 1 });
    for (const transaction of transactions) {
      mined = await wallet.sendTransactionSync({ ...transaction, chain: null });
      console.log(`${mined.transactionHash}: ${mined.status}`);
    }
  }
}
