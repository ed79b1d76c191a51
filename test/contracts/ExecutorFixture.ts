import { readFileSync } from "node:fs";
import type { Address } from "@millrace/core";
import { type Devnet, startDevnet } from "@millrace/devnet";
import { executorAbi, executorDeployment } from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { TestScope } from "@millrace/testing";
import {
  type Abi,
  concatHex,
  decodeErrorResult,
  encodeDeployData,
  encodeFunctionData,
  keccak256,
  numberToHex,
  pad,
  parseAbi,
  stringToHex,
  toFunctionSelector,
} from "viem";
import { positionsAbi } from "../live/abis.ts";
import { Chain } from "../live/Chain.ts";
import { type Compiled, compile } from "./compile.ts";

export const tokenAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function allowance(address, address) view returns (uint256)",
  "function approve(address spender, uint256 amount)",
  "function transfer(address to, uint256 amount)",
  "function transferFrom(address from, address to, uint256 amount)",
  "function deposit() payable",
  "function mint(address to, uint256 amount)",
  "function setTax(uint256 bps)",
  "function setAnswer(uint256 answer)",
  "function setHook(address target, bytes data)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
  "function hookCount() view returns (uint256)",
  "function hookAnswers(uint256) view returns (bytes)",
]);

export const poolAbi = parseAbi([
  "function createPair(address, address) returns (address)",
  "function getPair(address, address) view returns (address)",
  "function getPool(address, address, uint24) view returns (address)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function mint(address to) returns (uint256)",
  "function getAmountOut(uint256 amountIn, address tokenIn) view returns (uint256)",
  "function setFee(uint256 feePips)",
  "function sync()",
  "function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)",
]);

export interface Sending {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly value?: bigint;
}

/** The outcome of a transaction: its return data, or the name of its error. */
export type Outcome = { readonly gasUsed: number; readonly costWei: bigint } & (
  | { readonly succeeded: true; readonly answer: Hex }
  | { readonly succeeded: false; readonly error: string }
);

export const MAX_UINT256 = 2n ** 256n - 1n;
interface Receipt {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
}

const GAS = 16_000_000;
const BALANCE_OF = toFunctionSelector("balanceOf(address)");
/** A function of Multicall3. */
const ETH_BALANCE = toFunctionSelector("getEthBalance(address)");
const FIXTURES = [...["FixtureToken", "SolidlyPair", "ScriptedContract", "PoolTools"]] as const;
/** Written for the devnet. */
const DEVNET_CONTRACTS = [
  ...["CurveStableSwap", "CurvePool", "CurveSilentPool", "CurveIndexedPool"],
  ...["ShareToken", "ShareVault", "WrappedStake"],
] as const;

/**
 * A devnet with our executor, the fixtures of this folder, and accounts that the node signs for.
 */
export class ExecutorFixture {
  readonly devnet: Devnet;
  readonly chain: Chain;
  readonly executor: Address;
  readonly wrappedNative: Address;
  /** The account for setup transactions. */
  readonly operator: Address = accountAddress("the operator");
  /** `PoolTools.sol`. */
  tools!: Address;
  readonly #close: () => Promise<void>;
  #accounts = 0;

  private constructor(devnet: Devnet, executor: Address, close: () => Promise<void>) {
    this.devnet = devnet;
    this.chain = new Chain(devnet.rpcUrl, devnet.contracts.multicall3);
    this.executor = executor;
    this.wrappedNative = devnet.wrappedNative;
    this.#close = close;
  }

  static open(seed: number): Promise<ExecutorFixture> {
    return TestScope.open(async ({ run, close }) => {
      const devnet = await run(startDevnet({ network: "ETH", seed }));
      const { to, data, address } = executorDeployment(devnet.wrappedNative);
      const arena = new ExecutorFixture(devnet, address, close);
      await arena.chain.request("anvil_autoImpersonateAccount", [true]);
      await arena.endow(arena.operator);
      await arena.mustSend({ from: arena.operator, to, data });
      arena.tools = await arena.deploy("PoolTools");
      return arena;
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** A new account with native tokens. */
  async account(): Promise<Address> {
    const address = accountAddress(`account ${this.#accounts++}`);
    await this.endow(address);
    return address;
  }

  async endow(address: Address): Promise<void> {
    await this.chain.request("anvil_setBalance", [address, numberToHex(10n ** 24n)]);
  }

  /**
   * Deploys a contract from the fixtures' sources, or one of the devnet's sources that are named
   * above.
   */
  async deploy(name: string, args: ReadonlyArray<unknown> = []): Promise<Address> {
    const { abi, bytecode } = fixtureCode()[name]!;
    return this.create(encodeDeployData({ abi, bytecode, args } as never));
  }

  /** Deploys creation code with its arguments. */
  async create(data: Hex, creator?: Address): Promise<Address> {
    const from = creator ?? (await this.account());
    const { status, contractAddress } = await this.chain.request<{
      status: Hex;
      contractAddress: Address;
    }>("eth_sendTransactionSync", [{ from, data, gas: numberToHex(GAS) }]);
    if (status !== "0x1") throw new Error(`not deployed: ${data.slice(0, 100)}`);
    return contractAddress;
  }

  /** Sends a transaction; its answer, or its error, is that of a call just before it. */
  async send({ from, to, data, value = 0n }: Sending): Promise<Outcome> {
    const transaction = { from, to, data, value: numberToHex(value), gas: numberToHex(GAS) };
    const [call] = await this.chain.batch([["eth_call", [transaction, "latest"]]]);
    const receipt = await this.chain.request<Receipt>("eth_sendTransactionSync", [transaction]);
    const gasUsed = Number(receipt.gasUsed);
    const paid = { gasUsed, costWei: BigInt(gasUsed) * BigInt(receipt.effectiveGasPrice) };
    if (receipt.status === "0x1") return { ...paid, succeeded: true, answer: call!.result as Hex };
    const { data: reason } = (call!.error ?? {}) as { readonly data?: Hex };
    return { ...paid, succeeded: false, error: errorName(reason) };
  }

  async mustSend(sending: Sending): Promise<Extract<Outcome, { succeeded: true }>> {
    const outcome = await this.send(sending);
    if (!outcome.succeeded) throw new Error(`reverted: ${outcome.error}`);
    return outcome;
  }

  /** Balances of holders, of tokens or by default of the native one, in one request. */
  async balances(
    held: ReadonlyArray<readonly [token: Address | undefined, holder: Address]>,
  ): Promise<ReadonlyArray<bigint>> {
    const { multicall3 } = this.devnet.contracts;
    const calls = held.map(([token, holder]) => ({
      to: token ?? multicall3,
      data: concatHex([token === undefined ? ETH_BALANCE : BALANCE_OF, pad(holder)]),
    }));
    return (await this.chain.callAll(calls)).map((answer) => BigInt(answer!));
  }

  async balance(token: Address | undefined, holder: Address): Promise<bigint> {
    const [amount] = await this.balances([[token, holder]]);
    return amount!;
  }

  async allowance(token: Address, owner: Address, spender: Address): Promise<bigint> {
    const args = [owner, spender] as const;
    const data = encodeFunctionData({ abi: tokenAbi, functionName: "allowance", args });
    return BigInt(await this.chain.request<Hex>("eth_call", [{ to: token, data }, "latest"]));
  }

  async token(): Promise<Address> {
    return this.deploy("FixtureToken");
  }

  /** Gives `holder` an amount of a token, and approves the executor. */
  async fund(token: Address, holder: Address, amount: bigint): Promise<void> {
    await this.give(token, holder, amount);
    await this.mustSend({ from: holder, to: token, data: approval(this.executor, MAX_UINT256) });
  }

  async give(token: Address, holder: Address, amount: bigint): Promise<void> {
    const from = this.operator;
    if (token !== this.wrappedNative) {
      const data = encodeFunctionData({
        ...{ abi: tokenAbi, functionName: "mint", args: [holder, amount] },
      });
      await this.mustSend({ from, to: token, data });
      return;
    }
    const deposit = encodeFunctionData({ abi: tokenAbi, functionName: "deposit" });
    const transfer = { functionName: "transfer", args: [holder, amount] } as const;
    await this.mustSend({ from, to: token, data: deposit, value: amount });
    await this.mustSend({
      ...{ from, to: token, data: encodeFunctionData({ abi: tokenAbi, ...transfer }) },
    });
  }

  /** A Uniswap V2 pair with reserves; on request of the fork with a fee of 0.20 %. */
  async pair(
    [tokenA, reserveA]: readonly [Address, bigint],
    [tokenB, reserveB]: readonly [Address, bigint],
    factory: Address = this.devnet.contracts.v2Factory,
  ): Promise<Address> {
    const from = await this.account();
    const create = { functionName: "createPair", args: [tokenA, tokenB] } as const;
    const answer = await this.mustSend({
      ...{ from, to: factory, data: encodeFunctionData({ abi: poolAbi, ...create }) },
    });
    const pair = `0x${answer.answer.slice(26)}` as Address;
    await this.give(tokenA, pair, reserveA);
    await this.give(tokenB, pair, reserveB);
    const mint = { functionName: "mint", args: [from] } as const;
    await this.mustSend({ from, to: pair, data: encodeFunctionData({ abi: poolAbi, ...mint }) });
    return pair;
  }

  async solidlyPair(
    [tokenA, reserveA]: readonly [Address, bigint],
    [tokenB, reserveB]: readonly [Address, bigint],
    feePips: bigint,
    isStable = false,
  ): Promise<Address> {
    const from = await this.account();
    const pair = await this.deploy("SolidlyPair", [tokenA, tokenB, isStable, feePips, from]);
    await this.give(tokenA, pair, reserveA);
    await this.give(tokenB, pair, reserveB);
    const sync = encodeFunctionData({ abi: poolAbi, functionName: "sync" });
    await this.mustSend({ from, to: pair, data: sync });
    return pair;
  }

  /** Sets the fee of a Solidly pair, as its factory may. */
  async setFee(pair: Address, feePips: bigint): Promise<void> {
    const data = encodeFunctionData({ abi: poolAbi, functionName: "setFee", args: [feePips] });
    await this.mustSend({ from: this.operator, to: pair, data });
  }

  /** A Uniswap V3 pool at the price 1, with equal amounts of both tokens between two ticks. */
  async concentratedPool(
    tokens: readonly [Address, Address],
    fee: 500 | 3000,
    amount: bigint,
    ticks: number = 887_220,
  ): Promise<Address> {
    const { positionManager: to } = this.devnet.contracts;
    const from = await this.account();
    const [token0, token1] = tokens[0] < tokens[1] ? tokens : [tokens[1], tokens[0]];
    for (const token of tokens) {
      await this.give(token, from, amount);
      await this.mustSend({ from, to: token, data: approval(to, MAX_UINT256) });
    }
    const abi = positionsAbi;
    const created = await this.mustSend({
      ...{ from, to },
      data: encodeFunctionData({
        ...{ abi, functionName: "createAndInitializePoolIfNecessary" },
        args: [token0, token1, fee, 2n ** 96n],
      }),
    });
    const mint = {
      ...{ token0, token1, fee, tickLower: -ticks, tickUpper: ticks },
      ...{ amount0Desired: amount, amount1Desired: amount, amount0Min: 0n, amount1Min: 0n },
      ...{ recipient: from, deadline: 2n ** 40n },
    };
    await this.mustSend({
      ...{ from, to, data: encodeFunctionData({ abi, functionName: "mint", args: [mint] }) },
    });
    return `0x${created.answer.slice(26)}`;
  }
}

let compiledFixtures: Readonly<Record<string, Compiled>> | undefined;

/** Contracts of the fixtures' sources, and of the devnet's that are named above, by name. */
function fixtureCode(): Readonly<Record<string, Compiled>> {
  const sourcesOf = (folder: string, names: ReadonlyArray<string>) =>
    names.map((name) => {
      const file = new URL(`${folder}/${name}.sol`, import.meta.url);
      return [`${name}.sol`, readFileSync(file, "utf8")] as const;
    });
  compiledFixtures ??= compile(
    Object.fromEntries([
      ...sourcesOf(".", FIXTURES),
      ...sourcesOf("../../packages/devnet/contracts", DEVNET_CONTRACTS),
    ]),
  );
  return compiledFixtures;
}

const accountAddress = (name: string): Address => `0x${keccak256(stringToHex(name)).slice(26)}`;

export const approval = (spender: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: tokenAbi, functionName: "approve", args: [spender, amount] });

/** The name of an executor's error, or the text of one with a reason. */
export function errorName(data: Hex | undefined): string {
  if (data === undefined || data === "0x") return "no reason";
  try {
    const { errorName: name, args } = decodeErrorResult({ abi: executorAbi as Abi, data });
    return name === "Error" || name === "Panic" ? `${name} ${args?.[0]}` : name;
  } catch {
    return `unknown ${data.slice(0, 10)}`;
  }
}
