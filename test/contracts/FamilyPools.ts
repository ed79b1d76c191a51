import { createRequire } from "node:module";
import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getCreateAddress,
  parseAbi,
  parseAbiParameters,
} from "viem";
import type { ExecutorFixture } from "./ExecutorFixture.ts";
import { NATIVE, type OrderLeg } from "./orders.ts";

const POOL_KEY =
  "struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }";

export const toolsAbi = parseAbi([
  POOL_KEY,
  "struct Parameters { address factory; address token0; address token1; uint24 fee; int24 tickSpacing; }",
  "function makePool(bytes code, Parameters parameters) returns (address)",
  "function mint(address pool, bool isAlgebra, int24 tickLower, int24 tickUpper, uint128 liquidity)",
  "function mintManaged(address manager, PoolKey key, int24 tickLower, int24 tickUpper, int256 liquidity)",
  "function quote(address pool, bool zeroForOne, int256 amount)",
  "function quoteManaged(address manager, PoolKey key, bool zeroForOne, int256 amount)",
  "function quoteCall(address target, bytes data, address tokenIn, uint256 amountIn, address tokenOut)",
  "function perform(address target, bytes data) payable returns (bytes)",
  "error Quoted(int256 amount0, int256 amount1)",
]);

const familiesAbi = parseAbi([
  POOL_KEY,
  "function initialize(uint160 sqrtPriceX96)",
  "function initialize(PoolKey key, uint160 sqrtPriceX96)",
  "function createPool(address tokenA, address tokenB, bytes data) returns (address)",
]);

const CODES = {
  poolManager: "@uniswap/v4-periphery/foundry-out/PoolManager.sol/PoolManager.default.json",
  pancakePool: "@pancakeswap/v3-core/artifacts/contracts/PancakeV3Pool.sol/PancakeV3Pool.json",
  algebraFactory:
    "@cryptoalgebra/integral-core/artifacts/contracts/AlgebraFactory.sol/AlgebraFactory.json",
  algebraDeployer:
    "@cryptoalgebra/integral-core/artifacts/contracts/AlgebraPoolDeployer.sol/AlgebraPoolDeployer.json",
} as const;

const require = createRequire(import.meta.url);
const PRICE_1 = 2n ** 96n;
const TICKS = 887_220;
const PANCAKE_TICK_SPACING = 50;
const PANCAKE_FEE_PIPS = 2_500;

/** The parts of a Uniswap V4 pool key besides the tokens. */
export interface ManagedTerms {
  readonly feePips: number;
  readonly tickSpacing: number;
  readonly hooks?: Address;
}

type Tokens = readonly [Address, Address];

/** Pools of further families at the price 1, with the code that their authors published. */
export class FamilyPools {
  readonly arena: ExecutorFixture;
  /** Uniswap V4's. */
  readonly manager: Address;
  readonly #algebraFactory: Address;

  private constructor(arena: ExecutorFixture, manager: Address, algebraFactory: Address) {
    this.arena = arena;
    this.manager = manager;
    this.#algebraFactory = algebraFactory;
  }

  static async open(arena: ExecutorFixture): Promise<FamilyPools> {
    const manager = await arena.create(withAddress("poolManager", arena.operator));
    // The factory needs its deployer's address, and the deployer its factory's.
    const from = await arena.account();
    const [factory, deployer] = [0n, 1n].map(
      (nonce) => getCreateAddress({ from, nonce }).toLowerCase() as Address,
    ) as [Address, Address];
    await arena.create(withAddress("algebraFactory", deployer), from);
    await arena.create(withAddress("algebraDeployer", factory), from);
    return new FamilyPools(arena, manager, factory);
  }

  /** Of PancakeSwap V3. */
  async pancake(tokens: Tokens, liquidity: bigint): Promise<OrderLeg> {
    const [token0, token1] = sorted(tokens);
    const parameters = {
      ...{ factory: this.arena.operator, token0, token1 },
      ...{ fee: PANCAKE_FEE_PIPS, tickSpacing: PANCAKE_TICK_SPACING },
    };
    const made = {
      functionName: "makePool",
      args: [creationCode("pancakePool"), parameters],
    } as const;
    const pool = await this.#made(this.arena.tools, encodeFunctionData({ abi: toolsAbi, ...made }));
    return this.#ticksPool(pool, tokens, false, 887_250, liquidity);
  }

  /** Of Algebra Integral, without a plugin. */
  async algebra(tokens: Tokens, liquidity: bigint): Promise<OrderLeg> {
    const made = { functionName: "createPool", args: [...sorted(tokens), "0x"] } as const;
    const data = encodeFunctionData({ abi: familiesAbi, ...made });
    const pool = await this.#made(this.#algebraFactory, data);
    return this.#ticksPool(pool, tokens, true, TICKS, liquidity);
  }

  /** Of Uniswap V4, between two ticks. */
  async managed(
    tokens: Tokens,
    { feePips, tickSpacing, hooks = NATIVE }: ManagedTerms,
    liquidity: bigint,
    ticks = TICKS - (TICKS % tickSpacing),
  ): Promise<OrderLeg> {
    const [currency0, currency1] = sorted(tokens);
    const key = { currency0, currency1, fee: feePips, tickSpacing, hooks };
    const abi = familiesAbi;
    await this.#send(
      this.manager,
      encodeFunctionData({ abi, functionName: "initialize", args: [key, PRICE_1] }),
    );
    await this.#provide(tokens, liquidity);
    const mint = { functionName: "mintManaged" } as const;
    const args = [this.manager, key, -ticks, ticks, liquidity] as const;
    await this.#send(this.arena.tools, encodeFunctionData({ abi: toolsAbi, ...mint, args }));
    return legOf("managed", this.manager, tokens, { feePips, tickSpacing, hooks });
  }

  /** Of Solidly's stable kind. */
  async stable([a, b]: Tokens, reserve: bigint, feePips: number): Promise<OrderLeg> {
    const pool = await this.arena.solidlyPair([a, reserve], [b, reserve], BigInt(feePips), true);
    return legOf("stable", pool, [a, b], { feePips });
  }

  async #ticksPool(
    pool: Address,
    tokens: Tokens,
    isAlgebra: boolean,
    ticks: number,
    liquidity: bigint,
  ): Promise<OrderLeg> {
    const abi = familiesAbi;
    await this.#send(
      pool,
      encodeFunctionData({ abi, functionName: "initialize", args: [PRICE_1] }),
    );
    await this.#provide(tokens, liquidity);
    const args = [pool, isAlgebra, -ticks, ticks, liquidity] as const;
    await this.#send(
      this.arena.tools,
      encodeFunctionData({ abi: toolsAbi, functionName: "mint", args }),
    );
    return legOf("concentrated", pool, tokens, {});
  }

  /** Provides as much as full ranges take at the price 1, and a little more. */
  async #provide(tokens: Tokens, liquidity: bigint): Promise<void> {
    const { arena } = this;
    for (const token of tokens) {
      if (token !== NATIVE) await arena.give(token, arena.tools, liquidity + 1_000n);
      else await arena.endow(arena.tools);
    }
  }

  async #made(to: Address, data: Hex): Promise<Address> {
    const { answer } = await this.arena.mustSend({ from: this.arena.operator, to, data });
    return `0x${answer.slice(26)}`;
  }

  async #send(to: Address, data: Hex): Promise<void> {
    await this.arena.mustSend({ from: this.arena.operator, to, data });
  }
}

const legOf = (
  kind: OrderLeg["kind"],
  pool: Address,
  [tokenIn, tokenOut]: Tokens,
  terms: Partial<ManagedTerms>,
): OrderLeg => ({ kind, pool, tokenIn, tokenOut, ...terms });

const sorted = ([a, b]: Tokens): Tokens => (a < b ? [a, b] : [b, a]);

function creationCode(contract: keyof typeof CODES): Hex {
  const { bytecode } = require(CODES[contract]) as { bytecode: Hex | { object: Hex } };
  return typeof bytecode === "string" ? bytecode : bytecode.object;
}

const withAddress = (contract: keyof typeof CODES, address: Address): Hex =>
  concat([creationCode(contract), encodeAbiParameters(parseAbiParameters("address"), [address])]);

/** The legs that wrap and unwrap. */
export const wrapping = (arena: ExecutorFixture): readonly [wrap: OrderLeg, unwrap: OrderLeg] => {
  const ends = [NATIVE, arena.wrappedNative] as const;
  return [legOf("wrapping", NATIVE, ends, {}), legOf("wrapping", NATIVE, [ends[1], ends[0]], {})];
};
