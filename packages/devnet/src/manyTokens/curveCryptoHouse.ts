import { encodeFunctionData, type Hex } from "viem";
import type { CurveContracts } from "../contracts/curve.ts";
import {
  curveCryptoAbi as abi,
  curveCryptoFactoryAbi,
  curveTricryptoAbi,
  curveTwocryptoAbi,
} from "../contracts/curveAbis.ts";
import { drawLiquidityChange } from "./drawLiquidityChange.ts";
import type { Errand, ManyTokenHouse } from "./ManyTokenHouse.ts";
import type { ManyTokenPool, PlacedSwap } from "./ManyTokenPool.ts";

interface CryptoTerms {
  /** The factory that makes the pool; the version is the factory's. */
  readonly factory: Exclude<keyof CurveContracts, "stableNgFactory">;
  /** A · n^n · 10,000. */
  readonly A: bigint;
  readonly gamma: bigint;
  /** In 1/10^10. */
  readonly midFee: bigint;
  readonly outFee: bigint;
  readonly feeGamma: bigint;
}

/** The other parameters, as public pools have them; the averaging time is ten minutes over ln 2. */
const REBALANCING = {
  allowedExtraProfit: 2_000_000_000_000n,
  adjustmentStep: 146_000_000_000_000n,
  maTime: 866n,
};

/** Pools of Twocrypto-NG and Tricrypto-NG: see `CurveCrypto.sol`. */
export const curveCryptoHouse = ({
  factory: maker,
  A,
  gamma,
  ...fees
}: CryptoTerms): ManyTokenHouse => ({
  kind: "curve-crypto",
  ...(maker === "newTwocryptoFactory" && { version: "donations" }),
  create: ({ deployment, families, nextOf }, tokens) => {
    const factory = families.curve[maker];
    const [{ priceUsd: first }, ...others] = tokens as [(typeof tokens)[0], ...typeof tokens];
    const prices = others.map(({ priceUsd }) => BigInt(Math.floor((priceUsd / first!) * 1e18)));
    const coins = tokens.map(({ address }) => address);
    const name = tokens.map(({ symbol }) => symbol).join("/");
    deployment.call(factory, {
      abi: curveCryptoFactoryAbi,
      functionName: "deploy",
      args: [name, coins, [A, gamma], { ...fees, ...REBALANCING }, prices],
    });
    const address = nextOf(factory);
    return { address, id: address };
  },
  fill: add,
  swap: exchangeCryptoPool,
  quote: ({ address: to }, { positionIn, positionOut, amountIn }) => {
    const args = [BigInt(positionIn), BigInt(positionOut), amountIn] as const;
    return {
      to,
      data: encodeFunctionData({ abi, functionName: "get_dy", args }),
      amountOut: BigInt,
    };
  },
  change: (pool, situation) => {
    const change = drawLiquidityChange(situation);
    if (change === undefined) return undefined;
    const { address: target, tokens } = pool;
    const amounts = tokens.map(() => 0n);
    switch (change.kind) {
      case "add":
        return add(pool, change.amounts);
      case "remove":
        return { target, data: removal(change.shares, amounts), tokens, amounts };
      case "removeOne": {
        const args = [change.shares, BigInt(change.position), 0n] as const;
        const data = encodeFunctionData({ abi, functionName: "remove_liquidity_one_coin", args });
        return { target, data, tokens, amounts };
      }
    }
  },
});

export function exchangeCryptoPool(
  { address: target, tokens }: ManyTokenPool,
  { positionIn, positionOut, amountIn }: PlacedSwap,
): Errand {
  const args = [BigInt(positionIn), BigInt(positionOut), amountIn, 0n] as const;
  const data = encodeFunctionData({ abi, functionName: "exchange", args });
  return {
    target,
    data,
    tokens: [tokens[positionIn]!, tokens[positionOut]!],
    amounts: [amountIn, 0n],
  };
}

function add({ address: target, tokens }: ManyTokenPool, amounts: ReadonlyArray<bigint>): Errand {
  const functionName = "add_liquidity";
  const [first, second, third] = amounts as [bigint, bigint, bigint?];
  const data =
    third === undefined
      ? encodeFunctionData({ abi: curveTwocryptoAbi, functionName, args: [[first, second], 0n] })
      : encodeFunctionData({
          ...{ abi: curveTricryptoAbi, functionName, args: [[first, second, third], 0n] },
        });
  return { target, data, tokens, amounts };
}

function removal(shares: bigint, least: ReadonlyArray<bigint>): Hex {
  const functionName = "remove_liquidity";
  const [first, second, third] = least as [bigint, bigint, bigint?];
  return third === undefined
    ? encodeFunctionData({ abi: curveTwocryptoAbi, functionName, args: [shares, [first, second]] })
    : encodeFunctionData({
        ...{ abi: curveTricryptoAbi, functionName, args: [shares, [first, second, third]] },
      });
}
