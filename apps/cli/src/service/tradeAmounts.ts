import { Effect } from "effect";
import { wholeTokens } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import type { ServiceAccess } from "./ServiceAccess.ts";

/** Gives a function that formats amounts of a pool's tokens for people. */
export const tradeAmounts = Effect.fnUntraced(function* (access: ServiceAccess, pool: string) {
  const { data } = yield* access.ask((http) =>
    http.market.pool({ params: { address: pool }, query: access.query }),
  );
  const details = [data.token0Details, data.token1Details];
  const tokens = new Map(details.map((token) => [token.address, token]));
  return (units: string, token: string): string => {
    const known = tokens.get(token);
    if (known === undefined) return `${plainText(units)} of ${plainText(token)}`;
    return `${wholeTokens(units, known.decimals)} ${plainText(known.symbol)}`;
  };
});
