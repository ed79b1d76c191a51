import type { Pool, PoolList, TokenListEntry, TokenListJson, TokenSearch } from "@millrace/api";
import type { PoolQuery, TokenQuery, TokenView } from "@millrace/market";
import type { ListText } from "../caches/ListTexts.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { nativeEntry, tokenEntry } from "../networks/tokenEntry.ts";
import type { Opened } from "./marketOf.ts";
import { poolBody, tokenBody } from "./marketViews.ts";

/** Entries of a part, which takes a fraction of a millisecond. */
const PART = 16;

/** The text of `/tokens`. */
export const tokenPageText = (opened: Opened, query: TokenQuery): ListText => ({
  name: `tokens ${JSON.stringify(query)}`,
  version: opened.market.data.version(),
  parts: function* () {
    const { items, total } = opened.market.data.tokens(query);
    const { page, limit, sort: _, ...filters } = query;
    yield* listed(items, (view) => listEntry(opened, view));
    yield tail<typeof TokenListJson.Encoded>({
      pagination: pagination(page, limit, total),
      filters,
    });
  },
});

/** The text of `/tokens/search/:query`. */
export const tokenSearchText = (opened: Opened, text: string, limit: number): ListText => ({
  name: `search ${limit} ${text}`,
  version: opened.market.data.version(),
  parts: function* () {
    const { items, total } = opened.market.data.search(text, limit);
    yield* listed(items, (view) => listEntry(opened, view));
    yield tail<typeof TokenSearch.Encoded>({ total, query: text });
  },
});

/** The text of `/pools`. */
export const poolPageText = ({ network, market }: Opened, query: PoolQuery): ListText => ({
  name: `pools ${JSON.stringify(query)}`,
  version: market.data.version(),
  parts: function* () {
    const { items, total } = market.data.pools(query);
    yield* listed(items, (view): typeof Pool.Encoded => poolBody(network, market, view));
    yield tail<typeof PoolList.Encoded>({
      pagination: pagination(query.page, query.limit, total),
    });
  },
});

/** The text of `/{NETWORK}/tokenList`. */
export const tokenListText = ({ network, market }: Opened): ListText => {
  const native = nativeEntry(network.config, market);
  return routableText(
    "tokenList",
    market,
    native && JSON.stringify(native.address),
    (token) => `"${market.texts.token(token)}"`,
  );
};

/** The text of `/{NETWORK}/tokenListWithDetails`. */
export const tokenEntriesText = ({ network, market }: Opened): ListText => {
  const native = nativeEntry(network.config, market);
  return routableText("tokenListWithDetails", market, native && JSON.stringify(native), (token) =>
    JSON.stringify(tokenEntry(market, token)),
  );
};

type RoutableToken = ReturnType<NetworkMarket["data"]["routableTokens"]>[number];

function routableText(
  name: string,
  { data }: NetworkMarket,
  first: string | undefined,
  write: (token: RoutableToken) => string,
): ListText {
  // A new list object after each change of its entries.
  const tokens = data.routableTokens();
  const parts = function* () {
    yield '{"result":[';
    if (first !== undefined) yield first;
    for (let start = 0; start < tokens.length; start += PART) {
      const separator = start === 0 && first === undefined ? "" : ",";
      yield separator +
        tokens
          .slice(start, start + PART)
          .map(write)
          .join(",");
    }
    yield "]}";
  };
  return { name, version: tokens, parts };
}

/** `{"success":true,"data":[…`, to be closed by `tail`. */
function* listed<View>(
  views: ReadonlyArray<View>,
  body: (view: View) => object,
): Generator<string> {
  yield '{"success":true,"data":[';
  for (let start = 0; start < views.length; start += PART) {
    const texts = views.slice(start, start + PART).map((view) => JSON.stringify(body(view)));
    yield (start === 0 ? "" : ",") + texts.join(",");
  }
}

/** The text after the entries of a list. */
const tail = <List>(members: Omit<List, "success" | "data">): string =>
  `],${JSON.stringify(members).slice(1)}`;

const listEntry = (
  { network, market }: Opened,
  view: TokenView,
): typeof TokenListEntry.Encoded => ({
  ...tokenBody(network, market, view),
  chartDataAvailable: view.hasCandles,
});

function pagination(page: number, limit: number, total: number) {
  const totalPages = Math.ceil(total / limit);
  return { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 };
}
