import type { Address, SwapEvent } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { numberToHex, parseAbi, parseEventLogs, type RpcLog, toEventSelector } from "viem";
import type { Chain } from "./Chain.ts";
import type { PoolReading } from "./readPools.ts";

const pairAbi = parseAbi([
  "event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
]);
const concentratedAbi = parseAbi([
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
]);
const PAIR_SWAP = toEventSelector(pairAbi[0]);
const CONCENTRATED_SWAP = toEventSelector(concentratedAbi[0]);
const GET_RESERVES = "0x0902f1ac";
const SLOT0 = "0x3850c7bd";

/** A swap from the chain's own logs, without a price. */
export interface ChainSwap extends Omit<SwapEvent, "priceAfter"> {
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** No other log of the pool came after it in its block. */
  readonly isLast: boolean;
}

/** Every swap of these pools from one block to another, in the order of the chain. */
export async function swapsOfChain(
  chain: Chain,
  pools: ReadonlyMap<Address, PoolReading>,
  from: number,
  to: number,
): Promise<ReadonlyArray<ChainSwap>> {
  const filter = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
  const logs = await chain.request<RpcLog[]>("eth_getLogs", [filter]);
  const last = new Map(
    logs.map((log) => [`${log.blockHash} ${log.address.toLowerCase()}`, log.logIndex]),
  );
  const swaps: ChainSwap[] = [];
  for (const log of logs) {
    const pool = pools.get(log.address.toLowerCase() as Address);
    if (pool === undefined) continue;
    const [change0, change1] = changesOf(log) ?? [0n, 0n];
    if (!(change0 > 0n && change1 < 0n) && !(change0 < 0n && change1 > 0n)) continue;
    const [into, out] = change0 > 0n ? [0, 1] : [1, 0];
    swaps.push({
      pool: pool.address,
      blockNumber: Number(log.blockNumber),
      blockHash: log.blockHash!,
      transactionHash: log.transactionHash!,
      logIndex: Number(log.logIndex),
      tokenIn: pool.tokens[into]!,
      tokenOut: pool.tokens[out]!,
      amountIn: change0 > 0n ? change0 : change1,
      amountOut: change0 > 0n ? -change1 : -change0,
      isLast: last.get(`${log.blockHash} ${pool.address}`) === log.logIndex,
    });
  }
  return swaps;
}

/** The changes of the pool's two balances by a swap. */
function changesOf(log: RpcLog): readonly [bigint, bigint] | undefined {
  if (log.topics[0] === PAIR_SWAP) {
    const [ofPair] = parseEventLogs({ abi: pairAbi, logs: [log] });
    const { amount0In, amount0Out, amount1In, amount1Out } = ofPair!.args;
    return [amount0In - amount0Out, amount1In - amount1Out];
  }
  if (log.topics[0] !== CONCENTRATED_SWAP) return undefined;
  const [concentrated] = parseEventLogs({ abi: concentratedAbi, logs: [log] });
  return concentrated && [concentrated.args.amount0, concentrated.args.amount1];
}

/** Mid prices of token0 in token1 that pools' contracts have after blocks, smallest units. */
export async function midPrices(
  chain: Chain,
  asked: ReadonlyArray<{ readonly pool: PoolReading; readonly blockNumber: number }>,
): Promise<ReadonlyArray<number>> {
  const answers = await chain.batch(
    asked.map(({ pool, blockNumber }) => [
      "eth_call",
      [
        { to: pool.address, data: pool.head.length === 2 ? GET_RESERVES : SLOT0 },
        numberToHex(blockNumber),
      ],
    ]),
  );
  return answers.map(({ result }, place) => {
    const [first, second] = (result as Hex).slice(2).match(/.{64}/g)!.map(wordNumber);
    return asked[place]!.pool.head.length === 2
      ? second! / first!
      : (first! / 2 ** 96) * (first! / 2 ** 96);
  });
}

function wordNumber(digits: string): number {
  return Number(BigInt(`0x${digits}`));
}
