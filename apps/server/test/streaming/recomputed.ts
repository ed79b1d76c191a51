import { decodeQuoteRequest, isNativeToken, type QuoteRequestJson } from "@millrace/api";
import type { Network } from "../../src/networks/Network.ts";
import { noQuote } from "../../src/quote/refusals.ts";
import { resolveQuote } from "../../src/quote/resolveQuote.ts";
import { isStudy, studyQuote } from "../../src/quote/studyQuote.ts";
import { writeQuote } from "../../src/quote/writeQuote.ts";
import { poolBody } from "../../src/routes/marketViews.ts";
import type { Parameters } from "./mixedSubscriptions.ts";

/**
 * Works out, from nothing but the market as it is, what a subscription to a price, a pool or a
 * quote is told: at once, whatever the service does in turns or by worker threads. Undefined for
 * `block`.
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
    default:
      return undefined;
  }

  function sized(request: object): unknown {
    return quote(network, decodeQuoteRequest(request)!, weiPerGas);
  }

  function price(token: string): unknown {
    const { wrappedNative = "" } = network.config;
    const view = data.token(engine.graph.findToken(isNativeToken(token) ? wrappedNative : token)!);
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
