import { Effect, Schedule } from "effect";
import { type Address, type Hex, numberToHex } from "viem";
import { DevnetError } from "../DevnetError.ts";
import { type Node, whereUnsupported } from "./Node.ts";

/** A transaction without its sender. Without `to` it creates a contract. */
export interface Transaction {
  readonly to?: Address;
  readonly data: Hex;
  readonly value?: bigint;
}

/** A transaction and its sender, for a block still to be made. */
export interface Sending {
  readonly from: Address;
  readonly transaction: Transaction;
}

export interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly status: Hex;
  /** Set for a transaction that creates a contract. */
  readonly contractAddress?: Address | null;
}

/** Enough for every transaction here; a fixed limit saves an estimate. */
const GAS = 12_000_000n;

/**
 * Sends from an impersonated account, and returns once a block contains the transaction. The node
 * assigns the nonce, so that a reorganisation cannot make a stored one wrong. Anvil sometimes
 * leaves out a transaction that is ready, and `eth_sendTransactionSync` then waits in vain: so a
 * block is requested.
 */
export const sendSync: (node: Node, sending: Sending) => Effect.Effect<Receipt, DevnetError> =
  Effect.fnUntraced(function* (node, sending) {
    const hash = yield* node.request<Hex>("eth_sendTransaction", [toJson(sending)]);
    const mined = yield* awaitReceipt(node, hash, MISSED_AFTER_MS);
    if (mined !== null) return mined;
    yield* node.request("evm_mine", []);
    const receipt = yield* awaitReceipt(node, hash, PATIENCE_MS);
    if (receipt !== null) return receipt;
    const why = yield* whyUnmined(node, hash, sending.from);
    return yield* new DevnetError({ reason: "Refused", detail: `no block holds ${hash}: ${why}` });
  });

const whyUnmined = Effect.fnUntraced(function* (node: Node, hash: Hex, from: Address) {
  const known = yield* node.request<{ readonly nonce: Hex } | null>("eth_getTransactionByHash", [
    hash,
  ]);
  if (known === null) return "the node lost it";
  const next = yield* node.request<Hex>("eth_getTransactionCount", [from, "latest"]);
  return `its nonce is ${known.nonce}, and the next of its sender ${next}`;
});

/** Null where no block contains the transaction after so long. */
const awaitReceipt = (node: Node, hash: Hex, waitMs: number) =>
  receiptOf(node, hash).pipe(
    Effect.repeat({
      until: (receipt) => receipt !== null,
      schedule: Schedule.spaced(RECEIPT_EVERY_MS),
      times: waitMs / RECEIPT_EVERY_MS,
    }),
  );

const receiptOf = (node: Node, hash: Hex): Effect.Effect<Receipt | null, DevnetError> =>
  node.request("eth_getTransactionReceipt", [hash]);

const RECEIPT_EVERY_MS = 2;
const MISSED_AFTER_MS = 2_000;
const PATIENCE_MS = 10_000;

/**
 * Makes one block of these transactions, in this order, and returns their receipts; null for one
 * that the block leaves out. Fails if the node refuses a transaction, but not if one reverts.
 */
export const mineBlock: (
  node: Node,
  sendings: ReadonlyArray<Sending>,
) => Effect.Effect<ReadonlyArray<Receipt | null>, DevnetError> = Effect.fnUntraced(
  function* (node, sendings) {
    yield* node.request("evm_setAutomine", [false]);
    const send = Effect.gen(function* () {
      const hashes = yield* Effect.forEach(sendings, (sending) =>
        node.request<Hex>("eth_sendTransaction", [toJson(sending)]),
      );
      yield* node.request("evm_mine", []);
      return hashes;
    });
    const hashes = yield* Effect.ensuring(
      send,
      Effect.ignore(node.request("evm_setAutomine", [true])),
    );
    return yield* Effect.forEach(hashes, (hash) => receiptOf(node, hash), {
      concurrency: "unbounded",
    });
  },
);

/**
 * Makes blocks of many transactions while nobody else uses the chain: a block's transactions are
 * sent together, since each sender's nonces are known. Fails when a transaction reverts or is left
 * out of its block.
 */
export function makeBatches(
  node: Node,
): (sendings: ReadonlyArray<Sending>) => Effect.Effect<void, DevnetError> {
  const send = sendNumbered(node, new Map());
  return Effect.fnUntraced(function* (sendings) {
    yield* send(sendings);
    yield* node.request("evm_mine", []);
    const receipts = yield* node
      .request<ReadonlyArray<Receipt>>("eth_getBlockReceipts", ["latest"])
      .pipe(whereUnsupported(() => receiptsOfLatest(node)));
    const succeeded = receipts.filter(({ status }) => status === "0x1").length;
    if (succeeded === sendings.length) return;
    const reverted = receipts.findIndex(({ status }) => status !== "0x1");
    return yield* new DevnetError({
      reason: "Reverted",
      detail: `${sendings.length} sent, ${receipts.length} mined, ${succeeded} succeeded; the first that did not is number ${reverted}`,
    });
  });
}

/** For a node that returns receipts only one by one. */
const receiptsOfLatest = Effect.fnUntraced(function* (
  node: Node,
): Effect.fn.Return<ReadonlyArray<Receipt>, DevnetError> {
  const { transactions } = yield* node.request<{ readonly transactions: ReadonlyArray<Hex> }>(
    "eth_getBlockByNumber",
    ["latest", false],
  );
  return yield* Effect.forEach(
    transactions,
    (hash) => node.request<Receipt>("eth_getTransactionReceipt", [hash]),
    { concurrency: "unbounded" },
  );
});

/**
 * Makes blocks like `makeBatches`, each at a given time in seconds, from senders with given next
 * nonces. Reverts are not reported.
 */
export const makeDatedBlocks = (
  node: Node,
  nonces: ReadonlyMap<Address, number>,
): ((sendings: ReadonlyArray<Sending>, atS: number) => Effect.Effect<void, DevnetError>) => {
  const send = sendNumbered(node, new Map(nonces));
  return (sendings, atS) => Effect.andThen(send(sendings), node.request("evm_mine", [atS]));
};

/** Sends the transactions of one block together. */
const sendNumbered = (node: Node, nonces: Map<Address, number>) => {
  const numbered = (sending: Sending) => {
    const nonce = nonces.get(sending.from) ?? 0;
    nonces.set(sending.from, nonce + 1);
    return { ...toJson(sending), nonce: numberToHex(nonce) };
  };
  const send = (json: unknown) => node.request("eth_sendTransaction", [json]);
  return (sendings: ReadonlyArray<Sending>) =>
    Effect.forEach(sendings.map(numbered), send, { concurrency: "unbounded", discard: true });
};

const toJson = ({ from, transaction: { to, data, value = 0n } }: Sending) => ({
  from,
  ...(to === undefined ? {} : { to }),
  data,
  value: numberToHex(value),
  gas: numberToHex(GAS),
});
