import {
  type CANDLE_INTERVALS,
  decodeQuoteRequest,
  isNativeToken,
  type QuoteRequestJson,
} from "@millrace/api";
import type { Network } from "../../src/networks/Network.ts";
import { noQuote } from "../../src/quote/refusals.ts";
import { resolveQuote } from "../../src/quote/resolveQuote.ts";
import { isStudy, studyQuote } from "../../src/quote/studyQuote.ts";
import { writeQuote } from "../../src/quote/writeQuote.ts";
import { candleBody, marketTradeBody, poolBody } from "../../src/routes/marketViews.ts";
import type { Parameters } from "./mixedSubscriptions.ts";

/**
 * Recomputes the value of a subscription from the current market alone: any channel except blocks
 * and networks, whole lists included. It does so at once, where the service uses turns or worker
 * threads.
 */
export function recomputed(
  network: Network,
  { channel, network: _, minChangeBps: __, ...rest }: Parameters,
  weiPerGas: number,
): unknown {
  const { engine, data } = network.market!;
  switch (channel) {
    case "price":
      return "tokens" in rest
        ? (rest["tokens"] as ReadonlyArray<string>).map(price)
        : price(String(rest["token"]));
    case "pool":
      return poolBody(
        network,
        network.market!,
        data.pool(engine.graph.findPool(String(rest["pool"]))!)!,
      );
    case "quote": {
      const { amounts, ...request } = rest as { readonly amounts?: ReadonlyArray<string> };
      return amounts === undefined
        ? quote(network, decodeQuoteRequest(request)!, weiPerGas)
        : { quotes: amounts.map((amountIn) => sized({ ...request, amountIn })) };
    }
    case "trades":
      return trades(rest).map((trade) => marketTradeBody(network, network.market!, trade));
    case "candles":
      return candles(rest).map(candleBody);
    default:
      throw new Error(`nothing is worked out of ${channel}`);
  }

  function trades({ pool, token }: Readonly<Record<string, unknown>>) {
    if (token !== undefined) return data.tokenTrades(tokenAt(String(token)), 50);
    return data.trades(engine.graph.findPool(String(pool))!, 50);
  }

  function candles({ pool, token, interval }: Readonly<Record<string, unknown>>) {
    const length = interval as (typeof CANDLE_INTERVALS)[number];
    if (token !== undefined) return data.tokenCandles(tokenAt(String(token)), length, { limit: 2 });
    return data.poolCandles(engine.graph.findPool(String(pool))!, length, { limit: 2 });
  }

  function tokenAt(address: string) {
    const { wrappedNative = "" } = network.config;
    return engine.graph.findToken(isNativeToken(address) ? wrappedNative : address)!;
  }

  function sized(request: object): unknown {
    return quote(network, decodeQuoteRequest(request)!, weiPerGas);
  }

  function price(token: string): unknown {
    const view = data.token(tokenAt(token));
    return {
      ...{ token: token.toLowerCase(), price: view.priceUsd, liquidity: view.liquidityUsd },
      volume24h: view.volume24hUsd,
    };
  }
}

function quote(network: Network, request: QuoteRequestJson, weiPerGas: number): unknown {
  const market = network.market!;
  const { gasPriceWei, gasAware } = request;
  const priced = {
    ...request,
    ...(gasPriceWei !== undefined && { weiPerGas: Number(gasPriceWei) }),
    ...(gasAware === true && { weiPerGas }),
  };
  if (isStudy(priced)) return JSON.parse(studyQuote(network, market, priced).body);
  const resolved = resolveQuote(network, market, priced);
  if ("status" in resolved) return JSON.parse(resolved.body);
  const result = market.engine.quoteUnsafe(resolved);
  const answer = result.found
    ? writeQuote(market, priced, result)
    : noQuote(network, priced, result.reason);
  return JSON.parse(answer.body);
}
