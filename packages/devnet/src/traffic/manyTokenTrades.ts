import { Effect } from "effect";
import { decodeFunctionResult, encodeFunctionData, type Hex } from "viem";
import { devnetTokenAbi, multicall3Abi } from "../contracts/abis.ts";
import type { DevnetError } from "../DevnetError.ts";
import { depthsOf, throughRouter } from "../manyTokens/errands.ts";
import type { ManyTokenMarketPool } from "../manyTokens/ManyTokenPlan.ts";
import type { PlacedSwap } from "../manyTokens/ManyTokenPool.ts";
import type { Action, Situation } from "./Action.ts";
import { pickAmount } from "./routes.ts";

/** Swaps between two tokens of a pool of many tokens. */
export const swapManyTokens: Action = ({ market, random, priceUsd }) =>
  Effect.sync(() => {
    const { pools } = market.manyTokens;
    if (pools.length === 0) return undefined;
    const planned = random.pick(pools);
    const { pool, house, tokens } = planned;
    const positionIn = random.index(tokens.length);
    const positionOut = (positionIn + 1 + random.index(tokens.length - 1)) % tokens.length;
    const amountIn = pickAmount(depthsOf(planned, priceUsd)[positionIn]!, random);
    const families = market.families!;
    const swap = house.swap(pool, { positionIn, positionOut, amountIn }, families);
    return swap && throughRouter(families.router, swap);
  });

/** Adds liquidity to a pool of many tokens, or removes some of the router's. */
export const changeManyTokens: Action = Effect.fnUntraced(function* (situation) {
  const { market, random, priceUsd } = situation;
  const { pools } = market.manyTokens;
  if (pools.length === 0) return undefined;
  const planned = random.pick(pools);
  const { router } = market.families!;
  const args = [router] as const;
  const balance = encodeFunctionData({ abi: devnetTokenAbi, functionName: "balanceOf", args });
  const asked = [{ target: planned.pool.address, callData: balance }];
  const [held] = yield* askAll(situation, asked);
  const shares = held === undefined ? 0n : BigInt(held);
  const depths = depthsOf(planned, priceUsd);
  const { pool, house } = planned;
  const errand = house.change(pool, { random, shares, depths }, market.families!);
  return errand && throughRouter(router, errand);
});

/** The least gain of a trade beyond the pool's fee, as a share. */
const MARGIN = 0.0005;
/** Shares of a pool's depth, ascending; the most profitable one is swapped. */
const LADDER = [1e-5, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1];

/** Makes the most profitable swap in a pool of many tokens, towards the outside market's prices. */
export const arbitrageManyTokens: Action = Effect.fnUntraced(function* (situation) {
  const { market, random, priceUsd } = situation;
  const { pools } = market.manyTokens;
  if (pools.length === 0) return undefined;
  const planned = random.pick(pools);
  const { pool, house, tokens } = planned;
  const depths = depthsOf(planned, priceUsd);
  const ladders = tokens.flatMap((_, positionIn) =>
    tokens.flatMap((_, positionOut) =>
      positionIn === positionOut ? [] : [ladderOf(positionIn, positionOut, depths)],
    ),
  );
  const questions = ladders.flat().map((swap) => house.quote(pool, swap, market.families!));
  const answers = yield* askAll(
    situation,
    questions.map(({ to, data }) => ({ target: to, callData: data })),
  );
  const worth = (position: number, amount: bigint) =>
    (Number(amount) / 10 ** tokens[position]!.decimals) * priceUsd(tokens[position]!);
  let best: { readonly swap: PlacedSwap; readonly gain: number } | undefined;
  for (const [index, swap] of ladders.flat().entries()) {
    const answer = answers[index];
    if (answer === undefined) continue;
    const paid = worth(swap.positionIn, swap.amountIn);
    const given = worth(swap.positionOut, questions[index]!.amountOut(answer));
    const gain = given - paid * (1 + MARGIN);
    if (gain > (best?.gain ?? 0)) best = { swap, gain };
  }
  const swap = best && house.swap(pool, best.swap, market.families!);
  return swap && throughRouter(market.families!.router, swap);
});

const ladderOf = (
  positionIn: number,
  positionOut: number,
  depths: ReadonlyArray<bigint>,
): ReadonlyArray<PlacedSwap> =>
  LADDER.map((share) => {
    const amountIn = (depths[positionIn]! * BigInt(Math.round(share * 1e9))) / 10n ** 9n + 1n;
    return { positionIn, positionOut, amountIn };
  });

/** The answers to all questions, in one call; undefined for one that reverts. */
const askAll: (
  situation: Situation,
  questions: ReadonlyArray<{
    readonly target: ManyTokenMarketPool["pool"]["address"];
    readonly callData: Hex;
  }>,
) => Effect.Effect<ReadonlyArray<Hex | undefined>, DevnetError> = Effect.fnUntraced(function* (
  { node, market },
  questions,
) {
  const functionName = "aggregate3";
  const asked = questions.map((question) => ({ ...question, allowFailure: true }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName, args: [asked] });
  const to = market.contracts.multicall3;
  const answer = yield* node.request<Hex>("eth_call", [{ to, data, gas: CALL_GAS }, "latest"]);
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName, data: answer });
  return results.map(({ success, returnData }) =>
    success && returnData.length > 2 ? returnData : undefined,
  );
});

const CALL_GAS = "0x1dcd6500";
