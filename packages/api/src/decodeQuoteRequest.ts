import { isAddress, isSameAddress } from "./address.ts";
import { isAmount } from "./amount.ts";
import { areAssumptions } from "./areAssumptions.ts";
import type { AssumptionJson } from "./assumption.ts";
import { isGasPrice } from "./gasPrice.ts";
import { isPoolName } from "./poolName.ts";
import {
  ALL_DEXES,
  DEX_ID_LENGTH_MAX,
  hasTwoGasPrices,
  hasTwoPathCounts,
  isTooWideToStudy,
  QUOTE_EXCLUSIONS_MAX,
  QUOTE_GAP_BPS_MAX,
  QUOTE_GAP_BPS_MIN,
  QUOTE_HOPS_MAX,
  QUOTE_SPLITS_MAX,
  type QuoteRequestJson,
} from "./quoteRequest.ts";

/**
 * The request in a parsed JSON body, or undefined when anything is wrong with it:
 * `decodeQuoteRequestStrictly` then says what. Accepts exactly what the schema accepts (a test
 * compares them), in a fraction of a microsecond.
 */
export function decodeQuoteRequest(body: unknown): QuoteRequestJson | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  let tokenA: unknown;
  let tokenB: unknown;
  let amountIn: unknown;
  let amountOut: unknown;
  let dexId: unknown = ALL_DEXES;
  let maxHops: unknown = 3;
  let maxSplits: unknown = 1;
  let excludeDexIds: unknown;
  let excludePools: unknown;
  let gasPriceWei: unknown;
  let gasAware: unknown;
  let executable: unknown;
  let certify: unknown;
  let gapBps: unknown;
  let explain: unknown;
  let assume: ReadonlyArray<AssumptionJson> | undefined;
  // `for in` also visits inherited keys, but the objects of JSON.parse inherit no enumerable ones.
  for (const key in body) {
    const value = (body as Record<string, unknown>)[key];
    switch (key) {
      case "tokenA":
        tokenA = value;
        break;
      case "tokenB":
        tokenB = value;
        break;
      case "amountIn":
        if (typeof value !== "string" || !isAmount(value)) return undefined;
        amountIn = value;
        break;
      case "amountOut":
        if (typeof value !== "string" || !isAmount(value)) return undefined;
        amountOut = value;
        break;
      case "dexId":
        dexId = value;
        break;
      case "maxHops":
        maxHops = value;
        break;
      case "maxSplits":
        maxSplits = value;
        break;
      case "excludeDexIds":
        if (!isListOf(value, isDexId)) return undefined;
        excludeDexIds = value;
        break;
      case "excludePools":
        if (!isListOf(value, isPoolName)) return undefined;
        excludePools = value;
        break;
      case "gasPriceWei":
        if (typeof value !== "string" || !isGasPrice(value)) return undefined;
        gasPriceWei = value;
        break;
      case "gasAware":
        if (typeof value !== "boolean") return undefined;
        gasAware = value;
        break;
      case "executable":
        if (typeof value !== "boolean") return undefined;
        executable = value;
        break;
      case "certify":
        if (typeof value !== "boolean") return undefined;
        certify = value;
        break;
      case "gapBps":
        if (!isGap(value)) return undefined;
        gapBps = value;
        break;
      case "explain":
        if (typeof value !== "boolean") return undefined;
        explain = value;
        break;
      case "assume":
        if (!areAssumptions(value)) return undefined;
        assume = value;
        break;
      default:
        return undefined;
    }
  }
  if (!isAddressValue(tokenA) || !isAddressValue(tokenB) || !isDexId(dexId)) return undefined;
  if (!isIntegerUpTo(maxHops, QUOTE_HOPS_MAX)) return undefined;
  if (!isIntegerUpTo(maxSplits, QUOTE_SPLITS_MAX)) return undefined;
  if ((amountIn === undefined) === (amountOut === undefined)) return undefined;
  if (isSameAddress(tokenA, tokenB)) return undefined;
  const request: Mutable<QuoteRequestJson> = { tokenA, tokenB, dexId, maxHops, maxSplits };
  if (amountIn !== undefined) request.amountIn = amountIn as string;
  if (amountOut !== undefined) request.amountOut = amountOut as string;
  if (excludeDexIds !== undefined) request.excludeDexIds = excludeDexIds as string[];
  if (excludePools !== undefined) request.excludePools = excludePools as string[];
  if (gasPriceWei !== undefined) request.gasPriceWei = gasPriceWei as string;
  if (gasAware !== undefined) request.gasAware = gasAware as boolean;
  if (executable !== undefined) request.executable = executable as boolean;
  if (certify !== undefined) request.certify = certify as boolean;
  if (gapBps !== undefined) request.gapBps = gapBps as number;
  if (explain !== undefined) request.explain = explain as boolean;
  if (assume !== undefined) request.assume = assume;
  const isRefused =
    hasTwoGasPrices(request) || hasTwoPathCounts(request) || isTooWideToStudy(request);
  return isRefused ? undefined : request;
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] };

const isAddressValue = (value: unknown): value is string =>
  typeof value === "string" && isAddress(value);

const isDexId = (value: unknown): value is string =>
  typeof value === "string" && value.length <= DEX_ID_LENGTH_MAX;

const isIntegerUpTo = (value: unknown, maximum: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= maximum;

const isGap = (value: unknown): boolean =>
  typeof value === "number" && value >= QUOTE_GAP_BPS_MIN && value <= QUOTE_GAP_BPS_MAX;

const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= QUOTE_EXCLUSIONS_MAX && value.every(isItem);
