import type { SwapTransactions } from "@millrace/api";
import { Effect } from "effect";
import { createWalletClient, defineChain, type Hex, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type CommandError, commandRefused, unreachable, wrongUsage } from "../CommandError.ts";
import type { Output } from "../output/Output.ts";

/** Interval of looks for a receipt; viem's own is longer than two blocks of some chains. */
const POLLING_MS = 500;

/**
 * Signs with the key of the environment and sends to a node, each transaction after the one before
 * was mined. The node has to be of the network's chain.
 */
export const keySender = Effect.fnUntraced(function* (
  rpcUrl: string,
  chainId: number,
  output: Output,
) {
  const key = process.env["MILLRACE_PRIVATE_KEY"] ?? "";
  if (!/^0x[0-9a-fA-F]{64}$/.test(key))
    return yield* wrongUsage("--execute needs MILLRACE_PRIVATE_KEY: 0x and 64 hex digits");
  const account = yield* Effect.try({
    try: () => privateKeyToAccount(key as Hex),
    catch: () => wrongUsage("MILLRACE_PRIVATE_KEY is no key"),
  });
  const nativeCurrency = { name: "native", symbol: "native", decimals: 18 };
  const chain = defineChain({
    ...{ id: chainId, name: String(chainId), nativeCurrency },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const wallet = createWalletClient({
    ...{ account, chain, transport: http(rpcUrl) },
    pollingInterval: POLLING_MS,
  }).extend(publicActions);
  // URLs of nodes contain keys, so no message repeats them.
  const seen = yield* Effect.tryPromise({
    try: () => wallet.getChainId(),
    catch: () => unreachable("the node of --send-to cannot be reached"),
  });
  if (seen !== chainId)
    return yield* commandRefused(`the node of --send-to is of chain ${seen}, not of ${chainId}`);

  const sendOne = Effect.fnUntraced(function* (
    { to, data, value }: Transaction,
    step: string,
  ): Effect.fn.Return<string, CommandError> {
    const hash = yield* Effect.tryPromise({
      try: async () => {
        const call = { to: to as Hex, data: data as Hex, value: BigInt(value) };
        // Other trades in the same pools may make it cost more in the next block.
        const gas = ((await wallet.estimateGas({ account, ...call })) * 5n) / 4n;
        return wallet.sendTransaction({ ...call, gas });
      },
      catch: (cause) => commandRefused(`${step} is refused by the node: ${shortMessage(cause)}`),
    });
    output.noteStep(`${step} is sent: ${hash}`);
    const { status } = yield* Effect.tryPromise({
      try: () => wallet.waitForTransactionReceipt({ hash }),
      catch: () => unreachable(`whether ${step}, ${hash}, is mined is not known`),
    });
    if (status !== "success")
      return yield* commandRefused(`${step}, ${hash}, is mined, but reverted`);
    return hash;
  });

  const send = (transactions: ReadonlyArray<Transaction>) =>
    Effect.forEach(transactions, (transaction, index) =>
      sendOne(transaction, `transaction ${index + 1} of ${transactions.length}`),
    );
  return { address: account.address as string, send };
});

type Transaction = SwapTransactions["transactions"][number];

const shortMessage = (cause: unknown): string =>
  String((Object(cause) as { readonly shortMessage?: unknown }).shortMessage ?? "no reason given");
