import type { Pool } from "@millrace/api";
import { isProblem } from "@millrace/client";
import { useState } from "preact/hooks";
import type { ViewProps } from "../App.tsx";
import { dateText, feeText, numberText, sumText } from "../format.ts";
import { useNetwork } from "../networks.ts";
import { CandlePart } from "../parts/CandlePart.tsx";
import { Fields } from "../parts/Fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { TokenAmount } from "../parts/TokenAmount.tsx";
import { AddressText, TokenLink } from "../parts/TokenName.tsx";
import { TradeTable } from "../parts/TradeTable.tsx";
import { safeName } from "../safeName.ts";
import { client, useUpdates } from "../service.ts";
import { useTokens } from "../tokens.ts";

/** One pool as it changes: holdings, candles, trades. */
export function PoolDetails({ place }: ViewProps) {
  const id = place.subject;
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
  const holdings = pool.reserves?.map((units, at) => (
    <div key={addresses[at]}>
      <TokenAmount token={tokens.get(addresses[at]!)} units={units} />
    </div>
  ));
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
      <CandlePart subject={{ kind: "pool", address: id }} place={place} />
      <h2>Trades</h2>
      <TradeTable key={id} subject={{ kind: "pool", address: id }} />
    </>
  );
}

/** The price of one token0 in token1. */
const priceOf = ({ price, symbol0, symbol1 }: typeof Pool.Type): string =>
  `${numberText(price)} ${safeName(symbol1).text} for one ${safeName(symbol0).text}`;
