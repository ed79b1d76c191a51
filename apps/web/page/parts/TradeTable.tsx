import type { TradeJson } from "@millrace/api";
import { isProblem } from "@millrace/client";
import { Effect } from "effect";
import { useState } from "preact/hooks";
import { numberText, sumText, timeText } from "../format.ts";
import { useNetwork } from "../networks.ts";
import { client, failureText, useUpdates } from "../service.ts";
import { useTokens } from "../tokens.ts";
import type { Traded } from "./CandlePart.tsx";
import { Notice } from "./Notice.tsx";
import { Table } from "./Table.tsx";
import { TokenAmount } from "./TokenAmount.tsx";
import { AddressText } from "./TokenName.tsx";

type Trade = typeof TradeJson.Type;

const ROWS = 50;

/** Trades of a token or a pool as they happen, the newest first; older ones when asked for. */
export function TradeTable({ subject: { kind, address } }: { readonly subject: Traded }) {
  const network = useNetwork();
  const [trades, setTrades] = useState<ReadonlyArray<Trade>>();
  const [older, setOlder] = useState<Older>({ state: "more", rows: 0 });
  const failure = useUpdates(
    `${network.id} ${kind} ${address}`,
    () => client.trades(network.id, kind === "token" ? { token: address } : { pool: address }),
    (news, { reorg }) => {
      if (isProblem(news)) return setTrades([]);
      // After a reorganisation or a lost connection, `news` holds all the newest trades.
      setTrades((old = []) =>
        reorg === false ? [...news, ...old].slice(0, ROWS + older.rows) : news,
      );
    },
  );
  const askOlder = (last: Trade) => {
    const { market } = client.http;
    const asked = {
      params: { address: address as never },
      query: { chainId: network.chainId, limit: ROWS, before: last.id },
    };
    // Trades that arrive in the meantime must not push the last one out.
    setOlder(({ rows }) => ({ state: "asked", rows: rows + ROWS }));
    Effect.runPromise(kind === "token" ? market.tokenTrades(asked) : market.poolTrades(asked)).then(
      ({ data }) => {
        // After a reorganisation another trade may be the last.
        setTrades((old = []) => (old.at(-1)?.id === last.id ? [...old, ...data] : old));
        setOlder(({ rows }) => ({ state: data.length < ROWS ? "none" : "more", rows }));
      },
      (cause) => {
        const failure = failureText(cause);
        setOlder(({ rows }) => ({ state: "more", rows: rows - ROWS, failure }));
      },
    );
  };
  const tokens = useTokens(
    network.id,
    (trades ?? []).flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]),
  );
  if (failure !== undefined) return <Notice kind="failure">{failure}</Notice>;
  if (trades === undefined) return <Notice>Loading…</Notice>;
  if (trades.length === 0) return <Notice>No trades are kept of it.</Notice>;
  return (
    <>
      <Table
        caption="Trades, the newest first"
        isLong
        rows={trades}
        keyOf={({ id }) => id}
        columns={[
          { title: "Time", cell: ({ timestamp }) => timeText(timestamp) },
          {
            title: "Side",
            cell: ({ side }) => <span class={side === "buy" ? "up" : "down"}>{side}</span>,
          },
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
      {older.failure !== undefined && <Notice kind="failure">{older.failure}</Notice>}
      {older.state !== "none" && trades.length >= ROWS && (
        <button
          type="button"
          disabled={older.state === "asked"}
          onClick={() => askOlder(trades.at(-1)!)}
        >
          Older trades
        </button>
      )}
    </>
  );
}

/** The state of older trades, which are shown on request. */
interface Older {
  readonly state: "more" | "asked" | "none";
  readonly rows: number;
  readonly failure?: string;
}
