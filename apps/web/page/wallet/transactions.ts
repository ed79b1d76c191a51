import type { SwapTransactions } from "@millrace/api";
import type { Provider } from "./provider.ts";

export type Transaction = SwapTransactions["transactions"][number];

/** The effect of a transaction, as its bytes say. */
export type Decoded =
  | {
      readonly kind: "approve";
      readonly token: string;
      readonly spender: string;
      readonly amount: bigint;
    }
  | {
      readonly kind: "permit2Approve";
      readonly token: string;
      readonly spender: string;
      readonly amount: bigint;
    }
  | { readonly kind: "swap"; readonly to: string; readonly value: bigint };

// approve(address,uint256) of ERC-20, and approve(address,address,uint160,uint48) of Permit2.
const APPROVE = "0x095ea7b3";
const PERMIT2_APPROVE = "0x87517c45";

export function decoded({ to, data, value }: Transaction): Decoded {
  const word = (at: number) => data.slice(10 + 64 * at, 10 + 64 * (at + 1));
  const address = (at: number) => `0x${word(at).slice(24)}`;
  if (data.startsWith(APPROVE)) {
    return { kind: "approve", token: to, spender: address(0), amount: BigInt(`0x${word(1)}`) };
  }
  if (data.startsWith(PERMIT2_APPROVE)) {
    const amount = BigInt(`0x${word(2)}`);
    return { kind: "permit2Approve", token: address(0), spender: address(1), amount };
  }
  return { kind: "swap", to, value: BigInt(value) };
}

/** The receipt of a mined transaction. */
export interface Receipt {
  readonly transactionHash: string;
  readonly blockNumber: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice?: string;
  /** On rollups: the fee of the first layer in wei, in addition to the gas. */
  readonly l1Fee?: string;
  readonly logs: ReadonlyArray<{
    readonly address: string;
    readonly topics: ReadonlyArray<string>;
    readonly data: string;
  }>;
}

const POLL_MS = 400;
const PATIENCE_MS = 180_000;

/** Has a wallet sign and send a transaction on a chain; gives its hash. */
export async function send(
  provider: Provider,
  chainId: number,
  { from, to, data, value }: Transaction,
): Promise<string> {
  // The wallet may have switched to another chain in the meantime.
  const terms = { value: `0x${BigInt(value).toString(16)}`, chainId: `0x${chainId.toString(16)}` };
  const call = { from, to, data, ...terms };
  const estimate = await provider.request({ method: "eth_estimateGas", params: [call] });
  // Other trades in the same pools may make it cost more in the next block.
  const gas = `0x${((BigInt(String(estimate)) * 5n) / 4n).toString(16)}`;
  const sent = { ...call, gas };
  return String(await provider.request({ method: "eth_sendTransaction", params: [sent] }));
}

/** Waits until a transaction is mined, and asks again where the node does not answer. */
export async function mined(provider: Provider, hash: string): Promise<Receipt> {
  const untilMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const receipt = await provider
      .request({ method: "eth_getTransactionReceipt", params: [hash] })
      .catch(() => null);
    // Some wallets have undefined in place of null.
    if (receipt) return receipt as Receipt;
    if (Date.now() > untilMs) throw new Error(`The transaction ${hash} is not mined yet.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

// Transfer(address,address,uint256)
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** The net amount of an ERC-20 token that a transaction brought an account. */
export function receivedToken({ logs }: Receipt, token: string, owner: string): bigint {
  const isOwner = (topic = "") => `0x${topic.slice(26)}`.toLowerCase() === owner.toLowerCase();
  let sum = 0n;
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== token.toLowerCase() || topics[0] !== TRANSFER) continue;
    if (isOwner(topics[2])) sum += BigInt(data);
    if (isOwner(topics[1])) sum -= BigInt(data);
  }
  return sum;
}

/** The amount of the native token that a transaction brought its sender, before gas fees. */
export async function receivedNative(
  provider: Provider,
  { blockNumber, gasUsed, effectiveGasPrice = "0x0", l1Fee = "0x0" }: Receipt,
  owner: string,
): Promise<bigint> {
  const before = `0x${(BigInt(blockNumber) - 1n).toString(16)}`;
  const balance = async (block: string) =>
    BigInt(String(await provider.request({ method: "eth_getBalance", params: [owner, block] })));
  const [had, has] = await Promise.all([balance(before), balance(blockNumber)]);
  return has - had + BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee);
}
