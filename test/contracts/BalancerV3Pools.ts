import type { Address } from "@millrace/core";
import {
  type BalancerV3Contracts,
  balancerV3RouterAbi,
  balancerV3WeightedFactoryAbi,
  deployBalancerV3,
  makeDeployment,
} from "@millrace/devnet/families";
import type { Hex } from "@millrace/protocols";
import { encodeFunctionData, numberToHex, parseAbi, zeroAddress } from "viem";
import type { ExecutorFixture } from "./ExecutorFixture.ts";
import type { OrderLeg } from "./orders.ts";

const permitAbi = parseAbi([
  "function approve(address token, address spender, uint160 amount, uint48 expiration)",
]);

const E18 = 10n ** 18n;
const FEE_E18 = 3n * 10n ** 15n;
const PERMITTED = 2n ** 160n - 1n;
const PERMIT_EXPIRATION = 2 ** 48 - 1;

/** The holder of tokens, who pays for `BalancerV3Pools`. */
interface Payer {
  readonly provide: (token: Address, amount: bigint, spender: Address) => Promise<void>;
  readonly perform: (target: Address, data: Hex) => Promise<void>;
}

/** Balancer V3 of its published sources. */
export class BalancerV3Pools {
  readonly contracts: BalancerV3Contracts;
  readonly #arena: ExecutorFixture;
  #count = 0;

  private constructor(arena: ExecutorFixture, contracts: BalancerV3Contracts) {
    this.#arena = arena;
    this.contracts = contracts;
  }

  static async open(arena: ExecutorFixture, authorizer: Address): Promise<BalancerV3Pools> {
    const deployer = await arena.account();
    const { permit2 } = arena.devnet.contracts;
    const { wrappedNative, operator: manager } = arena;
    const surroundings = { wrappedNative, permit2, authorizer, manager };
    const deployment = makeDeployment(deployer);
    const contracts = deployBalancerV3(deployment, surroundings);
    for (const { data } of deployment.transactions) await arena.create(data, deployer);
    return new BalancerV3Pools(arena, contracts);
  }

  /** A pool of equal weights, with a balance of each token. */
  async weighted(
    tokens: ReadonlyArray<Address>,
    depth: bigint,
    { provide, perform }: Payer,
  ): Promise<OrderLeg> {
    const { permit2, router, vault, weightedFactory } = this.contracts;
    const sorted = tokens.toSorted();
    const weight = E18 / BigInt(tokens.length);
    const weights = sorted.map((_, at) =>
      at === 0 ? E18 - weight * BigInt(tokens.length - 1) : weight,
    );
    const configs = sorted.map((token) => ({
      ...{ token, tokenType: 0, rateProvider: zeroAddress, paysYieldFees: false },
    }));
    const nobody = { pauseManager: zeroAddress, swapFeeManager: zeroAddress };
    const roles = { ...nobody, poolCreator: zeroAddress };
    const salt = numberToHex(this.#count++, { size: 32 });
    const data = encodeFunctionData({
      ...{ abi: balancerV3WeightedFactoryAbi, functionName: "create" },
      args: [
        ...(["Fixture", "FIX", configs, weights, roles, FEE_E18] as const),
        ...([zeroAddress, false, false, salt] as const),
      ],
    });
    const from = this.#arena.operator;
    const { answer } = await this.#arena.mustSend({ from, to: weightedFactory, data });
    const pool: Address = `0x${answer.slice(26)}`;
    for (const token of sorted) {
      await provide(token, depth, permit2);
      const args = [token, router, PERMITTED, PERMIT_EXPIRATION] as const;
      await perform(permit2, encodeFunctionData({ abi: permitAbi, functionName: "approve", args }));
    }
    const amounts = sorted.map(() => depth);
    const args = [pool, sorted, amounts, 0n, false, "0x"] as const;
    const initialize = { abi: balancerV3RouterAbi, functionName: "initialize", args } as const;
    await perform(router, encodeFunctionData(initialize));
    const [tokenIn, tokenOut] = tokens as [Address, Address];
    return { kind: "balancerV3", pool: vault, tokenIn, tokenOut, poolId: pool, router };
  }
}

/** The pool's output, by a query of Balancer's router, which reverts if it has a sender. */
export async function askRouter(
  { chain }: ExecutorFixture,
  { poolId, tokenIn, tokenOut, router }: OrderLeg,
  amountIn: bigint,
): Promise<bigint> {
  const args = [poolId as Address, tokenIn, tokenOut, amountIn, zeroAddress, "0x"] as const;
  const data = encodeFunctionData({
    ...{ abi: balancerV3RouterAbi, functionName: "querySwapSingleTokenExactIn", args },
  });
  return BigInt(await chain.request<Hex>("eth_call", [{ to: router, data }, "latest"]));
}
