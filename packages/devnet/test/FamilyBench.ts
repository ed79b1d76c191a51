import { eventually } from "@millrace/testing";
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
import {
  deployFamilies,
  type FirstFamilies,
  placeFamilyCode,
} from "../src/contracts/FamilyContracts.ts";
import { devnetRouterAbi } from "../src/contracts/familyAbis.ts";
import { ChainReader } from "../src/families/ChainReader.ts";
import type { FamilyPool } from "../src/families/FamilyPool.ts";
import { FamilyPools } from "../src/families/FamilyPools.ts";
import { burnCall, mintCall, swapCall, throughDevnetRouter } from "../src/market/routerCalls.ts";
import { makeNode, type Node } from "../src/node/Node.ts";
import { startAnvil } from "../src/node/startAnvil.ts";
import { makeBatches, type Receipt, sendSync, type Transaction } from "../src/node/transactions.ts";

const CHAIN_ID = 0x6d696c7e;
const GOVERNOR: Address = "0x00000000000000000000000000000000000600d0";
const FORTUNE = 2n ** 120n;

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
  readonly contracts: FirstFamilies;
  readonly pools: FamilyPools;
  readonly read: ChainReader["read"];
  readonly close: () => Promise<void>;
  readonly #node: Node;

  private constructor(node: Node, contracts: FirstFamilies, close: () => Promise<void>) {
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
    const { contracts, deployment } = deployFamilies(GOVERNOR);
    const deploy = Effect.gen(function* () {
      yield* node.request("anvil_impersonateAccount", [GOVERNOR]);
      yield* node.request("anvil_setBalance", [GOVERNOR, numberToHex(FORTUNE)]);
      yield* placeFamilyCode(node);
      yield* node.request("evm_setAutomine", [false]);
      yield* makeBatches(node)(
        deployment.transactions.map((transaction) => ({ from: GOVERNOR, transaction })),
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

  async block(): Promise<{ readonly timestamp: Hex }> {
    return (await this.request("eth_getBlockByNumber", ["latest", false])) as never;
  }

  /** Sends as the governor; fails where it reverts. */
  async send(transaction: Transaction, from: Address = GOVERNOR): Promise<Mined> {
    const receipt = await Effect.runPromise(sendSync(this.#node, { from, transaction }));
    if (receipt.status === "0x1") return receipt as Mined;
    const { to, data, value = 0n } = transaction;
    // Asked again, it says why.
    await this.request("eth_call", [{ from, to, data, value: numberToHex(value) }, "latest"]);
    throw new Error(`reverted: ${receipt.transactionHash}`);
  }

  /**
   * Resets the chain to a snapshot. Anvil takes a mined transaction out of its pool some time after
   * its receipt is there; after a reset, it would remove the next one with the same nonce instead.
   */
  async revert(snapshot: unknown): Promise<void> {
    await eventually(async () => {
      const status = await this.request("txpool_status", []);
      return Number((status as { readonly pending: Hex }).pending) === 0;
    });
    await this.request("evm_revert", [snapshot]);
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

  /** Liquidity in ranges; gives the logs. */
  mint(pool: FamilyPool, positions: ReadonlyArray<Position>): Promise<ReadonlyArray<Log>> {
    const calls = positions.map((position) => mintCall(pool, this.governor, position));
    return this.throughRouter(calls);
  }

  /** Of exact input when the amount is positive, of exact output when it is negative; the logs. */
  swap(pool: FamilyPool, zeroForOne: boolean, amount: bigint): Promise<ReadonlyArray<Log>> {
    return this.throughRouter([swapCall(pool, zeroForOne, amount)]);
  }

  /** Of the position that begins at a tick; gives the logs. */
  async burn(pool: FamilyPool, tickLower: number, liquidity: bigint): Promise<ReadonlyArray<Log>> {
    const abi = devnetRouterAbi;
    const read = { abi, functionName: "positionsOf", args: [this.governor] } as const;
    const book = await this.read(this.contracts.router, read);
    const index = book.findIndex(
      (position) => BigInt(position.pool) === BigInt(pool.id) && position.tickLower === tickLower,
    );
    return this.throughRouter([burnCall(pool, index, liquidity)]);
  }

  balance(token: Address, holder: Address): Promise<bigint> {
    return this.read(token, { abi: tokenAbi, functionName: "balanceOf", args: [holder] });
  }

  /** These calls of the router, some at a time, with native tokens; gives their logs. */
  async throughRouter(calls: ReadonlyArray<Hex>): Promise<ReadonlyArray<Log>> {
    const logs: Array<Log> = [];
    for (let at = 0; at < calls.length; at += CALLS_TOGETHER) {
      const together = calls.slice(at, at + CALLS_TOGETHER);
      const transaction = throughDevnetRouter(this.contracts, together, FORTUNE / 2n);
      logs.push(...(await this.send(transaction)).logs);
    }
    return logs;
  }
}

export type Position = readonly [tickLower: number, tickUpper: number, liquidity: bigint];

/** The first topics, as the pages of the families have them, of an address's logs. */
export const firstTopics = (address: Address, logs: ReadonlyArray<Log>): ReadonlyArray<string> =>
  logs.filter((log) => log.address === address).map(({ topics: [first] }) => first!.slice(2, 10));

/** Of positions over ticks, so that the block's gas is enough. */
const CALLS_TOGETHER = 25;
