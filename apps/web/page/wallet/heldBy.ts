import type { Provider } from "./provider.ts";

// balanceOf(address)
const BALANCE_OF = "0x70a08231";

/** An account's balance of a token in smallest units, from the wallet's node. */
export async function heldBy(
  provider: Provider,
  account: string,
  token: { readonly contractAddress: string },
  isNative: boolean,
): Promise<bigint> {
  const data = BALANCE_OF + account.slice(2).padStart(64, "0");
  const answer = isNative
    ? await provider.request({ method: "eth_getBalance", params: [account, "latest"] })
    : await provider.request({
        ...{ method: "eth_call", params: [{ to: token.contractAddress, data }, "latest"] },
      });
  return BigInt(String(answer));
}
