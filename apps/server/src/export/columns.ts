import type { HistoryCandle, HistoryTrade } from "@millrace/history";

/** A column of an exported file. Unknown values are undefined. */
export interface ExportColumn<Row> {
  readonly name: string;
  readonly kind: "text" | "integer" | "double" | "time" | "dollars";
  readonly isOptional?: boolean;
  /** A time is in Unix ms, dollars in whole ten-thousandths. */
  readonly of: (row: Row) => string | number | undefined;
}

/** Published: see docs/history.md. */
export const TRADE_COLUMNS: ReadonlyArray<ExportColumn<HistoryTrade>> = [
  { name: "time", kind: "time", of: ({ stamp }) => stamp.timestampMs },
  { name: "block_number", kind: "integer", of: ({ stamp }) => stamp.number },
  { name: "block_hash", kind: "text", of: ({ stamp }) => stamp.hash },
  { name: "transaction_hash", kind: "text", of: ({ transactionHash }) => transactionHash },
  { name: "log_index", kind: "integer", of: ({ logIndex }) => logIndex },
  { name: "pool", kind: "text", of: ({ pool }) => pool },
  { name: "token_in", kind: "text", of: ({ tokenIn }) => tokenIn },
  { name: "token_out", kind: "text", of: ({ tokenOut }) => tokenOut },
  { name: "amount_in", kind: "text", of: ({ amountIn }) => String(amountIn) },
  { name: "amount_out", kind: "text", of: ({ amountOut }) => String(amountOut) },
  {
    ...{ name: "price_after", kind: "double", isOptional: true },
    of: ({ priceAfter }) => priceAfter || undefined,
  },
  { name: "value_usd", kind: "dollars", isOptional: true, of: ({ value }) => value || undefined },
  { name: "maker", kind: "text", isOptional: true, of: ({ maker }) => maker },
];

/** The subject of candles: its columns are the same in each row. */
export interface CandleSubject {
  readonly token?: string;
  readonly pool?: string;
  readonly token0?: string;
  readonly token1?: string;
}

export const exportedCandle = (
  subject: CandleSubject,
): ReadonlyArray<ExportColumn<HistoryCandle>> => [
  { name: "time", kind: "time", of: ({ startMs }) => startMs },
  ...Object.entries(subject).map(
    ([name, value]): ExportColumn<HistoryCandle> => ({
      ...{ name, kind: "text", of: () => value },
    }),
  ),
  { name: "open", kind: "double", of: ({ open }) => open },
  { name: "high", kind: "double", of: ({ high }) => high },
  { name: "low", kind: "double", of: ({ low }) => low },
  { name: "close", kind: "double", of: ({ close }) => close },
  { name: "volume_usd", kind: "double", of: ({ volumeUsd }) => volumeUsd },
];
