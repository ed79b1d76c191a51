import { isAddress, NATIVE_TOKEN, type TokenEntry } from "@millrace/api";
import { Effect } from "effect";
import { type CommandError, commandRefused, wrongUsage } from "../CommandError.ts";
import { dollarFigure } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import type { ServiceAccess } from "./ServiceAccess.ts";
import { didYouMean } from "./similarNames.ts";

/** The facts of a token that commands need. */
export interface NamedToken {
  readonly address: string;
  /** Safe to print. */
  readonly symbol: string;
  readonly decimals: number;
}

/** Anybody can take a symbol, so at most this many of its tokens are listed. */
const LISTED_MAX = 20;
const SYMBOL_LENGTH_MAX = 128;

/**
 * The token of an address, or the only token of a symbol, in any case. Refuses a symbol of several
 * tokens, and lists their addresses.
 */
export const findToken = Effect.fnUntraced(function* (
  access: ServiceAccess,
  name: string,
): Effect.fn.Return<NamedToken, CommandError> {
  if (isAddress(name)) return yield* tokenAt(access, name);
  if (name === "" || name.length > SYMBOL_LENGTH_MAX)
    return yield* wrongUsage("a token is named by its address or its symbol");
  const [{ data }, native] = yield* Effect.all(
    [
      access.ask((http) =>
        http.market.tokens({
          query: { symbol: name, page: 1, limit: LISTED_MAX, sort: "-liquidity", ...access.query },
        }),
      ),
      // A network may have no native token.
      Effect.option(tokenAt(access, NATIVE_TOKEN)),
    ],
    { concurrency: 2 },
  );
  const isNative =
    native._tag === "Some" && native.value.symbol.toLowerCase() === name.toLowerCase();
  const found = [
    ...(isNative ? [{ ...native.value, liquidity: 0 }] : []),
    ...data.map((token) => ({ ...token, symbol: plainText(token.symbol) })),
  ];
  const [first, ...others] = found;
  if (first === undefined) return yield* unknownSymbol(access, name);
  if (others.length === 0) return first;
  const lines = found.map(
    ({ address, symbol, liquidity }) =>
      `${plainText(address)}  ${symbol}  liquidity ${dollarFigure(liquidity)}`,
  );
  const title = `${name} is the symbol of several tokens: say which by its address`;
  return yield* commandRefused([title, ...lines].join("\n  "));
});

/** Tokens by lower-case address, for example those of a route. */
export const tokensByAddress = Effect.fnUntraced(function* (
  access: ServiceAccess,
  addresses: Iterable<string>,
) {
  const found = yield* Effect.forEach(new Set(addresses), (address) => tokenAt(access, address), {
    concurrency: 8,
  });
  return new Map(found.map((token) => [token.address.toLowerCase(), token]));
});

const tokenAt = (access: ServiceAccess, tokenAddress: string) =>
  Effect.map(
    access.ask((http) => http.swap.tokenDetails({ params: { ...access.params, tokenAddress } })),
    ({ result }) => foundToken(result),
  );

const foundToken = ({ address, symbol, decimals }: typeof TokenEntry.Type): NamedToken => ({
  address,
  symbol: plainText(symbol),
  decimals,
});

const unknownSymbol = Effect.fnUntraced(function* (access: ServiceAccess, name: string) {
  const { result } = yield* access.ask((http) =>
    http.swap.tokenListWithDetails({ params: access.params }),
  );
  const similar = didYouMean(
    name,
    result.map(({ symbol }) => plainText(symbol)),
  );
  return yield* commandRefused(`${access.network.id} has no token ${name}${similar}`);
});
