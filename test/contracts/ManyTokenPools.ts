import { createRequire } from "node:module";
import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import {
  type Abi,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  parseAbi,
  parseAbiParameters,
} from "viem";
import { BalancerV3Pools } from "./BalancerV3Pools.ts";
import { approval, type ExecutorFixture, MAX_UINT256 } from "./ExecutorFixture.ts";
import { toolsAbi } from "./FamilyPools.ts";
import { NATIVE, type OrderLeg } from "./orders.ts";
import { transferData } from "./scriptedContracts.ts";

const manyTokensAbi = parseAbi([
  "struct JoinPoolRequest { address[] assets; uint256[] maxAmountsIn; bytes userData; bool fromInternalBalance; }",
  "function add_liquidity(uint256[] amounts) payable",
  "function joinPool(bytes32 poolId, address sender, address recipient, JoinPoolRequest request) payable",
  "function getPoolId() view returns (bytes32)",
  "function deposit(uint256 assets, address receiver) returns (uint256)",
  "function wrap(uint256 amount) returns (uint256)",
  "function earn(uint256 amount)",
]);

/** The native token's address in Curve's pools. */
const ETH_COIN: Address = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
const CURVE_FEE = 4_000_000n;
const CURVE_ADMIN_FEE = 5_000_000_000n;
const E18 = 10n ** 18n;
const AMPLIFICATION = 200n;
const WEIGHTED_FEE = 3n * 10n ** 15n;
const STABLE_FEE = 10n ** 14n;

const TASKS = {
  authorizer: "20210418-authorizer/artifact/Authorizer.json",
  vault: "20210418-vault/artifact/Vault.json",
  feesProvider:
    "20220725-protocol-fee-percentages-provider/artifact/ProtocolFeePercentagesProvider.json",
  weightedPool: "20230206-weighted-pool-v3/artifact/WeightedPool.json",
  stablePool: "20230206-composable-stable-pool-v3/artifact/ComposableStablePool.json",
} as const;

const require = createRequire(import.meta.url);

export interface CurveTerms {
  readonly rates: ReadonlyArray<bigint>;
  readonly balances: ReadonlyArray<bigint>;
  readonly amplification: bigint;
  readonly fee: bigint;
}

type CurveContract = "CurvePool" | "CurveSilentPool" | "CurveIndexedPool";

/**
 * Pools of many tokens: Balancer's are the published contracts; Curve's and vaults of shares are
 * from our own sources.
 */
export class ManyTokenPools {
  readonly arena: ExecutorFixture;
  /** Balancer's. */
  readonly vault: Address;
  readonly #v3: BalancerV3Pools;
  readonly #feesProvider: Address;

  private constructor(
    arena: ExecutorFixture,
    vault: Address,
    v3: BalancerV3Pools,
    feesProvider: Address,
  ) {
    this.arena = arena;
    this.vault = vault;
    this.#v3 = v3;
    this.#feesProvider = feesProvider;
  }

  static async open(arena: ExecutorFixture): Promise<ManyTokenPools> {
    const authorizer = await arena.create(created("authorizer", [arena.operator]));
    const month = 30n * 86_400n;
    const vault = await arena.create(
      created("vault", [authorizer, arena.wrappedNative, month, month]),
    );
    const most = 5n * 10n ** 17n;
    const feesProvider = await arena.create(created("feesProvider", [vault, most, most]));
    const v3 = await BalancerV3Pools.open(arena, authorizer);
    return new ManyTokenPools(arena, vault, v3, feesProvider);
  }

  /** A Curve pool with balances of coins, all of 18 decimals; one may be native. */
  async curve(
    contract: CurveContract,
    coins: ReadonlyArray<Address>,
    depth: bigint,
  ): Promise<OrderLeg> {
    const rates = coins.map(() => E18);
    const balances = coins.map(() => depth);
    const terms = { rates, balances, amplification: AMPLIFICATION, fee: CURVE_FEE };
    return this.curveOf(contract, coins, terms);
  }

  /** A Curve pool with all of its terms given. */
  async curveOf(
    contract: CurveContract,
    coins: ReadonlyArray<Address>,
    { rates, balances, amplification, fee }: CurveTerms,
  ): Promise<OrderLeg> {
    const { arena } = this;
    const named = coins.map((coin) => (coin === NATIVE ? ETH_COIN : coin));
    const terms = [named, rates, amplification, fee, CURVE_ADMIN_FEE];
    const pool = await arena.deploy(contract, terms);
    for (const [at, coin] of coins.entries()) await this.#provide(coin, balances[at]!, pool);
    const data = encodeFunctionData({
      ...{ abi: manyTokensAbi, functionName: "add_liquidity", args: [balances] },
    });
    const value = coins.reduce(
      (sum, coin, at) => (coin === NATIVE ? sum + balances[at]! : sum),
      0n,
    );
    await this.#perform(pool, data, value);
    const kind = contract === "CurveIndexedPool" ? "cryptoSwap" : "stableSwap";
    return { kind, pool, tokenIn: coins[0]!, tokenOut: coins[1]!, coins };
  }

  /** A weighted pool of Balancer V2, of equal weights. */
  async weighted(tokens: ReadonlyArray<Address>, depth: bigint): Promise<OrderLeg> {
    const { arena } = this;
    const sorted = tokens.toSorted();
    const weight = E18 / BigInt(tokens.length);
    const weights = sorted.map((_, at) =>
      at === 0 ? E18 - weight * BigInt(tokens.length - 1) : weight,
    );
    const nobody = sorted.map(() => NATIVE);
    const parameters = {
      ...{ name: "Fixture", symbol: "FIX", tokens: sorted, normalizedWeights: weights },
      ...{ rateProviders: nobody, assetManagers: nobody, swapFeePercentage: WEIGHTED_FEE },
    };
    const common = [this.vault, this.#feesProvider, 0n, 0n, arena.operator, "1"];
    const pool = await arena.create(created("weightedPool", [parameters, ...common]));
    return this.#joined(pool, tokens, sorted, depth);
  }

  /** A composable stable pool of Balancer V2, whose own token is among its tokens. */
  async composable(tokens: ReadonlyArray<Address>, depth: bigint): Promise<OrderLeg> {
    const { arena } = this;
    const sorted = tokens.toSorted();
    const pool = await arena.create(
      created("stablePool", [
        {
          ...{ vault: this.vault, protocolFeeProvider: this.#feesProvider },
          ...{ name: "Fixture", symbol: "FIX", tokens: sorted },
          rateProviders: sorted.map(() => NATIVE),
          tokenRateCacheDurations: sorted.map(() => 0n),
          exemptFromYieldProtocolFeeFlags: sorted.map(() => false),
          ...{ amplificationParameter: AMPLIFICATION, swapFeePercentage: STABLE_FEE },
          ...{ pauseWindowDuration: 0n, bufferPeriodDuration: 0n, owner: arena.operator },
          version: "1",
        },
      ]),
    );
    const all = [...sorted, pool].toSorted();
    return this.#joined(pool, tokens, all, depth);
  }

  async #joined(
    pool: Address,
    [tokenIn, tokenOut]: ReadonlyArray<Address>,
    assets: ReadonlyArray<Address>,
    depth: bigint,
  ): Promise<OrderLeg> {
    const { arena, vault } = this;
    const abi = manyTokensAbi;
    const asked = { to: pool, data: encodeFunctionData({ abi, functionName: "getPoolId" }) };
    const poolId = await arena.chain.request<Hex>("eth_call", [asked, "latest"]);
    for (const token of assets) if (token !== pool) await this.#provide(token, depth, vault);
    // The pool mints its own token as if it were paid in.
    const amounts = assets.map((token) => (token === pool ? 0n : depth));
    const most = assets.map((token) => (token === pool ? MAX_UINT256 : depth));
    const init = encodeAbiParameters(parseAbiParameters("uint256, uint256[]"), [0n, amounts]);
    const request = {
      assets,
      maxAmountsIn: most,
      userData: init,
      fromInternalBalance: false,
    };
    const args = [poolId, arena.tools, arena.tools, request] as const;
    await this.#perform(vault, encodeFunctionData({ abi, functionName: "joinPool", args }));
    return { kind: "balancerV2", pool: vault, tokenIn: tokenIn!, tokenOut: tokenOut!, poolId };
  }

  /** A weighted pool of Balancer V3, of equal weights. */
  weightedV3(tokens: ReadonlyArray<Address>, depth: bigint): Promise<OrderLeg> {
    return this.#v3.weighted(tokens, depth, {
      provide: (token, amount, spender) => this.#provide(token, amount, spender),
      perform: (target, data) => this.#perform(target, data),
    });
  }

  /** A leg into an ERC-4626 vault that has earned something. */
  async shares(asset: Address, depth: bigint): Promise<OrderLeg> {
    const { arena } = this;
    const pool = await arena.deploy("ShareVault", ["Shares", "SHR", asset]);
    await this.#provide(asset, depth, pool);
    const deposit = { functionName: "deposit", args: [depth, arena.tools] } as const;
    await this.#perform(pool, encodeFunctionData({ abi: manyTokensAbi, ...deposit }));
    await arena.give(asset, pool, depth / 7n);
    return { kind: "shares", pool, tokenIn: asset, tokenOut: pool };
  }

  /** A wrapper like wstETH, of a token whose balances have grown. */
  async wrapper(depth: bigint): Promise<OrderLeg> {
    const { arena } = this;
    const staked = await arena.deploy("StakedToken");
    const pool = await arena.deploy("WrappedStake", ["Stake", "STK", staked]);
    await this.#provide(staked, depth, pool);
    const wrap = { functionName: "wrap", args: [depth / 2n] } as const;
    await this.#perform(pool, encodeFunctionData({ abi: manyTokensAbi, ...wrap }));
    const earned = { functionName: "earn", args: [depth / 7n] } as const;
    const data = encodeFunctionData({ abi: manyTokensAbi, ...earned });
    await arena.mustSend({ from: arena.operator, to: staked, data });
    return { kind: "wrapper", pool, tokenIn: staked, tokenOut: pool };
  }

  /** Gives a holder some of the tools' tokens, and approves the executor. */
  async handOut(token: Address, holder: Address, amount: bigint): Promise<void> {
    const { arena } = this;
    await this.#perform(token, transferData(holder, amount));
    await arena.mustSend({
      ...{ from: holder, to: token, data: approval(arena.executor, MAX_UINT256) },
    });
  }

  /** Lets the tools pay `amount`, and leaves them as much for quotes. */
  async #provide(token: Address, amount: bigint, spender: Address): Promise<void> {
    const { arena } = this;
    if (token === NATIVE) return arena.endow(arena.tools);
    await arena.give(token, arena.tools, 2n * amount);
    await this.#perform(token, approval(spender, amount));
  }

  async #perform(target: Address, data: Hex, value = 0n): Promise<void> {
    const { arena } = this;
    const performed = encodeFunctionData({
      ...{ abi: toolsAbi, functionName: "perform", args: [target, data] },
    });
    await arena.mustSend({ from: arena.operator, to: arena.tools, data: performed, value });
  }
}

/** The calldata of a direct call of a leg's contract; not for V3's Vault. */
export function directCall(leg: OrderLeg, amount: bigint, payer: Address): Hex {
  const { kind, tokenIn, tokenOut, pool, coins = [], poolId = "0x" } = leg;
  const isInto = tokenOut === pool;
  const places = [coins.indexOf(tokenIn), coins.indexOf(tokenOut)].map(BigInt);
  switch (kind) {
    case "stableSwap":
      return callOf("exchange(int128,int128,uint256,uint256)", [...places, amount, 0n]);
    case "cryptoSwap":
      return callOf("exchange(uint256,uint256,uint256,uint256)", [...places, amount, 0n]);
    case "balancerV2": {
      const swap = [poolId, 0, tokenIn, tokenOut, amount, "0x"];
      const funds = [payer, false, payer, false];
      return callOf(
        "swap((bytes32,uint8,address,address,uint256,bytes),(address,bool,address,bool),uint256,uint256)",
        [swap, funds, 0n, MAX_UINT256],
      );
    }
    case "shares":
      return isInto
        ? callOf("deposit(uint256,address)", [amount, payer])
        : callOf("redeem(uint256,address,address)", [amount, payer, payer]);
    default:
      if (tokenIn === NATIVE) return "0x";
      return callOf(isInto ? "wrap(uint256)" : "unwrap(uint256)", [amount]);
  }
}

const callOf = (signature: string, args: ReadonlyArray<unknown>): Hex =>
  encodeFunctionData({ abi: parseAbi([`function ${signature}`] as readonly string[]), args });

function created(contract: keyof typeof TASKS, args: ReadonlyArray<unknown>): Hex {
  const { abi, bytecode } = require(
    `@balancer-labs/v2-deployments/dist/tasks/${TASKS[contract]}`,
  ) as {
    readonly abi: Abi;
    readonly bytecode: Hex;
  };
  return encodeDeployData({ abi, bytecode, args });
}
