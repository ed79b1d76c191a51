import type { Engine } from "@millrace/core";
import { getSqrtRatioAtTick } from "@millrace/testing/reference";
import type { DeployedPool, Hop, PathRequest } from "./paths.ts";

const TICK_MAX = 887_272;

/**
 * Requests that stop just before, at and just after the ends of bitmap words and initialised ticks.
 * The engine only gives their places; the chain gives the right answers.
 */
export function edgeRequests(
  { graph, familyOf }: Engine["Service"],
  pool: DeployedPool,
): ReadonlyArray<PathRequest> {
  const index = graph.findPool(pool.address)!;
  const { swapExactIn } = familyOf(index);
  return [0, 1].flatMap((positionIn) => {
    const hops: ReadonlyArray<Hop> = [{ pool, positionIn }];
    const outcome = (amount: bigint) => swapExactIn(index, positionIn, 1 - positionIn, amount);
    return boundaries(pool, positionIn).flatMap((tick) => {
      const target = getSqrtRatioAtTick(tick);
      const reaches = (amount: bigint) => {
        const swap = outcome(amount);
        if (swap === undefined) return false;
        const price = priceOf(swap.state.words);
        return positionIn === 0 ? price <= target : price >= target;
      };
      const amount = leastAmount(reaches);
      if (amount === undefined) return [];
      const around = [amount - 1n, amount, amount + 1n].filter((near) => near > 0n);
      const outs = around.flatMap((near) => outcome(near)?.amountOut ?? []);
      return [
        ...around.map((near) => ({ hops, kind: "exactIn" as const, amount: near })),
        ...outs.map((near) => ({ hops, kind: "exactOut" as const, amount: near })),
      ];
    });
  });
}

/** Ends of the next words, where the contract stops without a tick, and the next ticks. */
function boundaries(
  { head, parameter: spacing, ticks }: DeployedPool,
  positionIn: number,
): number[] {
  const tick = Number(head[1]);
  const word = Math.floor(tick / spacing / 256);
  const ends = [0, 1, 2].map((further) =>
    positionIn === 0
      ? (word - further) * 256 * spacing
      : ((word + 1 + further) * 256 - 1) * spacing,
  );
  const beyond = ticks
    .map(([key]) => key)
    .filter((key) => (positionIn === 0 ? key <= tick : key > tick));
  const next = positionIn === 0 ? beyond.slice(-3) : beyond.slice(0, 3);
  return [...new Set([...ends, ...next])].filter((end) => Math.abs(end) < TICK_MAX);
}

/** The least amount for which the predicate is true, if it is for some realistic amount. */
function leastAmount(isSo: (amount: bigint) => boolean): bigint | undefined {
  let high = 1n;
  while (!isSo(high)) {
    high *= 4n;
    if (high > 1n << 127n) return undefined;
  }
  let low = 0n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (isSo(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const priceOf = (words: BigUint64Array): bigint =>
  words[0]! + (words[1]! << 64n) + (words[2]! << 128n);
