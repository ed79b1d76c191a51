import type { Address } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import type { Hex } from "@millrace/protocols";
import { decodeEventLog, numberToHex, parseAbi, toEventSelector } from "viem";
import type { LedgerBlock, LedgerSwap, LedgerTerms } from "../reference/marketLedger.ts";
import type { Account } from "../reference/marketLedgerDifferences.ts";
import type { Chain } from "./Chain.ts";

const pairAbi = parseAbi([
  "event Sync(uint112 reserve0, uint112 reserve1)",
  "event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
]);
const concentratedAbi = parseAbi([
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
]);
const factoryAbi = parseAbi([
  "event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)",
  "event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
]);

const BLOCKS_AT_ONCE = 100;

interface Log {
  readonly address: Address;
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly logIndex: Hex;
  readonly transactionHash: Hex;
}

interface Receipt {
  readonly status: Hex;
  readonly logs: ReadonlyArray<Log>;
}

interface Header {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Hex;
}

interface KeptBlock extends LedgerBlock {
  /** Pools that were created in the block, with their tokens. */
  readonly made: ReadonlyArray<readonly [Address, readonly [Address, Address]]>;
}

/**
 * The expected ledger of a devnet's traders: the swaps of their receipts, decoded by viem, block by
 * block. Entries of reverted blocks are removed.
 */
export class ExpectedLedger {
  readonly terms: LedgerTerms;
  readonly #chain: Chain;
  readonly #factories: ReadonlySet<Address>;
  #blocks: KeptBlock[] = [];
  #pools = new Map<Address, readonly [Address, Address]>();

  constructor(chain: Chain, devnet: Devnet, anchors: LedgerTerms["anchors"] = devnet.anchors) {
    this.#chain = chain;
    this.#factories = new Set(devnet.dexes.map(({ factory }) => factory));
    this.terms = {
      anchors: anchors.map(({ address, priceUsd }) => ({ address, priceUsd })),
      decimals: new Map(
        [...devnet.tokens, ...devnet.hostileTokens].map(({ address, decimals }) => [
          address,
          decimals,
        ]),
      ),
    };
  }

  /** Blocks of the chain as far as they were read, ascending, from the first. */
  get blocks(): ReadonlyArray<LedgerBlock> {
    return this.#blocks;
  }

  /** Updates the ledger to the chain's head, and gives it. */
  async account(): Promise<Account> {
    const head = await this.#chain.head();
    const readings: Header[] = [];
    // Goes back from the head to a block that is in the ledger.
    let next = head.number;
    while (next >= 0) {
      const numbers = Array.from({ length: Math.min(BLOCKS_AT_ONCE, next + 1) }, (_, back) =>
        numberToHex(next - back),
      );
      const headers = await this.#ask<Header>("eth_getBlockByNumber", numbers, [false]);
      const known = headers.findIndex(
        ({ number, hash }) => this.#blocks[Number(number)]?.stamp.hash === hash,
      );
      readings.push(...(known < 0 ? headers : headers.slice(0, known)));
      if (known >= 0) break;
      next -= headers.length;
    }
    readings.reverse();
    if (readings[0] !== undefined) this.#blocks.length = Number(readings[0].number);
    else this.#blocks.length = head.number + 1;
    this.#pools = new Map(this.#blocks.flatMap(({ made }) => made));
    for (let start = 0; start < readings.length; start += BLOCKS_AT_ONCE) {
      const some = readings.slice(start, start + BLOCKS_AT_ONCE);
      const receipts = await this.#ask<ReadonlyArray<Receipt>>(
        "eth_getBlockReceipts",
        some.map(({ number }) => number),
      );
      for (const [index, header] of some.entries()) this.#enter(header, receipts[index]!);
    }
    return { blocks: this.#blocks, headMs: head.timestampMs, terms: this.terms };
  }

  async #ask<A>(
    method: string,
    numbers: ReadonlyArray<Hex>,
    rest: ReadonlyArray<unknown> = [],
  ): Promise<ReadonlyArray<A>> {
    const answers = await this.#chain.batch(
      numbers.map((number) => [method, [number, ...rest]] as const),
    );
    return answers.map(({ result, error }) => {
      if (result === undefined || result === null) throw new Error(JSON.stringify(error));
      return result as A;
    });
  }

  #enter({ number, hash, parentHash, timestamp }: Header, receipts: ReadonlyArray<Receipt>): void {
    const parent = this.#blocks.at(-1);
    const isNext = Number(number) === this.#blocks.length;
    if (!isNext || (parent !== undefined && parent.stamp.hash !== parentHash))
      throw new Error(`the chain changed while it was read, at ${Number(number)}`);
    const made: Array<KeptBlock["made"][number]> = [];
    const swaps: LedgerSwap[] = [];
    /** The last reserves that each pair logged. */
    const reserves = new Map<Address, readonly [bigint, bigint]>();
    const logs = receipts.flatMap((receipt) => (receipt.status === "0x1" ? receipt.logs : []));
    for (const log of logs) {
      if (this.#factories.has(log.address)) {
        const pool = poolMade(log);
        if (pool === undefined) continue;
        made.push(pool);
        this.#pools.set(...pool);
        continue;
      }
      const tokens = this.#pools.get(log.address);
      if (tokens === undefined) continue;
      const swap = this.#swapIn(log, tokens, reserves);
      if (swap !== undefined) swaps.push(swap);
    }
    const stamp = { number: Number(number), hash, timestampMs: 1_000 * Number(timestamp) };
    this.#blocks.push({ stamp, swaps, made });
  }

  #swapIn(
    log: Log,
    tokens: readonly [Address, Address],
    reserves: Map<Address, readonly [bigint, bigint]>,
  ): LedgerSwap | undefined {
    const concentrated = decoded(concentratedAbi, log);
    if (concentrated !== undefined) {
      const { amount0, amount1, sqrtPriceX96 } = concentrated.args;
      const ratio = (Number(sqrtPriceX96) / 2 ** 96) ** 2;
      return swapOf(log, tokens, amount0, amount1, ratio);
    }
    const event = decoded(pairAbi, log);
    if (event?.eventName === "Sync")
      reserves.set(log.address, [event.args.reserve0, event.args.reserve1]);
    if (event?.eventName !== "Swap") return undefined;
    const { amount0In, amount1In, amount0Out, amount1Out } = event.args;
    const [reserve0, reserve1] = reserves.get(log.address)!;
    const ratio = Number(reserve1) / Number(reserve0);
    return swapOf(log, tokens, amount0In - amount0Out, amount1In - amount1Out, ratio);
  }
}

/** The token that the pool gained for the one that it lost; a gift or a loan is no swap. */
function swapOf(
  log: Log,
  tokens: readonly [Address, Address],
  amount0: bigint,
  amount1: bigint,
  ratioAfter: number,
): LedgerSwap | undefined {
  if (amount0 === 0n || amount1 === 0n || amount0 > 0n === amount1 > 0n) return undefined;
  const [tokenIn, tokenOut] = amount0 > 0n ? tokens : [tokens[1], tokens[0]];
  const [amountIn, amountOut] = amount0 > 0n ? [amount0, -amount1] : [amount1, -amount0];
  const { address: pool, transactionHash } = log;
  const place = { pool, tokens, transactionHash, logIndex: Number(log.logIndex) };
  return { ...place, tokenIn, tokenOut, amountIn, amountOut, ratioAfter };
}

function poolMade(log: Log): KeptBlock["made"][number] | undefined {
  const event = decoded(factoryAbi, log);
  if (event === undefined) return undefined;
  const { token0, token1 } = event.args;
  const pool = event.eventName === "PairCreated" ? event.args.pair : event.args.pool;
  const [made, first, second] = [pool, token0, token1].map((at) => at.toLowerCase() as Address);
  return [made!, [first!, second!]];
}

function decoded<const Abi extends typeof pairAbi | typeof concentratedAbi | typeof factoryAbi>(
  abi: Abi,
  { topics, data }: Log,
) {
  if (!SELECTORS.get(abi)!.has(topics[0])) return undefined;
  try {
    return decodeEventLog({ abi, topics, data });
  } catch {
    return undefined; // another event
  }
}

/** Most logs are of other events. */
const SELECTORS = new Map(
  [pairAbi, concentratedAbi, factoryAbi].map((abi) => [
    abi as unknown,
    new Set(abi.map((event) => toEventSelector(event))),
  ]),
);
