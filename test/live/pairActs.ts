import type { Hex } from "@millrace/protocols";
import { encodeFunctionData } from "viem";
import type { Act } from "./Act.ts";
import { erc20Abi, NO_DEADLINE, v2RouterAbi } from "./abis.ts";
import { v2FactoryAbi, v2PairAbi } from "./readPools.ts";
import {
  MAX_UINT128,
  oriented,
  pairsOf,
  pay,
  pickPair,
  pickTokens,
  routerOf,
  someOf,
  together,
} from "./scene.ts";

export const swapPair: Act = (scene) => {
  const { devnet, random } = scene;
  const pair = pickPair(scene);
  if (pair === undefined) return [];
  const { address: from } = random.pick(devnet.traders);
  const [tokenIn, tokenOut, reserveIn, reserveOut] = oriented(pair, random.integer(2));
  const router = routerOf(devnet, pair);
  const path = [tokenIn, tokenOut];
  const amountIn = someOf(scene, reserveIn);
  if (router === undefined) {
    // Half of the fair output: the pair accepts it, and the liquidity providers keep the rest.
    const amountOut = (amountIn * reserveOut) / (reserveIn + amountIn) / 2n;
    if (amountOut === 0n) return [];
    const outs = pair.tokens[0] === tokenIn ? [0n, amountOut] : [amountOut, 0n];
    const swap = { functionName: "swap", args: [outs[0]!, outs[1]!, from, "0x"] } as const;
    return [
      together(devnet, from, [
        pay(tokenIn, from, pair.address, amountIn),
        [pair.address, encodeFunctionData({ abi: v2PairAbi, ...swap })],
      ]),
    ];
  }
  if (random.integer(3) > 0) {
    const args = [amountIn, 0n, path, from, NO_DEADLINE] as const;
    const functionName = "swapExactTokensForTokens";
    return [
      { from, to: router, data: encodeFunctionData({ abi: v2RouterAbi, functionName, args }) },
    ];
  }
  const args = [someOf(scene, reserveOut), MAX_UINT128, path, from, NO_DEADLINE] as const;
  const functionName = "swapTokensForExactTokens";
  return [{ from, to: router, data: encodeFunctionData({ abi: v2RouterAbi, functionName, args }) }];
};

/** Adds liquidity to a pair, skims a donation, or syncs it into the reserves. */
export const tendPair: Act = (scene) => {
  const { devnet, random } = scene;
  const pair = random.pick(pairsOf(scene));
  const { address: from } = random.pick(devnet.traders);
  const amounts = pair.head.map((reserve) => someOf(scene, reserve) + 1_001n);
  const pays = pair.tokens.map((token, index) => pay(token, from, pair.address, amounts[index]!));
  const call = (data: Hex) => [pair.address, data] as const;
  const mint = { functionName: "mint", args: [from] } as const;
  const skim = { functionName: "skim", args: [from] } as const;
  const ending = random.pick([
    encodeFunctionData({ abi: v2PairAbi, ...mint }),
    encodeFunctionData({ abi: v2PairAbi, ...mint }),
    encodeFunctionData({ abi: v2PairAbi, functionName: "sync" }),
    encodeFunctionData({ abi: v2PairAbi, ...skim }),
  ]);
  return [together(devnet, from, [...pays, call(ending)])];
};

/** Burns an amount of a trader's shares of a pair. */
export const leavePair: Act = (scene) => {
  const { devnet, random } = scene;
  const pair = random.pick(pairsOf(scene));
  const { address: from } = random.pick(devnet.traders);
  const burn = encodeFunctionData({ abi: v2PairAbi, functionName: "burn", args: [from] });
  const amount = 10n ** BigInt(4 + random.integer(12));
  const transfer = { functionName: "transfer", args: [pair.address, amount] } as const;
  return [
    { from, to: pair.address, data: encodeFunctionData({ abi: erc20Abi, ...transfer }) },
    { from, to: pair.address, data: burn },
  ];
};

/** Creates a pair, empty or with its first liquidity. */
export const createPair: Act = (scene) => {
  const { devnet, random } = scene;
  const { address: from } = random.pick(devnet.traders);
  const factories = devnet.dexes.filter(({ protocol }) => protocol === "constant-product");
  const [tokenA, tokenB] = pickTokens(scene);
  const create = { functionName: "createPair", args: [tokenA, tokenB] } as const;
  const data = encodeFunctionData({ abi: v2FactoryAbi, ...create });
  const { factory } = random.pick(factories);
  if (random.integer(2) === 0 || factory === devnet.contracts.v2ForkFactory)
    return [{ from, to: factory, data }];
  const { v2Router, v2SisterRouter, v2Factory } = devnet.contracts;
  const amounts = [10n ** 8n + random.bigint(10n ** 12n), 10n ** 8n + random.bigint(10n ** 12n)];
  const args = [
    tokenA,
    tokenB,
    ...(amounts as [bigint, bigint]),
    0n,
    0n,
    from,
    NO_DEADLINE,
  ] as const;
  return [
    {
      from,
      to: factory === v2Factory ? v2Router : v2SisterRouter,
      data: encodeFunctionData({ abi: v2RouterAbi, functionName: "addLiquidity", args }),
    },
  ];
};
