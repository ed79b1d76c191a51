import type { ConstantProductPool } from "./ConstantProductPool.ts";

/**
 * Prices of all tokens from the deepest pools: a spanning tree grows from the first token of each
 * component, always by the pool with the most value on the known side. The solver needs only a
 * start and a scale, so any positive numbers would do.
 */
export function spanningPrices(
  tokenCount: number,
  pools: ReadonlyArray<ConstantProductPool>,
): Float64Array {
  const poolsOf = Array.from({ length: tokenCount }, (): ConstantProductPool[] => []);
  for (const pool of pools) {
    poolsOf[pool.token0]!.push(pool);
    poolsOf[pool.token1]!.push(pool);
  }
  const prices = new Float64Array(tokenCount);
  for (let root = 0; root < tokenCount; root++) {
    if (prices[root] !== 0) continue;
    const heap = new DeepestFirst();
    for (let token = root, price = 1; ; ) {
      prices[token] = price;
      for (const pool of poolsOf[token]!) {
        const isFirst = pool.token0 === token;
        const other = isFirst ? pool.token1 : pool.token0;
        const value = price * (isFirst ? pool.reserve0 : pool.reserve1);
        if (prices[other] === 0) {
          heap.push({
            value,
            token: other,
            price: value / (isFirst ? pool.reserve1 : pool.reserve0),
          });
        }
      }
      let next = heap.pop();
      while (next !== undefined && prices[next.token] !== 0) next = heap.pop();
      if (next === undefined) break;
      ({ token, price } = next);
    }
  }
  return prices;
}

interface Reached {
  readonly value: number;
  readonly token: number;
  readonly price: number;
}

class DeepestFirst {
  readonly #items: Reached[] = [];

  push(item: Reached): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (items[parent]!.value >= item.value) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): Reached | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && items[child + 1]!.value > items[child]!.value) child++;
      if (items[child]!.value <= last.value) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return top;
  }
}
