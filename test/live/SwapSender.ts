import type { Address } from "@millrace/core";
import type { Devnet, DevnetOptions } from "@millrace/devnet";
import {
  type BuiltSwap,
  buildSwap,
  type ChainAccess,
  ChainAccessError,
  executorCreationCode,
  openRouters,
  type RouterTable,
  type SwapCall,
  type SwapOrder,
  type SwapRefusal,
} from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import { encodeFunctionData, keccak256, multicall3Abi, numberToHex, stringToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { erc20Abi } from "./abis.ts";
import { type LiveMarket, openLiveMarket } from "./LiveMarket.ts";

/** The receipt of a mined transaction. */
export interface Receipt {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  readonly blockNumber: Hex;
}

/** Balances of a holder, by token; the native one is by `NATIVE`. */
export type Balances = ReadonlyMap<Address, bigint>;

export const NATIVE: Address = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/** A private key that anybody can derive. */
const KEY = keccak256(stringToHex("a sender of swaps"));
/** Enough for any swap. */
const GAS = 16_777_216n;
const MAX_FEE_PER_GAS = 10n ** 12n;

/** A live market with our executor on its chain, and a sender who builds, signs and sends swaps. */
export class SwapSender {
  readonly live: LiveMarket;
  readonly table: RouterTable;
  readonly executor: Address;
  readonly account: ReturnType<typeof privateKeyToAccount>;
  readonly sender: Address;
  readonly access: ChainAccess;
  readonly #routers: ReturnType<typeof openRouters>;

  constructor(live: LiveMarket) {
    const { devnet } = live;
    const { contracts } = devnet;
    this.live = live;
    this.executor = devnet.deployed[0]!;
    this.table = {
      chainId: devnet.chainId,
      wrappedNative: contracts.wrappedNative,
      executor: this.executor,
      universalRouter: {
        address: contracts.universalRouter,
        version: "2.0",
        permit2: contracts.permit2,
        v2DexId: "UNISWAP_V2",
        v3DexId: "UNISWAP_V3",
        v4DexId: "UNISWAP_V4",
      },
    };
    this.#routers = openRouters(this.table);
    this.account = privateKeyToAccount(KEY);
    this.sender = this.account.address.toLowerCase() as Address;
    this.access = (method, params) =>
      Effect.tryPromise({
        try: () => live.chain.request(method, params),
        catch: (cause) => new ChainAccessError({ reason: "Refused", detail: String(cause) }),
      });
  }

  static async open(
    network: "ETH" | "BASE",
    seed: number,
    untraded = false,
    node?: DevnetOptions["node"],
  ): Promise<SwapSender> {
    const deploy = ({ wrappedNative }: { readonly wrappedNative: Address }) => [
      executorCreationCode(wrappedNative),
    ];
    const options = async ({ wrappedNative }: Devnet) => ({ auditedPools: 0, wrappedNative });
    const families = !untraded;
    const desk = new SwapSender(
      await openLiveMarket(network, seed, options, {
        ...{ deploy, untraded, families },
        ...(node !== undefined && { node }),
      }),
    );
    await desk.#fund();
    await desk.live.caughtUp();
    return desk;
  }

  /** Funds the sender from a trader; the sender has approved nobody. */
  async #fund(): Promise<void> {
    const { chain, devnet } = this.live;
    const trader = devnet.traders[0]!.address;
    await chain.request("hardhat_setBalance", [this.sender, numberToHex(10n ** 24n)]);
    const balances = await this.balances(
      [trader],
      devnet.tokens.map(({ address }) => address),
    );
    for (const { address: to } of devnet.tokens) {
      const amount = balances[0]!.get(to)! / 2n;
      const transfer = { functionName: "transfer", args: [this.sender, amount] } as const;
      const data = encodeFunctionData({ abi: erc20Abi, ...transfer });
      await chain.request("eth_sendTransactionSync", [{ from: trader, to, data }]);
    }
  }

  /** A network with our executor and no other router. */
  get ownTable(): RouterTable {
    const { universalRouter: _, ...own } = this.table;
    return own;
  }

  /** The wrapped native token. */
  get wrappedNative(): Address {
    return this.table.wrappedNative;
  }

  build(order: SwapOrder, routers: RouterTable = this.table): BuiltSwap | SwapRefusal {
    const universal = this.table.universalRouter!;
    return buildSwap(order, {
      engine: this.live.engine,
      wrappedNative: this.wrappedNative,
      forbiddenRecipients: new Set([this.executor, universal.address, universal.permit2]),
      // Uses the chain's own clock: a devnet's blocks may be ahead of ours.
      nowSeconds: Math.floor(this.live.engine.graph.stamp.timestampMs / 1_000),
      table: routers,
      routers: routers === this.table ? this.#routers : openRouters(routers),
    });
  }

  /**
   * Signs with the sender's key, sends, and waits for the block, which has the given time, if any.
   */
  async send({ to, data, value }: SwapCall, timestampMs?: number): Promise<Receipt> {
    const { chain, devnet } = this.live;
    if (timestampMs !== undefined)
      await chain.request("evm_setNextBlockTimestamp", [timestampMs / 1_000]);
    const nonce = await chain.request<Hex>("eth_getTransactionCount", [this.sender, "latest"]);
    const signed = await this.account.signTransaction({
      type: "eip1559",
      chainId: devnet.chainId,
      nonce: Number(nonce),
      gas: GAS,
      maxFeePerGas: MAX_FEE_PER_GAS,
      maxPriorityFeePerGas: 1n,
      to,
      data,
      value,
    });
    return chain.request<Receipt>("eth_sendRawTransactionSync", [signed]);
  }

  /** Each holder's balances of each token and of the native one. */
  async balances(
    holders: ReadonlyArray<Address>,
    tokens: ReadonlyArray<Address>,
  ): Promise<ReadonlyArray<Balances>> {
    const { chain, devnet } = this.live;
    const calls = holders.flatMap((holder) => [
      ...tokens.map((to) => ({
        to,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [holder] }),
      })),
      {
        to: devnet.contracts.multicall3,
        data: encodeFunctionData({
          abi: multicall3Abi,
          functionName: "getEthBalance",
          args: [holder],
        }),
      },
    ]);
    const answers = await chain.callAll(calls);
    const names = [...tokens, NATIVE];
    return holders.map(
      (_, index) =>
        new Map(
          names.map((name, place) => [name, BigInt(answers[index * names.length + place] ?? 0n)]),
        ),
    );
  }

  close(): Promise<void> {
    return this.live.close();
  }
}
