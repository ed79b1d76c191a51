import type { Pool } from "@millrace/api";
import { feeText, shortAddress, sumText } from "../format.ts";
import { pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { Table } from "../parts/Table.tsx";
import { TokenSymbol } from "../parts/TokenName.tsx";
import { useTokens } from "../tokens.ts";

type PoolRow = typeof Pool.Type;

const poolIdOf = ({ poolAddress, poolId }: PoolRow): string => poolId ?? poolAddress;

/** Pools with their tokens; sorted by the service. */
export function PoolTable({
  pools,
  sort,
  onSort,
}: {
  readonly pools: ReadonlyArray<PoolRow>;
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
}) {
  const network = useNetwork();
  const tokensOf = (pool: PoolRow) => pool.tokens ?? [pool.token0, pool.token1];
  const tokens = useTokens(network.id, pools.flatMap(tokensOf));
  return (
    <Table
      caption="Pools"
      rows={pools}
      keyOf={poolIdOf}
      {...(sort !== undefined && { sort })}
      {...(onSort !== undefined && { onSort })}
      columns={[
        {
          title: "Pool",
          cell: (pool) => (
            <a href={pathTo(network.id, "pools", poolIdOf(pool))}>
              {tokensOf(pool).map((token, at) => (
                <span key={token}>
                  {at > 0 && " / "}
                  <TokenSymbol token={tokens.get(token)} />
                </span>
              ))}{" "}
              <span class="quiet">{shortAddress(poolIdOf(pool))}</span>
            </a>
          ),
        },
        { title: "DEX", sort: "dexName", cell: ({ dexName }) => dexName },
        { title: "Fee", isNumber: true, sort: "fee", cell: ({ fee }) => feeText(fee) },
        {
          title: "Liquidity",
          isNumber: true,
          sort: "liquidityUsd",
          cell: ({ liquidityUsd }) => sumText(liquidityUsd),
        },
        {
          title: "Volume 24 h",
          isNumber: true,
          sort: "volume24h",
          cell: ({ volume24h }) => sumText(volume24h),
        },
        {
          title: "Changed in",
          isNumber: true,
          sort: "blockNumber",
          cell: ({ blockNumber }) => blockNumber,
        },
      ]}
    />
  );
}
