import { type Address, encodeFunctionData } from "viem";
import { creationCode } from "../contracts/artifacts.ts";
import { curveStableAbi as abi } from "../contracts/curveAbis.ts";
import { drawLiquidityChange } from "./drawLiquidityChange.ts";
import { coinAt } from "./errands.ts";
import type { Errand, ManyTokenHouse, Question } from "./ManyTokenHouse.ts";
import type { ManyTokenPool, PlacedSwap } from "./ManyTokenPool.ts";

interface PlainTerms {
  /**
   * `plain-2020` like 3pool, whose `exchange` returns nothing; `plain` like the later templates.
   */
  readonly version: "plain-2020" | "plain";
  readonly amplification: bigint;
  /** In 1/10^10. */
  readonly fee: bigint;
  /** Position at which a coin is the native token itself. */
  readonly nativeAt?: number;
}

/** Curve's address for the native token. */
const NATIVE_COIN: Address = `0x${"e".repeat(40)}`;
const ADMIN_FEE = 5_000_000_000n;

/** StableSwap pools of Curve's first years, which no factory makes: see `CurveStableSwap.sol`. */
export const curvePlainHouse = ({
  version,
  amplification,
  fee,
  nativeAt,
}: PlainTerms): ManyTokenHouse => ({
  ...{ kind: "curve-stable", version },
  ...(nativeAt !== undefined && { nativeAt }),
  create: ({ deployment }, tokens) => {
    const coins = tokens.map((token, at) => (at === nativeAt ? NATIVE_COIN : token.address));
    const rates = tokens.map(({ decimals }) => 10n ** BigInt(36 - decimals));
    const address = deployment.create(
      creationCode(version === "plain-2020" ? "curveSilentPool" : "curvePool"),
      "address[], uint256[], uint256, uint256, uint256",
      [coins, rates, amplification, fee, ADMIN_FEE],
    );
    return { address, id: address };
  },
  fill,
  swap: exchangeStable,
  quote: quoteStable,
  /** Nobody can remove liquidity. */
  change: (pool, situation) => {
    const change = drawLiquidityChange({ ...situation, shares: 0n });
    return change?.kind === "add" ? fill(pool, change.amounts) : undefined;
  },
});

function fill(pool: ManyTokenPool, amounts: ReadonlyArray<bigint>): Errand {
  const data = encodeFunctionData({ abi, functionName: "add_liquidity", args: [amounts] });
  return { target: pool.address, data, tokens: coinsOf(pool), amounts };
}

/** `exchange`, which all StableSwap pools have. */
export function exchangeStable(
  pool: ManyTokenPool,
  { positionIn, positionOut, amountIn }: PlacedSwap,
): Errand {
  const args = [BigInt(positionIn), BigInt(positionOut), amountIn, 0n] as const;
  const data = encodeFunctionData({ abi, functionName: "exchange", args });
  const tokens = [coinAt(pool, positionIn), coinAt(pool, positionOut)];
  return { target: pool.address, data, tokens, amounts: [amountIn, 0n] };
}

/** `get_dy`, which all StableSwap pools have. */
export function quoteStable(
  { address: to }: ManyTokenPool,
  { positionIn, positionOut, amountIn }: PlacedSwap,
): Question {
  const args = [BigInt(positionIn), BigInt(positionOut), amountIn] as const;
  const data = encodeFunctionData({ abi, functionName: "get_dy", args });
  return { to, data, amountOut: BigInt };
}

const coinsOf = (pool: ManyTokenPool): ReadonlyArray<Address> =>
  pool.tokens.map((_, at) => coinAt(pool, at));
