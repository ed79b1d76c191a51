import type { TradeJson } from "@millrace/api";
import { isProblem } from "@millrace/client";
import { useState } from "preact/hooks";
import { numberText, sumText, timeText } from "../format.ts";
import { useNetwork } from "../networks.ts";
import { client, useUpdates } from "../service.ts";
import { useTokens } from "../tokens.ts";
import type { Traded } from "./CandlePart.tsx";
import { Notice } from "./Notice.tsx";
import { Table } from "./Table.tsx";
import { TokenAmount } from "./TokenAmount.tsx";
import { AddressText } from "./TokenName.tsx";

type Trade = typeof TradeJson.Type;

const ROWS = 50;

/** Trades of a token or a pool as they happen, the newest first. */
export function TradeTable({ subject: { kind, address } }: { readonly subject: Traded }) {
  const network = useNetwork();
  const [trades, setTrades] = useState<ReadonlyArray<Trade>>();
  const failure = useUpdates(
    `${network.id} ${kind} ${address}`,
    () => client.trades(network.id, kind === "token" ? { token: address } : { pool: address }),
    (news, { reorg }) => {
      if (isProblem(news)) return setTrades([]);
      // After a reorganisation, and after a lost connection, they are all there are.
      setTrades((old = []) => (reorg === false ? [...news, ...old].slice(0, ROWS) : news));
    },
  );
  const tokens = useTokens(
    network.id,
    (trades ?? []).flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]),
  );
  if (failure !== undefined) return <Notice kind="failure">{failure}</Notice>;
  if (trades === undefined) return <Notice>Loading…</Notice>;
  if (trades.length === 0) return <Notice>No trades are kept of it.</Notice>;
  return (
    <Table
      caption="Trades, the newest first"
      rows={trades}
      keyOf={({ id }) => id}
      columns={[
        { title: "Time", cell: ({ timestamp }) => timeText(timestamp) },
        { title: "Side", cell: ({ side }) => side },
        {
          title: "In",
          isNumber: true,
          cell: ({ tokenIn, amountIn }) => (
            <TokenAmount token={tokens.get(tokenIn)} units={amountIn} />
          ),
        },
        {
          title: "Out",
          isNumber: true,
          cell: ({ tokenOut, amountOut }) => (
            <TokenAmount token={tokens.get(tokenOut)} units={amountOut} />
          ),
        },
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
