import type { Address } from "@millrace/core";
import { encodeFunctionData } from "viem";
import type { Act, Choice, Sending, TradingState } from "./Act.ts";
import { NO_DEADLINE, swapRouterAbi, v2RouterAbi } from "./abis.ts";

import { type PoolReading, v2PairAbi } from "./readPools.ts";
import { feeOf, oriented, packPath, pairsOf, pay, routerOf, together } from "./scene.ts";

/** A pool and the position of the token that goes in. */
type Hop = readonly [pool: PoolReading, positionIn: number];
type Call = Parameters<typeof together>[2][number];

const isFilled = (pool: PoolReading) =>
  pool.head.every((value, place) => place === 1 || value > 0n);
const isPair = ({ parameter }: PoolReading) => parameter === 0;
const inOf = ([pool, place]: Hop): Address => pool.tokens[place]!;
const outOf = ([pool, place]: Hop): Address => pool.tokens[1 - place]!;

/** From one thousandth to a millionth of the reserve, so that most swaps succeed. */
const little = ({ random }: TradingState, reserve: bigint): bigint =>
  reserve / 10n ** BigInt(3 + random.integer(4)) + 1n;

/** Two to four pools of a kind, one behind the other; no token comes twice. */
function pickHops(scene: TradingState, isKind: (pool: PoolReading) => boolean): ReadonlyArray<Hop> {
  const { random } = scene;
  const pools = scene.pools.filter((pool) => isFilled(pool) && isKind(pool));
  const hops: Hop[] = [[random.pick(pools), random.integer(2)]];
  const length = 2 + random.integer(3);
  while (hops.length < length) {
    const visited = [inOf(hops[0]!), ...hops.map(outOf)];
    const onward = pools
      .flatMap((pool): Hop[] => [
        [pool, 0],
        [pool, 1],
      ])
      .filter((hop) => inOf(hop) === visited.at(-1) && !visited.includes(outOf(hop)));
    if (onward.length === 0) break;
    hops.push(random.pick(onward));
  }
  return hops;
}

const amountInto = (scene: TradingState, [pool, place]: Hop) =>
  little(scene, oriented(pool, place)[2]);

/** Over pairs of one deployment through its router. */
const hopThroughPairs: Act = (scene) => {
  const { devnet, random } = scene;
  const { v2Factory, v2SisterFactory } = devnet.contracts;
  const factory = random.pick([v2Factory, v2SisterFactory]);
  const hops = pickHops(scene, (pool) => pool.factory === factory);
  const { address: from } = random.pick(devnet.traders);
  const path = [inOf(hops[0]!), ...hops.map(outOf)];
  const args = [amountInto(scene, hops[0]!), 0n, path, from, NO_DEADLINE] as const;
  const functionName = "swapExactTokensForTokens";
  const data = encodeFunctionData({ abi: v2RouterAbi, functionName, args });
  return [{ from, to: routerOf(devnet, hops[0]![0])!, data }];
};

/** Over concentrated pools through SwapRouter02. */
const hopThroughConcentrated: Act = (scene) => {
  const { devnet, random } = scene;
  const hops = pickHops(scene, (pool) => !isPair(pool));
  const { address: recipient } = random.pick(devnet.traders);
  const path = packPath(
    [inOf(hops[0]!), ...hops.map(outOf)],
    hops.map(([pool]) => feeOf(pool)),
  );
  const order = { path, recipient, amountIn: amountInto(scene, hops[0]!), amountOutMinimum: 0n };
  const data = encodeFunctionData({
    abi: swapRouterAbi,
    functionName: "exactInput",
    args: [order],
  });
  return [{ from: recipient, to: devnet.contracts.swapRouter02, data }];
};

/** Over pairs of any deployments in one transaction; each pair pays into the next. */
const hopAcrossVenues: Act = (scene) => {
  const { devnet, random } = scene;
  const hops = pickHops(scene, isPair);
  const { address: from } = random.pick(devnet.traders);
  let amount = amountInto(scene, hops[0]!);
  const calls: Call[] = [pay(inOf(hops[0]!), from, hops[0]![0].address, amount)];
  for (const [index, hop] of hops.entries()) {
    amount = fairHalf(hop, amount);
    calls.push(swapAt(hop, amount, hops[index + 1]?.[0].address ?? from));
  }
  return [together(devnet, from, calls)];
};

/** There and back in one pool, up to three times, in one transaction: volume without a change. */
const washTrade: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = random.pick(pairsOf(scene).filter(isFilled));
  const { address: from } = random.pick(devnet.traders);
  const calls: Call[] = [];
  for (let count = 1 + random.integer(3); count > 0; count--) {
    for (const place of [0, 1]) {
      const hop = [pool, place] as const;
      const amount = amountInto(scene, hop);
      calls.push(
        pay(inOf(hop), from, pool.address, amount),
        swapAt(hop, fairHalf(hop, amount), from),
      );
    }
  }
  return [together(devnet, from, calls)];
};

/** A loan that is paid back with a fee, and no swap: as much of one token goes in as comes out. */
const borrowAndPayBack: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = random.pick(pairsOf(scene).filter(isFilled));
  const { address: from } = random.pick(devnet.traders);
  const hop = [pool, random.integer(2)] as const;
  const amount = amountInto(scene, hop) + 1_000n;
  const outs = hop[1] === 0 ? ([amount / 2n, 0n] as const) : ([0n, amount / 2n] as const);
  return [
    together(devnet, from, [
      pay(inOf(hop), from, pool.address, amount),
      swapCall(pool, outs, from),
    ]),
  ];
};

/** A pair that receives both tokens and pays out both: the difference counts. */
const swapBothWays: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = random.pick(pairsOf(scene).filter(isFilled));
  const { address: from } = random.pick(devnet.traders);
  const amounts = pool.head.map((reserve) => little(scene, reserve) + 1_000n) as [bigint, bigint];
  const place = random.integer(2);
  const rest = amounts[place]! / 2n;
  const bought = amounts[1 - place]! + fairHalf([pool, place], rest) / 2n;
  const outs = place === 0 ? ([rest, bought] as const) : ([bought, rest] as const);
  return [
    together(devnet, from, [
      ...pool.tokens.map((token, place) => pay(token, from, pool.address, amounts[place]!)),
      swapCall(pool, outs, from),
    ]),
  ];
};

/** Two transactions of two traders in one pool, and one between them that fails. */
const tradeAndFail: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = random.pick(scene.pools.filter((known) => !isPair(known) && isFilled(known)));
  const { address: from } = random.pick(devnet.traders);
  const to = devnet.contracts.swapRouter02;
  return [0n, 2n ** 200n, 0n].map((amountOutMinimum): Sending => {
    const place = random.integer(2);
    const [tokenIn, tokenOut, reserve] = oriented(pool, place);
    const hop = { tokenIn, tokenOut, fee: feeOf(pool), recipient: from, sqrtPriceLimitX96: 0n };
    const order = { ...hop, amountIn: little(scene, reserve), amountOutMinimum };
    const functionName = "exactInputSingle";
    return {
      from,
      to,
      data: encodeFunctionData({ abi: swapRouterAbi, functionName, args: [order] }),
    };
  });
};

/** A few units of a token, of which most pools give nothing. */
const swapDust: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = random.pick(scene.pools.filter((known) => !isPair(known) && isFilled(known)));
  const { address: from } = random.pick(devnet.traders);
  const [tokenIn, tokenOut] = oriented(pool, random.integer(2));
  const hop = { tokenIn, tokenOut, fee: feeOf(pool), recipient: from, sqrtPriceLimitX96: 0n };
  const order = { ...hop, amountIn: BigInt(1 + random.integer(3_000)), amountOutMinimum: 0n };
  const functionName = "exactInputSingle";
  const data = encodeFunctionData({ abi: swapRouterAbi, functionName, args: [order] });
  return [{ from, to: devnet.contracts.swapRouter02, data }];
};

/** Half of a pair's output for an amount, so that enough is left after earlier swaps. */
function fairHalf([pool, place]: Hop, amountIn: bigint): bigint {
  const [, , reserveIn, reserveOut] = oriented(pool, place);
  return (amountIn * reserveOut) / (reserveIn + amountIn) / 2n;
}

const swapAt = ([pool, place]: Hop, amountOut: bigint, to: Address): Call =>
  swapCall(pool, place === 0 ? [0n, amountOut] : [amountOut, 0n], to);

const swapCall = ({ address }: PoolReading, outs: readonly [bigint, bigint], to: Address): Call => {
  const swap = { functionName: "swap", args: [...outs, to, "0x"] } as const;
  return [address, encodeFunctionData({ abi: v2PairAbi, ...swap })];
};

/** Acts that try to distort figures, in addition to the usual ones. */
export const TRADING: Readonly<Record<string, Choice>> = {
  hopThroughPairs: { weight: 12, act: hopThroughPairs },
  hopThroughConcentrated: { weight: 12, act: hopThroughConcentrated },
  hopAcrossVenues: { weight: 12, act: hopAcrossVenues },
  washTrade: { weight: 8, act: washTrade },
  borrowAndPayBack: { weight: 4, act: borrowAndPayBack },
  swapBothWays: { weight: 6, act: swapBothWays },
  tradeAndFail: { weight: 4, act: tradeAndFail },
  swapDust: { weight: 6, act: swapDust },
};
