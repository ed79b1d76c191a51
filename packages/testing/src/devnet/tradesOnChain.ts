import type { TestDevnet } from "./openTestDevnet.ts";

/** Topics of the logs by which pools tell of swaps: V2's and V3's. */
const PAIR_SWAP = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822";
const CONCENTRATED_SWAP = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67";

interface SwapLog {
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly topics: ReadonlyArray<string>;
  readonly data: string;
}

/** The ids of all trades of a pool that the chain's own logs tell of, newest first. */
export async function tradesOnChain(chain: TestDevnet, pool: string): Promise<string[]> {
  const topics = [[PAIR_SWAP, CONCENTRATED_SWAP]];
  const filter = { address: pool, topics, fromBlock: "0x0", toBlock: "latest" };
  const logs = await chain.call<ReadonlyArray<SwapLog>>("eth_getLogs", filter);
  return logs
    .filter(isTrade)
    .map((log) => `${BigInt(log.blockNumber)}-${BigInt(log.logIndex)}`)
    .reverse();
}

/** Whether a swap took something and gave something: one of dust may give nothing. */
function isTrade({ topics, data }: SwapLog): boolean {
  const words = data
    .slice(2)
    .match(/.{64}/g)!
    .map((word) => BigInt(`0x${word}`));
  const [first, second, third, fourth] = words as [bigint, bigint, bigint, bigint];
  if (topics[0] === PAIR_SWAP) return first + second > 0n && third + fourth > 0n;
  return first !== 0n && second !== 0n;
}
