import { Effect, Exit, Scope } from "effect";
import {
  type Address,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  type Log,
  numberToHex,
  parseAbi,
} from "viem";
import { creationCode } from "../src/contracts/artifacts.ts";
import { deployData } from "../src/contracts/Deployment.ts";
import { deployFamilies, type FamilyContracts } from "../src/contracts/FamilyContracts.ts";
import { devnetRouterAbi } from "../src/contracts/familyAbis.ts";
import { placeHooks } from "../src/contracts/uniswapV4.ts";
import { ChainReader } from "../src/families/ChainReader.ts";
import type { TicksState } from "../src/families/FamilyPool.ts";
import { FamilyPools } from "../src/families/FamilyPools.ts";
import { makeNode, type Node } from "../src/node/Node.ts";
import { startAnvil } from "../src/node/startAnvil.ts";
import { makeBatches, type Receipt, sendSync, type Transaction } from "../src/node/transactions.ts";

const CHAIN_ID = 0x6d696c7e;
const GOVERNOR: Address = "0x00000000000000000000000000000000000600d0";
const FORTUNE = 2n ** 120n;
const TICK_MAX = 887_272;

const tokenAbi = parseAbi([
  "function mint(address to, uint256 value)",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function balanceOf(address) view returns (uint256)",
]);

interface Mined extends Receipt {
  readonly logs: ReadonlyArray<Log>;
}

/** A chain with the contracts of the families and nothing else; the governor sends everything. */
export class FamilyBench {
  readonly governor = GOVERNOR;
  readonly contracts: FamilyContracts;
  readonly pools: FamilyPools;
  readonly read: ChainReader["read"];
  readonly close: () => Promise<void>;
  readonly #node: Node;

  private constructor(node: Node, contracts: FamilyContracts, close: () => Promise<void>) {
    this.#node = node;
    this.contracts = contracts;
    this.close = close;
    this.pools = new FamilyPools(this.request, contracts);
    const reader = new ChainReader(this.request);
    this.read = reader.read.bind(reader);
  }

  static async open(): Promise<FamilyBench> {
    const scope = await Effect.runPromise(Scope.make());
    const port = await Effect.runPromise(Scope.provide(startAnvil(CHAIN_ID), scope));
    const node = makeNode(`http://127.0.0.1:${port}`, 200);
    const { contracts, transactions } = deployFamilies(GOVERNOR);
    const deploy = Effect.gen(function* () {
      yield* node.request("anvil_impersonateAccount", [GOVERNOR]);
      yield* node.request("anvil_setBalance", [GOVERNOR, numberToHex(FORTUNE)]);
      yield* placeHooks(node);
      yield* node.request("evm_setAutomine", [false]);
      yield* makeBatches(node)(
        transactions.map((transaction) => ({ from: GOVERNOR, transaction })),
      );
      yield* node.request("evm_setAutomine", [true]);
    });
    await Effect.runPromise(deploy);
    const close = () => Effect.runPromise(Scope.close(scope, Exit.void));
    return new FamilyBench(node, contracts, close);
  }

  readonly request = (method: string, params: ReadonlyArray<unknown>): Promise<unknown> =>
    Effect.runPromise(
      Effect.mapError(this.#node.request(method, params), ({ detail }) => new Error(detail)),
    );

  /** Sends as the governor; fails where it reverts. */
  async send(transaction: Transaction, from: Address = GOVERNOR): Promise<Mined> {
    const receipt = await Effect.runPromise(sendSync(this.#node, { from, transaction }));
    if (receipt.status === "0x1") return receipt as Mined;
    const { to, data, value = 0n } = transaction;
    // Asked again, it says why.
    await this.request("eth_call", [{ from, to, data, value: numberToHex(value) }, "latest"]);
    throw new Error(`reverted: ${receipt.transactionHash}`);
  }

  /** Two tokens that the governor has plenty of and lets the router take; in their order. */
  async tokens(decimals0 = 18, decimals1 = 18): Promise<readonly [Address, Address]> {
    const count = await this.request("eth_getTransactionCount", [GOVERNOR, "latest"]);
    const nonce = BigInt(count as Hex);
    const [first, second] = [nonce, nonce + 1n].map((nonce) =>
      getContractAddress({ from: GOVERNOR, nonce }).toLowerCase(),
    ) as [Address, Address];
    const isInOrder = first < second;
    for (const decimals of isInOrder ? [decimals0, decimals1] : [decimals1, decimals0])
      await this.send({
        data: deployData(creationCode("erc20"), "string, string, uint8", ["T", "T", decimals]),
      });
    const fund = [
      { functionName: "mint", args: [GOVERNOR, FORTUNE * FORTUNE] },
      { functionName: "approve", args: [this.contracts.router, 2n ** 256n - 1n] },
    ] as const;
    for (const to of [first, second])
      for (const call of fund)
        await this.send({ to, data: encodeFunctionData({ abi: tokenAbi, ...call }) });
    return isInOrder ? [first, second] : [second, first];
  }

  /**
   * These calls of the router, some at a time, with all native tokens that they may need; gives
   * their logs.
   */
  async throughRouter(calls: ReadonlyArray<Hex>, value = 0n): Promise<ReadonlyArray<Log>> {
    const logs: Array<Log> = [];
    for (let at = 0; at < calls.length; at += CALLS_TOGETHER) {
      const together = calls.slice(at, at + CALLS_TOGETHER);
      const call = { functionName: "multicall", args: [together] } as const;
      const data = encodeFunctionData({ abi: devnetRouterAbi, ...call });
      logs.push(...(await this.send({ to: this.contracts.router, data, value })).logs);
    }
    return logs;
  }
}

/** Of positions over ticks, so that the block's gas is enough. */
const CALLS_TOGETHER = 25;

/** A pool of recorded vectors. */
export interface RecordedPool {
  readonly state: Readonly<Record<string, string>> & {
    readonly ticks?: ReadonlyArray<readonly [string, string]>;
  };
}

export interface Vectors {
  readonly pools: Readonly<Record<string, RecordedPool>>;
  readonly cases: ReadonlyArray<
    readonly [
      pool: string,
      kind: "in" | "out",
      indexIn: 0 | 1,
      indexOut: 0 | 1,
      amount: string,
      expected: string | null,
    ]
  >;
}

/** A recorded state of a pool along ticks, without its fee. */
export function ticksStateOf({ state }: RecordedPool): Omit<TicksState, "fee"> {
  return {
    sqrtPriceX96: BigInt(state["sqrtPriceX96"]!),
    tick: Number(state["tick"]),
    liquidity: BigInt(state["liquidity"]!),
    tickSpacing: Number(state["tickSpacing"]),
    ticks: state.ticks!.map(([tick, net]) => [Number(tick), BigInt(net)] as const),
  };
}

/** Whether the ticks on each side of the price make up the liquidity there: of the same moment. */
export const addsUp = ({ tick, liquidity, ticks }: Omit<TicksState, "fee">): boolean =>
  ticks.reduce((sum, [index, net]) => (index <= tick ? sum + net : sum), 0n) === liquidity &&
  ticks.reduce((sum, [, net]) => sum + net, 0n) === 0n;

/**
 * Positions side by side that leave a pool with this liquidity and these ticks. Where a recorded
 * book does not end at its outermost ticks, they go on to the ends of all ticks.
 */
export function positionsOf({
  tick,
  liquidity,
  tickSpacing,
  ticks,
}: Omit<TicksState, "fee" | "sqrtPriceX96">): ReadonlyArray<
  readonly [tickLower: number, tickUpper: number, liquidity: bigint]
> {
  const end = TICK_MAX - (TICK_MAX % tickSpacing);
  const borders = [-end, ...ticks.map(([index]) => index), end];
  const nets = new Map(ticks);
  const current = borders.findLastIndex((border) => border <= tick);
  const held = new Map([[current, liquidity]]);
  for (let at = current + 1; at < borders.length - 1; at++)
    held.set(at, held.get(at - 1)! + nets.get(borders[at]!)!);
  for (let at = current - 1; at >= 0; at--)
    held.set(at, held.get(at + 1)! - nets.get(borders[at + 1]!)!);
  return [...held]
    .map(([at, amount]) => [borders[at]!, borders[at + 1]!, amount] as const)
    .filter(([lower, upper, amount]) => lower < upper && amount > 0n);
}
