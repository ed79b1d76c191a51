import { Effect, Predicate, Result } from "effect";
import { type ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import { readQuantity } from "../chain/answers.ts";

/** Blocks whose priority fees are looked at. */
const BLOCKS = 10;
/** A million gwei; far above any price that was ever paid for long. */
const WEI_PER_GAS_MAX = 10n ** 15n;

/**
 * Base fee of the next block plus the median, over the last blocks, of their median priority fees
 * (EIP-1559); `eth_gasPrice` where the node gives no usable fee history. Fails when no node
 * answers, or with an impossible price.
 */
export const readGasPrice = Effect.fnUntraced(function* (chain: ChainAccess) {
  const asked = ["eth_feeHistory", [`0x${BLOCKS.toString(16)}`, "latest", [50]]] as const;
  const history = yield* Effect.result(chain(...asked));
  if (Result.isFailure(history) && history.failure.reason === "Unavailable")
    return yield* history.failure;
  const price = Result.isSuccess(history) ? readHistory(history.success) : undefined;
  if (price !== undefined) return price;
  const weiPerGas = readPrice(yield* chain("eth_gasPrice", []));
  if (weiPerGas !== undefined) return { weiPerGas };
  return yield* new ChainAccessError({ reason: "Malformed", detail: "eth_gasPrice: no price" });
});

/** Undefined where the chain has no base fee, or the answer is impossible. */
function readHistory(raw: unknown) {
  const { oldestBlock, baseFeePerGas, reward } = (Predicate.isObject(raw) ? raw : {}) as Readonly<
    Record<string, unknown>
  >;
  if (!Array.isArray(baseFeePerGas) || baseFeePerGas.length > BLOCKS + 1) return undefined;
  // One more than there are blocks: the last is the next block's.
  const baseFee = readPrice(baseFeePerGas.at(-1));
  const oldest = readQuantity(oldestBlock);
  if (baseFee === undefined || oldest === undefined || oldest > Number.MAX_SAFE_INTEGER)
    return undefined;
  const rewards = Array.isArray(reward) ? reward.slice(0, BLOCKS) : [];
  const priorities = rewards.map((of) => readPrice(Array.isArray(of) ? of[0] : undefined));
  const priority = median(priorities.filter((wei) => wei !== undefined));
  const weiPerGas = baseFee + (priority ?? 0n);
  const blockNumber = Number(oldest) + baseFeePerGas.length - 2;
  return weiPerGas > WEI_PER_GAS_MAX ? undefined : { weiPerGas, blockNumber };
}

/** The upper one of two in the middle. */
function median(values: ReadonlyArray<bigint>): bigint | undefined {
  return [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))[values.length >> 1];
}

function readPrice(raw: unknown): bigint | undefined {
  const wei = readQuantity(raw);
  return wei === undefined || wei > WEI_PER_GAS_MAX ? undefined : wei;
}
