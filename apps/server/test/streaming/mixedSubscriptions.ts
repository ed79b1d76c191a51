import type { Devnet } from "@millrace/devnet";

/** A client's subscription, without `op` and `id`. */
export type Parameters = Readonly<Record<string, unknown>> & { readonly channel: string };

const SIZES = 16;
const KINDS = 24;
const INTERVALS = ["1m", "5m", "15m", "1h", "4h", "1d"];

/**
 * Subscriptions to every channel, with all options, always the same; the second half equals the
 * first.
 */
export function mixedSubscriptions(devnet: Devnet, count: number): ReadonlyArray<Parameters> {
  const { pools, tokens, dexes } = devnet;
  const half = Math.ceil(count / 2);
  const token = (index: number) => tokens[index % tokens.length]!.address;
  const pool = (index: number) => pools[index % pools.length]!.address;
  const dex = (index: number) => dexes[index % dexes.length]!.id;
  return Array.from({ length: count }, (_, index) => one(index % half));

  function one(index: number): Parameters {
    const amountIn = `${1 + (index % 9)}${"0".repeat(5 + (index % 15))}`;
    const amountOut = `${1 + (index % 7)}${"0".repeat(4 + (index % 5))}`;
    const maxHops = 1 + (Math.floor(index / KINDS) % 4);
    const sizes = Array.from({ length: 1 + (index % SIZES) }, (_, size) =>
      String(10n ** BigInt(4 + size)),
    );
    switch (index % KINDS) {
      case 0:
        return { channel: "price", network: "LOCAL", token: token(index / KINDS) };
      case 1:
      case 2:
        return { channel: "pool", network: "LOCAL", pool: pool(index) };
      case 3:
        if (index < KINDS) return { channel: "block", network: "LOCAL" };
        if (index < 2 * KINDS) return { channel: "networks", network: "LOCAL" };
        return { channel: "price", network: "LOCAL", token: NATIVE };
      case 4:
        return {
          ...{ channel: "price", network: "LOCAL" },
          tokens: tokens.slice(0, 1 + (index % tokens.length)).map(({ address }) => address),
        };
      case 5:
        return quote(index, { amountOut, maxHops });
      case 6:
        return quote(index, { amountIn, maxHops, minChangeBps: 1 + (index % 30) });
      case 7:
        return quote(index, { amounts: sizes, maxHops });
      case 8:
        return quote(index, { amounts: sizes, maxHops, minChangeBps: 0.5 });
      case 9:
        return quote(index, { amountIn, maxHops, maxSplits: 2 + (index % 3) });
      case 10:
        // Worker threads search the first of these, where there are any.
        return index < 100
          ? quote(index, { amountIn, maxHops: 4, maxSplits: 64, gasPriceWei: "1000000" })
          : quote(index, { amountIn, maxHops: 4, maxSplits: 4 });
      case 11:
        return quote(index, { amountIn, maxHops, gasPriceWei: "30000000000" });
      case 12:
        return quote(index, { amountIn, maxHops, gasAware: true });
      case 13:
        return quote(index, { amountIn, maxHops, excludeDexIds: [dex(index)] });
      case 14:
        return quote(index, { amountIn, excludePools: [pool(index), pool(index + 9)] });
      case 15:
        return quote(index, { amountIn, maxHops, explain: true });
      case 16:
        return quote(index, { amountIn, assume: [{ removePool: pool(index) }] });
      case 17:
        return quote(index, { amounts: sizes.slice(0, 4), maxHops, maxSplits: 3 });
      case 18:
        return quote(index, { amountOut, maxHops, maxSplits: 3 });
      case 19:
        return quote(index, {
          amountIn,
          maxHops: 4,
          dexId: index % (2 * KINDS) === 19 ? "ALL" : dex(index),
        });
      case 20:
        return { channel: "trades", network: "LOCAL", pool: pool(Math.floor(index / KINDS)) };
      case 21:
        return { channel: "trades", network: "LOCAL", ...tokenOrNative(index) };
      case 22:
        return {
          ...{ channel: "candles", network: "LOCAL", pool: pool(Math.floor(index / KINDS)) },
          interval: interval(index),
        };
      default:
        return {
          ...{ channel: "candles", network: "LOCAL", ...tokenOrNative(index) },
          interval: interval(index),
        };
    }
  }

  function interval(index: number): string {
    return INTERVALS[Math.floor(index / KINDS) % INTERVALS.length]!;
  }

  function tokenOrNative(index: number) {
    const at = Math.floor(index / KINDS);
    return { token: at === 0 ? NATIVE : token(at) };
  }

  function quote(index: number, options: object): Parameters {
    const tokenA = token(index * 3);
    const away = 1 + (index % (tokens.length - 1));
    const tokenB = token(tokens.findIndex(({ address }) => address === tokenA) + away);
    const isNativeIn = tokenA === devnet.wrappedNative && index % 2 === 0;
    const from = isNativeIn ? NATIVE : tokenA;
    return { channel: "quote", network: "LOCAL", tokenA: from, tokenB, ...options };
  }
}

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
