import type { ViewProps } from "../App.tsx";
import { goTo, pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { Notice } from "../parts/Notice.tsx";
import { Pages } from "../parts/Pages.tsx";
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
    <PoolDetails key={place.subject} pool={place.subject} />
  );
}

function PoolList({ place: { query } }: ViewProps) {
  const network = useNetwork();
  const sort = query.get("sort") ?? "-liquidityUsd";
  const page = Math.max(1, Number(query.get("page")) || 1);
  const show = (changed: Readonly<Record<string, string>>) =>
    goTo(pathTo(network.id, "pools", "", { ...Object.fromEntries(query), ...changed }), true);
  const { data, failure } = useRequest(
    JSON.stringify([network.id, sort, page]),
    () =>
      client.http.market.pools({
        query: { chainId: network.chainId, page, limit: ROWS, sort: sort as Sort },
      }),
    REFRESH_MS,
  );
  return (
    <>
      <h1>Pools of {network.name}</h1>
      {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
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
