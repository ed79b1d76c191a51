/**
 * One ether into dollars on the devnet of a running service: a quote, its transactions, signed and
 * sent in their order. The log of `npm start` shows the RPC URL under "devnet started".
 *
 *     node run.mjs apps/examples/src/swap.ts http://127.0.0.1:8080 RPC_URL
 */
import { createWalletClient, formatUnits, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const [service, rpcUrl] = process.argv.slice(2);
// The account that every anvil begins with. Its key is known to everybody: for devnets only.
const account = privateKeyToAccount(
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
);
// Looks for receipts twice a second.
const options = { account, transport: http(rpcUrl), pollingInterval: 500 };
const wallet = createWalletClient(options).extend(publicActions);

const quote = await post("quote", {
  tokenA: "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
  tokenB: "0xc449045b2e9788f497083d0a7795a4bd87fda6d8",
  amountIn: "1000000000000000000",
});
const swap = await post("swap", { publicKey: account.address, quote, slippage: 0.5 });
console.log(`at least ${formatUnits(BigInt(swap.minAmountOut), 6)} for one ether`);
for (const { to, data, value } of swap.transactions) {
  const call = { to, data, value: BigInt(value) };
  // In the next block it may cost more: others trade in the same pools.
  const gas = ((await wallet.estimateGas({ account, ...call })) * 5n) / 4n;
  const hash = await wallet.sendTransaction({ chain: null, ...call, gas });
  const { status } = await wallet.waitForTransactionReceipt({ hash });
  if (status !== "success") throw new Error("the market has moved too far: ask for a new quote");
  console.log(`${hash}: ${status}`);
}

async function post(path: string, body: unknown) {
  const request = { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${service}/ETH/${path}`, request);
  const answer = JSON.parse(await response.text());
  if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}
