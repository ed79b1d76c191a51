import type { Pool } from "@millrace/api";
import { isProblem } from "@millrace/client";
import { useState } from "preact/hooks";
import { amountText, dateText, feeText, numberText, sumText, timeText } from "../format.ts";
import { useNetwork } from "../networks.ts";
import { CandlePart } from "../parts/CandlePart.tsx";
import { Fields } from "../parts/Fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Table } from "../parts/Table.tsx";
import { AddressText, TokenLink, TokenSymbol } from "../parts/TokenName.tsx";
import { safeName } from "../safeName.ts";
import { client, useRequest, useUpdates } from "../service.ts";
import { useTokens } from "../tokens.ts";

const REFRESH_MS = 10_000;
const TRADES = 30;

/** One pool as it changes: what it holds, its candles, its trades. */
export function PoolDetails({ pool: id }: { readonly pool: string }) {
  const network = useNetwork();
  const [pool, setPool] = useState<typeof Pool.Type>();
  const [gone, setGone] = useState<string>();
  const failure = useUpdates(
    `${network.id} ${id}`,
    () => client.pool(network.id, id),
    (data) => {
      if (isProblem(data)) setGone(data.detail);
      else {
        setGone(undefined);
        setPool(data);
      }
    },
  );
  const addresses = pool === undefined ? [] : (pool.tokens ?? [pool.token0, pool.token1]);
  const tokens = useTokens(network.id, addresses);
  if (failure !== undefined) return <Notice kind="failure">{failure}</Notice>;
  if (pool === undefined) return <Notice>{gone ?? "Loading…"}</Notice>;
  const holdings = pool.reserves?.map((amount, at) => {
    const token = tokens.get(addresses[at]!);
    return (
      <div key={addresses[at]}>
        {token === undefined ? "…" : amountText(amount, token.decimals)}{" "}
        <TokenSymbol token={token} />
      </div>
    );
  });
  return (
    <>
      <h1>
        {addresses.map((address, at) => {
          const token = tokens.get(address);
          return (
            <span key={address}>
              {at > 0 && " / "}
              {token === undefined ? "…" : <TokenLink token={{ ...token, address }} />}
            </span>
          );
        })}
      </h1>
      {gone !== undefined && <Notice kind="warning">{gone}</Notice>}
      <Fields
        fields={[
          ["DEX", pool.dexName],
          ["Family", pool.protocol],
          ["Fee", feeText(pool.fee)],
          ["Price", priceOf(pool)],
          ["Contract", <AddressText key="address" address={pool.poolAddress} />],
          ...(pool.poolId === undefined
            ? []
            : [["Id", <AddressText key="id" address={pool.poolId} />] as const]),
          ["Liquidity", sumText(pool.liquidityUsd)],
          ["Volume 24 h", sumText(pool.volume24h)],
          ["Changed", `in block ${pool.blockNumber}, ${dateText(pool.lastUpdated)}`],
          ...(holdings === undefined ? [] : [["Holds", holdings] as const]),
        ]}
      />
      <h2>Price</h2>
      <CandlePart subject={{ kind: "pool", address: id }} />
      <h2>Trades</h2>
      <Trades pool={id} />
    </>
  );
}

/** Of one token0 in token1, where the service tells it. */
const priceOf = ({ price, symbol0, symbol1 }: typeof Pool.Type): string =>
  `${numberText(price)} ${safeName(symbol1).text} for one ${safeName(symbol0).text}`;

function Trades({ pool }: { readonly pool: string }) {
  const network = useNetwork();
  const { data, failure } = useRequest(
    `${network.id} ${pool}`,
    () =>
      client.http.market.poolTrades({
        params: { address: pool as never },
        query: { chainId: network.chainId, limit: TRADES },
      }),
    REFRESH_MS,
  );
  const trades = data?.data ?? [];
  const tokens = useTokens(
    network.id,
    trades.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]),
  );
  if (failure !== undefined) return <Notice kind="failure">{failure}</Notice>;
  if (data === undefined) return <Notice>Loading…</Notice>;
  if (trades.length === 0) return <Notice>No trades are kept of this pool.</Notice>;
  const amount = (token: string, units: string) => {
    const known = tokens.get(token);
    return (
      <>
        {known === undefined ? "…" : amountText(units, known.decimals)}{" "}
        <TokenSymbol token={known} />
      </>
    );
  };
  return (
    <Table
      caption="Trades, the newest first"
      rows={trades}
      keyOf={({ id }) => id}
      columns={[
        { title: "Time", cell: ({ timestamp }) => timeText(timestamp) },
        {
          title: "In",
          isNumber: true,
          cell: ({ tokenIn, amountIn }) => amount(tokenIn, amountIn),
        },
        {
          title: "Out",
          isNumber: true,
          cell: ({ tokenOut, amountOut }) => amount(tokenOut, amountOut),
        },
        { title: "Side", cell: ({ side }) => side },
        { title: "Price", isNumber: true, cell: ({ price }) => numberText(price) },
        { title: "Value", isNumber: true, cell: ({ valueUsd }) => sumText(valueUsd) },
        {
          title: "Transaction",
          cell: ({ transactionHash }) => <AddressText address={transactionHash} />,
        },
      ]}
    />
  );
}
