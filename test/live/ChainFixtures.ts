import { readFileSync } from "node:fs";
import type { Address } from "@millrace/core";
import {
  type BuiltSwap,
  type ChainAccess,
  ChainAccessError,
  executorCreationCode,
  type SwapCall,
  type SwapOrder,
} from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import {
  type Abi,
  encodeDeployData,
  encodeFunctionData,
  getCreateAddress,
  keccak256,
  numberToHex,
  parseAbi,
  stringToHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Compiled, compile } from "../contracts/compile.ts";
import { openLiveMarket } from "./LiveMarket.ts";
import { SwapSender } from "./SwapSender.ts";
import { orderedStep } from "./swapCases.ts";

const file = "ChainFixtures.sol";
const GAS = numberToHex(16_777_216);

const tokenAbi = parseAbi([
  "function mint(address to, uint256 amount)",
  "function deposit() payable",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function balanceOf(address owner) view returns (uint256)",
  "function nonces(address owner) view returns (uint256)",
]);

interface SwapWish {
  readonly sender: Address;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amount: bigint;
  readonly via: "universal-router" | "executor";
}

/** A desk whose chain has the contracts of `ChainFixtures.sol` and hostile tokens. */
export class ChainFixtures {
  readonly desk: SwapSender;
  readonly #compiled: Readonly<Record<string, Compiled>>;
  #accounts = 0;

  private constructor(desk: SwapSender) {
    this.desk = desk;
    const source = readFileSync(new URL(`../contracts/${file}`, import.meta.url), "utf8");
    this.#compiled = compile({ [file]: source });
  }

  static async open(seed: number): Promise<ChainFixtures> {
    const live = await openLiveMarket("ETH", seed, async () => ({ auditedPools: 0 }), {
      deploy: ({ wrappedNative }) => [executorCreationCode(wrappedNative)],
      hostileTokens: true,
    });
    await live.caughtUp();
    await live.chain.request("anvil_autoImpersonateAccount", [true]);
    return new ChainFixtures(new SwapSender(live));
  }

  close(): Promise<void> {
    return this.desk.close();
  }

  get chain() {
    return this.desk.live.chain;
  }

  token(symbol: string): Address {
    const { tokens, hostileTokens } = this.desk.live.devnet;
    return [...tokens, ...hostileTokens].find((token) => token.symbol === symbol)!.address;
  }

  /** A fresh account with native tokens for gas. */
  async account() {
    const account = privateKeyToAccount(keccak256(stringToHex(`fixture ${this.#accounts++}`)));
    const address = account.address.toLowerCase() as Address;
    await this.chain.request("anvil_setBalance", [address, numberToHex(10n ** 22n)]);
    return { address, signTypedData: account.signTypedData };
  }

  code(contract: string): Hex {
    return this.#compiled[contract]!.deployedBytecode;
  }

  encode(contract: string, functionName: string, args: ReadonlyArray<unknown>): Hex {
    return encodeFunctionData({ abi: this.#compiled[contract]!.abi as Abi, functionName, args });
  }

  async deploy(contract: string, args: ReadonlyArray<unknown> = []): Promise<Address> {
    const { address: from } = await this.account();
    const { abi, bytecode } = this.#compiled[contract]!;
    const data = encodeDeployData({ abi, bytecode, args } as never);
    await this.mustSend(from, { data, value: 0n });
    return getCreateAddress({ from, nonce: 0n }).toLowerCase() as Address;
  }

  /** Sends from any account, and gives the receipt. */
  send(from: Address, { to, data, value }: Partial<SwapCall> & Omit<SwapCall, "to">) {
    return this.chain.request<{ status: Hex; gasUsed: Hex; effectiveGasPrice: Hex }>(
      "eth_sendTransactionSync",
      [{ from, ...(to && { to }), data, value: numberToHex(value), gas: GAS }],
    );
  }

  async mustSend(from: Address, call: Partial<SwapCall> & Omit<SwapCall, "to">) {
    const receipt = await this.send(from, call);
    if (receipt.status !== "0x1") throw new Error(`reverted: ${call.to} ${call.data}`);
    return receipt;
  }

  mint(token: Address, to: Address, amount: bigint) {
    const isNative = token === this.desk.wrappedNative;
    const data = isNative
      ? encodeFunctionData({ abi: tokenAbi, functionName: "deposit" })
      : encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [to, amount] });
    return this.mustSend(to, { to: token, data, value: isNative ? amount : 0n });
  }

  async read(
    to: Address,
    functionName: "allowance" | "balanceOf" | "nonces",
    args: ReadonlyArray<Address>,
  ): Promise<bigint> {
    const data = encodeFunctionData({ abi: tokenAbi, functionName, args } as never);
    return BigInt(await this.chain.request<Hex>("eth_call", [{ to, data }, "latest"]));
  }

  /** The best route for an amount over the deployments of a router, as an order. */
  order(wish: SwapWish, more: Partial<SwapOrder> = {}): SwapOrder {
    const { graph, quoteUnsafe } = this.desk.live.engine;
    const { sender, tokenIn, tokenOut, amount, via } = wish;
    const dexes =
      via === "executor" ? ["SUSHISWAP_V2", "PANCAKESWAP_V2"] : ["UNISWAP_V2", "UNISWAP_V3"];
    const kind = more.kind ?? "exactIn";
    const quote = quoteUnsafe({
      ...{ tokenIn: graph.findToken(tokenIn)!, tokenOut: graph.findToken(tokenOut)! },
      ...{ kind, amount, maxHops: 3 },
      filter: { onlyDexes: dexes.map((id) => graph.dexes.findIndex((dex) => dex.id === id)) },
    });
    if (!quote.found) throw new Error(`no quote: ${quote.reason}`);
    const { amountIn, amountOut } = quote;
    return {
      ...{ sender, tokenIn, tokenOut, amountIn, amountOut, kind, slippagePpm: 5_000 },
      ...{ isNativeIn: false, isNativeOut: false },
      steps: quote.steps.map((step) => orderedStep(this.desk, step)),
      ...more,
    };
  }

  build(order: SwapOrder): BuiltSwap {
    const built = this.desk.build(order);
    if (built.refused) throw new Error(`${built.code}: ${built.detail}`);
    return built;
  }

  /** The node as the package sees it, and a list of the requests to it. */
  access(): { readonly chain: ChainAccess; readonly asked: Array<string> } {
    const asked: Array<string> = [];
    const chain: ChainAccess = (method, params) =>
      Effect.tryPromise({
        try: () => {
          asked.push(method);
          return this.chain.request(method, params);
        },
        catch: (cause) => new ChainAccessError({ reason: "Refused", detail: String(cause) }),
      });
    return { chain, asked };
  }
}
