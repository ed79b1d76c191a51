import type { Address } from "@millrace/core";
import type { Permit, SwapOrder } from "@millrace/execution";
import { RandomSource } from "@millrace/testing";
import type { PlainPool } from "@millrace/testing/reference";
import { NOW_SECONDS, PARTNER, SENDER, STRANGER, TOKENS, WRAPPED } from "./swapMarket.ts";
import { execute } from "./swapModel.ts";

/** Orders of a client who is quoted what the market gives, of every shape. */
export function soundOrders(
  pools: ReadonlyMap<string, PlainPool>,
  count: number,
  seed = 5,
): ReadonlyArray<SwapOrder> {
  const random = new RandomSource(seed);
  const orders: SwapOrder[] = [wrapOrder(true), wrapOrder(false)];
  while (orders.length < count) {
    const order = drawOrder(pools, random);
    if (order !== undefined) orders.push(order);
  }
  return orders;
}

/** What Permit2 and EIP-2612 both take. */
export const PERMIT: Permit = {
  signature: `0x${"1f".repeat(64)}1b`,
  amount: 10n ** 30n,
  deadline: BigInt(NOW_SECONDS + 900),
  nonce: 0n,
  expiration: BigInt(NOW_SECONDS + 900),
};

const wrapOrder = (isNativeIn: boolean): SwapOrder => ({
  ...{ sender: SENDER, tokenIn: WRAPPED, tokenOut: WRAPPED, isNativeIn, isNativeOut: !isNativeIn },
  ...{ kind: "exactIn", amountIn: 10n ** 18n, amountOut: 10n ** 18n, steps: [] },
  slippagePpm: 5_000,
});

function drawOrder(
  pools: ReadonlyMap<string, PlainPool>,
  random: RandomSource,
): SwapOrder | undefined {
  const tokens = shuffled(TOKENS, random);
  const [tokenIn, tokenOut] = tokens as [Address, Address];
  const dexes = random.integer(2) === 0 ? /^UNISWAP/ : /./;
  const paths = Array.from({ length: random.pick([1, 1, 1, 2, 3, 8]) }, () => {
    const between = shuffled(tokens.slice(2), random).slice(0, random.integer(4));
    const visited = [tokenIn, ...between, tokenOut];
    return visited.slice(1).map((next, place) => {
      const before = visited[place]!;
      const fitting = [...pools.values()].filter(
        ({ dexId, token0, token1 }) =>
          dexes.test(dexId) && [before, next].sort().join() === [token0, token1].sort().join(),
      );
      return { pool: random.pick(fitting).address, tokenIn: before, tokenOut: next };
    });
  });
  const kind = random.integer(3) === 0 ? "exactOut" : "exactIn";
  const amounts = paths.map(
    () => 10n ** BigInt(random.pick([3, 9, 18, 20, 21])) + random.bigint(1000n),
  );
  const sold = new Map<string, string>();
  for (const { pool, tokenIn: token } of paths.flat()) {
    if ((sold.get(pool) ?? token) !== token) return undefined;
    sold.set(pool, token);
  }
  const route = execute(kind, paths, amounts, pools);
  if (route === undefined) return undefined;
  const steps = paths.flatMap((path, n) => {
    const { inputs, amountOut } = route.paths[n]!;
    return path.map((step, place) => ({
      ...step,
      amountIn: inputs[place]!,
      amountOut: inputs[place + 1] ?? amountOut,
    }));
  });
  const isNativeIn = tokenIn === WRAPPED && random.integer(3) > 0;
  return {
    ...{ sender: SENDER, tokenIn, tokenOut, kind, steps, isNativeIn },
    isNativeOut: tokenOut === WRAPPED && random.integer(3) > 0,
    ...{ amountIn: route.amountIn, amountOut: route.amountOut },
    slippagePpm: random.pick([0, 1, 5_000, 5_000, 500_000]),
    ...(random.integer(3) === 0 && { recipient: STRANGER }),
    ...(random.integer(3) === 0 && {
      fee: { recipient: PARTNER, bps: 1 + random.integer(1_000) },
    }),
    ...(!isNativeIn && random.integer(3) === 0 && { permit: PERMIT }),
    ...(random.integer(3) === 0 && { deadline: NOW_SECONDS + random.integer(3_601) }),
  };
}

function shuffled<A>(items: ReadonlyArray<A>, random: RandomSource): A[] {
  const left = [...items];
  return items.map(() => left.splice(random.integer(left.length), 1)[0]!);
}
