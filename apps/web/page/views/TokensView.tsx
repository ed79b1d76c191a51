import type { TokenListEntry } from "@millrace/api";
import type { StreamedPrice } from "@millrace/client";
import { Effect } from "effect";
import { useEffect, useState } from "preact/hooks";
import type { ViewProps } from "../App.tsx";
import { priceText, sumText } from "../format.ts";
import { goTo, pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { Change } from "../parts/Change.tsx";
import { Live } from "../parts/Live.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Pages, type Pagination } from "../parts/Pages.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { TokenLink } from "../parts/TokenName.tsx";
import { client, useRequest, useUpdates } from "../service.ts";
import { TokenDetails } from "./TokenDetails.tsx";

const ROWS = 50;
/** Refreshes the order of rows, and all fields that are not streamed. */
const REFRESH_MS = 30_000;
const PAUSE_MS = 200;

type Row = typeof TokenListEntry.Type;
type Sort = NonNullable<Parameters<typeof client.http.market.tokens>[0]["query"]>["sort"];

/** All tokens with their prices as they move; one token where the address names it. */
export function TokensView({ place }: ViewProps) {
  return place.subject === "" ? (
    <TokenList place={place} />
  ) : (
    <TokenDetails key={place.subject} place={place} />
  );
}

function TokenList({ place: { query } }: ViewProps) {
  const network = useNetwork();
  const sort = query.get("sort") ?? "-liquidity";
  const page = Math.max(1, Number(query.get("page")) || 1);
  const search = query.get("search") ?? "";
  const show = (changed: Readonly<Record<string, string>>) => {
    const all = { ...Object.fromEntries(query), ...changed };
    const said = Object.entries(all).filter(([, value]) => value !== "");
    goTo(pathTo(network.id, "tokens", "", Object.fromEntries(said)), true);
  };
  const { chainId } = network;
  const { data, failure } = useRequest(
    JSON.stringify([network.id, sort, page, search]),
    () => rowsOf({ chainId, page, sort: sort as Sort, search }),
    REFRESH_MS,
  );
  const rows = data?.rows ?? [];
  const live = useLivePrices(rows.map(({ address }) => address));
  return (
    <>
      <h1>Tokens of {network.name}</h1>
      <SearchField search={search} onSearch={(text) => show({ search: text, page: "" })} />
      {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
      {data === undefined && failure === undefined && <Notice>Loading…</Notice>}
      {data !== undefined && rows.length === 0 && <Notice>No token is called that.</Notice>}
      {rows.length > 0 && (
        <Table
          caption="Tokens"
          rows={rows}
          keyOf={({ address }) => address}
          columns={columnsOf(live)}
          sort={sort}
          onSort={(field) => show({ sort: field, search: "", page: "" })}
        />
      )}
      {data?.pagination !== undefined && (
        <Pages pagination={data.pagination} onPage={(to) => show({ page: String(to) })} />
      )}
    </>
  );
}

interface Wanted {
  readonly chainId: number;
  readonly page: number;
  readonly sort: Sort;
  readonly search: string;
}

interface Rows {
  readonly rows: ReadonlyArray<Row>;
  readonly pagination?: Pagination;
}

function rowsOf({ chainId, page, sort, search }: Wanted): Effect.Effect<Rows, unknown> {
  const { market } = client.http;
  if (search === "") {
    const asked = market.tokens({ query: { chainId, page, limit: ROWS, sort } });
    return Effect.map(asked, ({ data, pagination }) => ({ rows: data, pagination }));
  }
  const asked = market.searchTokens({ params: { query: search }, query: { chainId, limit: ROWS } });
  return Effect.map(asked, ({ data }) => ({ rows: data }));
}

type Prices = ReadonlyMap<string, StreamedPrice>;

/** Streamed prices by address. */
function useLivePrices(addresses: ReadonlyArray<string>): Prices {
  const network = useNetwork();
  const [prices, setPrices] = useState<Prices>(new Map());
  const key = addresses.length === 0 ? undefined : `${network.id} ${addresses.join()}`;
  useUpdates(
    key,
    () => client.prices(network.id, addresses),
    (news) =>
      setPrices((old) => new Map([...old, ...news.map((one) => [one.token, one] as const)])),
  );
  return prices;
}

const columnsOf = (live: Prices): ReadonlyArray<Column<Row>> => [
  { title: "Token", sort: "symbol", cell: (row) => <TokenLink token={row} /> },
  {
    title: "Price",
    isNumber: true,
    sort: "price",
    cell: (row) => {
      const price = live.get(row.address)?.price ?? row.price;
      return <Live value={price} text={priceText(price)} />;
    },
  },
  {
    title: "1 h",
    isNumber: true,
    sort: "priceChange1h",
    cell: ({ priceChange1h }) => <Change fraction={priceChange1h} />,
  },
  {
    title: "24 h",
    isNumber: true,
    sort: "priceChange24h",
    cell: ({ priceChange24h }) => <Change fraction={priceChange24h} />,
  },
  {
    title: "Liquidity",
    isNumber: true,
    sort: "liquidity",
    cell: (row) => sumText(live.get(row.address)?.liquidity ?? row.liquidity),
  },
  {
    title: "Volume 24 h",
    isNumber: true,
    sort: "volume24h",
    cell: (row) => sumText(live.get(row.address)?.volume24h ?? row.volume24h),
  },
  {
    title: "Market cap",
    isNumber: true,
    sort: "marketCap",
    cell: ({ marketCap }) => sumText(marketCap),
  },
  { title: "DEXes", cell: ({ dexes }) => <DexNames names={dexes} /> },
];

const DEXES_SHOWN = 2;

/** The first names, and how many more there are. */
function DexNames({ names }: { readonly names: ReadonlyArray<string> }) {
  const more = names.length - DEXES_SHOWN;
  return (
    <span title={names.join(", ")}>
      {names.slice(0, DEXES_SHOWN).join(", ")}
      {more > 0 && <span class="quiet"> and {more} more</span>}
    </span>
  );
}

function SearchField({
  search,
  onSearch,
}: {
  readonly search: string;
  readonly onSearch: (text: string) => void;
}) {
  const [text, setText] = useState(search);
  useEffect(() => {
    if (text === search) return;
    const asking = setTimeout(() => onSearch(text.trim()), PAUSE_MS);
    return () => clearTimeout(asking);
  }, [text]);
  return (
    <label class="search">
      Search
      <input
        type="search"
        value={text}
        maxLength={128}
        placeholder="Symbol or name"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}
