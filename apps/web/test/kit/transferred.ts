import { rpcUrlOf, type ServedPage } from "./servedPage.ts";

/** What the transaction's logs brought its sender of USDC, asked of the node itself. */
export async function transferred(service: ServedPage, hash: string): Promise<bigint> {
  const rpcUrl = await rpcUrlOf(service.url);
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "eth_getTransactionReceipt", params: [hash] },
    }),
  });
  const { result: receipt } = (await response.json()) as {
    readonly result: {
      readonly from: string;
      readonly logs: ReadonlyArray<{
        address: string;
        topics: ReadonlyArray<string>;
        data: string;
      }>;
    };
  };
  const usdc = (await service.tokenOf("USDC")).toLowerCase();
  const sender = receipt.from.slice(2).toLowerCase();
  return receipt.logs
    .filter(({ address, topics }) => address === usdc && topics[2]?.endsWith(sender) === true)
    .reduce((sum, { data }) => sum + BigInt(data), 0n);
}
