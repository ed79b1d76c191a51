import type { QuoteRequestJson } from "@millrace/api";
import type { Engine, QuoteRequest as MarketRequest } from "@millrace/core";
import { gasPriceIn } from "@millrace/core";
import type { GasPrice } from "@millrace/execution";
import { Effect } from "effect";
import { type Answer, problemAnswer } from "../answers/Answer.ts";
import type { QuoteMarket, QuoteNetwork } from "./QuoteMarket.ts";

/** A request with the price of gas, where it asks for routes ranked net of gas. */
export interface PricedRequest extends QuoteRequestJson {
  /** Wei of the native token for a unit of gas, data fees of a layer 2 included. */
  readonly weiPerGas?: number;
}

/** The longest wait for a price. */
const PATIENCE_MS = 2_000;

/** The request with its price of gas; an Effect where a node has to be asked for it. */
export function priceGas(
  network: QuoteNetwork,
  { gasPrices }: QuoteMarket,
  request: QuoteRequestJson,
): PricedRequest | Answer | Effect.Effect<PricedRequest | Answer> {
  const { gasPriceWei, gasAware } = request;
  if (gasPriceWei !== undefined) return { ...request, weiPerGas: Number(gasPriceWei) };
  if (gasAware !== true) return request;
  if (gasPrices === undefined) return noGasPrice(network);
  return gasPrices.current.pipe(
    Effect.timeout(PATIENCE_MS),
    Effect.match({
      onSuccess: (price) => ({ ...request, weiPerGas: weiPerGasOf(price) }),
      onFailure: () =>
        problemAnswer("NOT_READY", `No node of ${network.config.id} tells the price of gas`),
    }),
  );
}

/** Bytes of a hop's calldata that do not compress: the addresses of a pool and of a token. */
const BYTES_PER_HOP = 40;
/**
 * Gas of a hop, in swaps that are not small; `PoolFamily.typicalGas` is between 60,000 and 200,000.
 */
const GAS_PER_HOP = 100_000;

/** Ranking only knows gas: the cost of a hop's data is spread over the hop's gas. */
const weiPerGasOf = ({ weiPerGas, dataFeeWeiPerByte }: GasPrice): number =>
  Number(weiPerGas) + (Number(dataFeeWeiPerByte) * BYTES_PER_HOP) / GAS_PER_HOP;

function noGasPrice({ config }: QuoteNetwork): Answer {
  const message = `${config.id} follows no node that tells the price of gas: use gasPriceWei`;
  const issue = { code: "invalid_value", path: ["gasAware"], message } as const;
  return problemAnswer("INVALID_REQUEST", message, { issues: [issue] });
}

/**
 * The price of a unit of gas in the token whose amount a request seeks; undefined where gas is not
 * to count, or where no path leads from the native token to that token.
 */
export function gasPriceOf(
  { graph, quoteUnsafe }: Pick<Engine["Service"], "graph" | "quoteUnsafe">,
  wrappedNative: string | undefined,
  { tokenIn, tokenOut, kind }: Pick<MarketRequest, "tokenIn" | "tokenOut" | "kind">,
  { weiPerGas }: PricedRequest,
): number | undefined {
  if (weiPerGas === undefined) return undefined;
  const native = graph.findToken(wrappedNative ?? "");
  if (native === undefined) return undefined;
  return gasPriceIn(quoteUnsafe, native, kind === "exactIn" ? tokenOut : tokenIn, weiPerGas);
}
