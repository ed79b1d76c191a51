import { type Address, encodeFunctionData, zeroAddress } from "viem";
import { devnetRouterAbi } from "../contracts/familyAbis.ts";
import type { MarketToken } from "../market/Market.ts";
import { toUnits } from "../market/Market.ts";
import type { Transaction } from "../node/transactions.ts";
import type { Errand } from "./ManyTokenHouse.ts";
import type { ManyTokenMarketPool } from "./ManyTokenPlan.ts";
import type { ManyTokenPool } from "./ManyTokenPool.ts";

/** An errand as a transaction of its payer. */
export const throughRouter = (
  to: Address,
  { target, data, tokens, amounts }: Errand,
): Transaction => ({
  to,
  data: encodeFunctionData({
    abi: devnetRouterAbi,
    functionName: "perform",
    args: [target, data, tokens, amounts],
  }),
  value: tokens.reduce((sum, token, at) => (token === zeroAddress ? sum + amounts[at]! : sum), 0n),
});

/** The coin that the pool takes and gives at a position. */
export const coinAt = ({ tokens, nativeAt }: ManyTokenPool, position: number): Address =>
  position === nativeAt ? zeroAddress : tokens[position]!;

/** By position: the amounts that a pool is made for, each token by its weight. */
export const depthsOf = (
  { pool: { weights }, tokens, depthUsd }: ManyTokenMarketPool,
  priceUsd: (token: MarketToken) => number,
): ReadonlyArray<bigint> =>
  tokens.map((token, at) => {
    const share = weights?.[at] ?? 1 / tokens.length;
    return toUnits((depthUsd * share) / priceUsd(token), token);
  });
