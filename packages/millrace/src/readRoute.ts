import { QUOTE_SPLITS_MAX } from "@millrace/api";
import { HOPS_MAX } from "@millrace/core";
import { invalidCall, MillraceError } from "./MillraceError.ts";
import type { RouteRequest } from "./RouteRequest.ts";
import { NAME_SHOWN, unreadable } from "./readArguments.ts";
import type { FoundToken, TokenNames } from "./TokenNames.ts";

/** A call's request, in terms of the market. */
export interface AskedRoute {
  readonly tokenIn: FoundToken;
  readonly tokenOut: FoundToken;
  readonly kind: "exactIn" | "exactOut";
  readonly amount: bigint;
  readonly maxHops: number;
  readonly maxSplits: number;
  /** Parameters that the search does not take directly; undefined where there are none. */
  readonly options: RouteOptions | undefined;
}

/** Parameters that limit the search, or request more than a search. */
type RouteOptions = Omit<
  RouteRequest,
  "tokenIn" | "tokenOut" | "amountIn" | "amountOut" | "maxHops" | "maxSplits"
>;

const NAMES: ReadonlySet<string> = new Set([
  ...["tokenIn", "tokenOut", "amountIn", "amountOut", "maxHops", "maxSplits"],
  ...["dexId", "excludeDexIds", "excludePools", "gasPriceWei", "gasAware", "executable"],
  ...["certify", "gapBps", "explain", "assume"],
]);
const AMOUNT_END = 2n ** 256n;

/** Reads each parameter once. Throws a MillraceError for invalid ones. */
export function readRoute(parameters: RouteRequest, tokens: TokenNames): AskedRoute {
  if (typeof parameters !== "object" || parameters === null) {
    throw invalidCall("expected parameters");
  }
  try {
    for (const name in parameters) {
      if (NAMES.has(name)) continue;
      throw invalidCall(`there is no parameter ${name.slice(0, NAME_SHOWN)}`);
    }
    return routeOf(parameters, tokens);
  } catch (error) {
    throw unreadable(error);
  }
}

function routeOf(parameters: RouteRequest, tokens: TokenNames): AskedRoute {
  const { amountIn, amountOut, maxHops = 3, maxSplits = 1 } = parameters;
  const amount = amountIn ?? amountOut;
  if (typeof amount !== "bigint" || (amountIn !== undefined && amountOut !== undefined)) {
    throw invalidCall("expected exactly one of amountIn and amountOut, as a bigint");
  }
  const tokenIn = tokens.find(parameters.tokenIn);
  const tokenOut = tokens.find(parameters.tokenOut);
  if (tokenIn.index === tokenOut.index && tokenIn.isNative === tokenOut.isNative) {
    throw invalidCall("tokenIn and tokenOut must differ");
  }
  if (amount < 0n || amount >= AMOUNT_END) throw invalidCall("an amount is 0 to 2^256 - 1");
  expectCount("maxHops", maxHops, HOPS_MAX);
  expectCount("maxSplits", maxSplits, QUOTE_SPLITS_MAX);
  const kind = amountIn === undefined ? "exactOut" : "exactIn";
  const options = optionsOf(parameters);
  // The service answers the same for an amount of 0.
  if (amount === 0n && options === undefined) throw nothing();
  return { tokenIn, tokenOut, kind, amount, maxHops, maxSplits, options };
}

const nothing = () => new MillraceError("AMOUNT_TOO_SMALL", "an amount of 0 buys nothing");

function optionsOf(parameters: RouteRequest): RouteOptions | undefined {
  const { dexId, excludeDexIds, excludePools, gasPriceWei, gasAware } = parameters;
  const { executable, certify, gapBps, explain, assume } = parameters;
  const isPlain =
    dexId === undefined &&
    excludeDexIds === undefined &&
    excludePools === undefined &&
    gasPriceWei === undefined &&
    gasAware === undefined &&
    executable === undefined &&
    certify === undefined &&
    gapBps === undefined &&
    explain === undefined &&
    assume === undefined;
  if (isPlain) return undefined;
  return {
    ...(dexId !== undefined && { dexId }),
    ...(excludeDexIds !== undefined && { excludeDexIds }),
    ...(excludePools !== undefined && { excludePools }),
    ...(gasPriceWei !== undefined && { gasPriceWei }),
    ...(gasAware !== undefined && { gasAware }),
    ...(executable !== undefined && { executable }),
    ...(certify !== undefined && { certify }),
    ...(gapBps !== undefined && { gapBps }),
    ...(explain !== undefined && { explain }),
    ...(assume !== undefined && { assume }),
  };
}

function expectCount(name: string, value: unknown, most: number): void {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most) return;
  throw invalidCall(`${name}: expected 1 to ${most}`);
}
