import {
  type CandleJson,
  checksumAddress,
  type Pool,
  type PoolToken,
  type Token,
  type TokenPrice,
  type TradeJson,
} from "@millrace/api";
import type { TokenIndex } from "@millrace/core";
import type {
  Candle as MarketCandle,
  Trade as MarketTrade,
  PoolView,
  TokenView,
} from "@millrace/market";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { safetyOf } from "../networks/tokenSafety.ts";

/** A token in the form of the market-data interface. */
export function tokenBody(
  network: Network,
  market: Pick<NetworkMarket, "verdicts" | "longChanges">,
  view: TokenView,
): typeof Token.Encoded {
  const { marketCapUsd, fullyDilutedValuationUsd } = view;
  return {
    address: view.address,
    symbol: view.symbol,
    name: view.name,
    decimals: view.decimals,
    chainId: String(network.config.chainId),
    dexes: view.dexes,
    lastUpdated: view.lastUpdatedMs,
    price: view.priceUsd,
    liquidity: view.liquidityUsd,
    ...(marketCapUsd === undefined ? undefined : { marketCap: marketCapUsd }),
    ...(fullyDilutedValuationUsd === undefined
      ? undefined
      : { fullyDilutedValuation: fullyDilutedValuationUsd }),
    volume24h: view.volume24hUsd,
    volume6h: view.volume6hUsd,
    volume1h: view.volume1hUsd,
    volume5m: view.volume5mUsd,
    txns24h: view.txns24h,
    buys24h: view.buys24h,
    sells24h: view.sells24h,
    ...changesOf(view),
    ...market.longChanges?.of(view.address, view.priceUsd),
    ...safetyOf(market.verdicts, view.address),
  };
}

/** In the order of the schema. */
function changesOf(view: TokenView) {
  const { priceChange5m, priceChange1h, priceChange6h, priceChange24h } = view;
  return {
    ...(priceChange5m !== undefined && { priceChange5m }),
    ...(priceChange1h !== undefined && { priceChange1h }),
    ...(priceChange6h !== undefined && { priceChange6h }),
    ...(priceChange24h !== undefined && { priceChange24h }),
  };
}

/** A token inside a pool's details. */
export function poolToken(
  network: Network,
  market: NetworkMarket,
  token: TokenIndex,
): typeof PoolToken.Encoded {
  const view = market.data.token(token);
  return {
    ...tokenBody(network, market, view),
    totalSupply: String(view.totalSupply ?? 0n),
    circulatingSupply: String(view.circulatingSupply ?? 0n),
  };
}

/** A pool in the form of the market-data interface. */
export function poolBody(
  network: Network,
  { engine, data, texts }: NetworkMarket,
  view: PoolView,
): typeof Pool.Encoded {
  const dex = engine.graph.dexes[view.dexIndex]!;
  return {
    poolAddress: texts.pool(view.index, view.contract),
    ...(view.id !== undefined && { poolId: view.id }),
    token0: texts.token(view.token0),
    token1: texts.token(view.token1),
    symbol0: data.listing(view.token0).symbol,
    symbol1: data.listing(view.token1).symbol,
    ...(view.holdings !== undefined && {
      tokens: view.holdings.map(({ token }) => texts.token(token)),
      reserves: view.holdings.map(({ amount }) => String(amount)),
    }),
    fee: view.feePips,
    liquidity: String(view.liquidity),
    sqrtPriceX96: String(view.sqrtPriceX96),
    price: view.price,
    dexName: dex.name,
    chainId: String(network.config.chainId),
    blockNumber: String(view.updatedBlock),
    lastUpdated: view.lastUpdatedMs,
    liquidityUsd: view.liquidityUsd,
    volume24h: view.volume24hUsd,
    protocol: dex.protocol,
  };
}

/** A token's price with its provenance. */
export function priceBody(
  network: Network,
  { data, texts }: NetworkMarket,
  token: TokenIndex,
): typeof TokenPrice.Encoded {
  const price = data.price(token);
  return {
    address: texts.token(token),
    chainId: String(network.config.chainId),
    price: price.priceUsd,
    confidence: price.confidence,
    anchor: price.anchor === undefined ? null : texts.token(price.anchor),
    // The valuation goes from the anchor outwards; the answer begins with the requested token.
    path: price.path.toReversed().map((step) => texts.token(step)),
    pools: price.pools.toReversed().map((pool) => {
      const { poolId, poolAddress } = texts.names(pool);
      return poolId ?? poolAddress;
    }),
    depthUsd: price.depthUsd,
    blockNumber: String(price.blockNumber),
  };
}

export function candleBody(candle: MarketCandle): typeof CandleJson.Encoded {
  const { startMs, open, high, low, close, volumeUsd } = candle;
  return { timestamp: startMs, open, high, low, close, volume: volumeUsd };
}

/** A swap of the pool at a checksummed address. */
export function tradeBody(
  network: Network,
  poolAddress: string,
  trade: MarketTrade,
): typeof TradeJson.Encoded {
  const { stamp } = trade;
  return {
    id: trade.id,
    poolAddress,
    tokenIn: trade.tokenIn,
    tokenOut: trade.tokenOut,
    amountIn: String(trade.amountIn),
    amountOut: String(trade.amountOut),
    valueUsd: trade.valueUsd,
    side: trade.side,
    price: trade.price,
    ...(trade.maker !== undefined && { maker: trade.maker }),
    chainId: String(network.config.chainId),
    transactionHash: trade.transactionHash,
    logIndex: trade.logIndex,
    blockNumber: String(stamp.number),
    blockHash: stamp.hash,
    timestamp: stamp.timestampMs,
  };
}

/** A swap of any pool, in the market or not. */
export function marketTradeBody(
  network: Network,
  { engine, texts }: NetworkMarket,
  trade: MarketTrade,
): typeof TradeJson.Encoded {
  const pool = engine.graph.findPool(trade.pool);
  const address = pool === undefined ? checksumAddress(trade.pool) : texts.pool(pool);
  return tradeBody(network, address, trade);
}
