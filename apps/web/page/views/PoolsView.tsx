import type { ViewProps } from "../App.tsx";
import { goTo, pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { Notice } from "../parts/Notice.tsx";
import { Pages } from "../parts/Pages.tsx";
import { TokenPicker } from "../parts/TokenPicker.tsx";
import { client, useRequest } from "../service.ts";
import { PoolDetails } from "./PoolDetails.tsx";
import { PoolTable } from "./PoolTable.tsx";

const ROWS = 50;
const REFRESH_MS = 10_000;

type Sort = NonNullable<Parameters<typeof client.http.market.pools>[0]["query"]>["sort"];

/** All pools; one pool where the address names it. */
export function PoolsView({ place }: ViewProps) {
  return place.subject === "" ? (
    <PoolList place={place} />
  ) : (
    <PoolDetails key={place.subject} place={place} />
  );
}

function PoolList({ place: { query } }: ViewProps) {
  const network = useNetwork();
  const sort = query.get("sort") ?? "-liquidityUsd";
  const page = Math.max(1, Number(query.get("page")) || 1);
  const token = query.get("token") ?? "";
  const show = (changed: Readonly<Record<string, string>>) => {
    const all = { ...Object.fromEntries(query), ...changed };
    const said = Object.entries(all).filter(([, value]) => value !== "");
    goTo(pathTo(network.id, "pools", "", Object.fromEntries(said)), true);
  };
  const { data, failure } = useRequest(
    JSON.stringify([network.id, sort, page, token]),
    () =>
      client.http.market.pools({
        query: {
          ...{ chainId: network.chainId, page, limit: ROWS, sort: sort as Sort },
          ...(token !== "" && { token: token as never }),
        },
      }),
    REFRESH_MS,
  );
  return (
    <>
      <h1>Pools of {network.name}</h1>
      <div class="quoteForm">
        <TokenPicker
          label="With token"
          address={token}
          onPick={(picked) => show({ token: picked, page: "" })}
        />
        {token !== "" && (
          <button type="button" onClick={() => show({ token: "", page: "" })}>
            All pools
          </button>
        )}
      </div>
      {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
      {data?.data.length === 0 && <Notice kind="none">No pool has it.</Notice>}
      {data === undefined && failure === undefined && <Notice>Loading…</Notice>}
      {data !== undefined && (
        <>
          <PoolTable
            pools={data.data}
            sort={sort}
            onSort={(field) => show({ sort: field, page: "1" })}
          />
          <Pages pagination={data.pagination} onPage={(to) => show({ page: String(to) })} />
        </>
      )}
    </>
  );
}
