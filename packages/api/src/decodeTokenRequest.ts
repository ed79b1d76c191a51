import { Result, Schema } from "effect";
import { isAddress } from "./address.ts";
import { type Issue, issuesOf } from "./issue.ts";
import { addressParameter, networkChoice } from "./parameters.ts";

/** A request to `/tokens/:address`. */
export interface TokenRequest extends NetworkChoice {
  /** In any case. */
  readonly address: string;
}

/** The network that a market-data request names, if any. */
export interface NetworkChoice {
  readonly network?: string | undefined;
  readonly chainId?: number | undefined;
}

/**
 * The request in a percent-decoded path address and a query as sent, or an issue for each wrong
 * parameter. Decodes as `MarketApi` does.
 */
export function decodeTokenRequest(
  address: string,
  query: string,
): Result.Result<TokenRequest, Issue[]> {
  if (query === "" && isAddress(address)) return Result.succeed({ address });
  const params = decodeParams({ address }, STRICT);
  const asked = decodeQuery(parametersOf(query), STRICT);
  if (Result.isSuccess(params) && Result.isSuccess(asked)) {
    return Result.succeed({ address, ...asked.success });
  }
  return Result.fail([
    ...(Result.isFailure(params) ? issuesOf(params.failure.issue) : []),
    ...(Result.isFailure(asked) ? issuesOf(asked.failure.issue) : []),
  ]);
}

const STRICT = { errors: "all", onExcessProperty: "error" } as const;
const decodeParams = Schema.decodeUnknownResult(Schema.Struct(addressParameter));
const decodeQuery = Schema.decodeUnknownResult(Schema.Struct(networkChoice));

/** A repeated parameter becomes a list of its values, which no schema accepts. */
function parametersOf(query: string): Record<string, string | ReadonlyArray<string>> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((key) => {
      const values = parameters.getAll(key);
      return [key, values.length === 1 ? values[0]! : values];
    }),
  );
}
