import type { FileHandle } from "node:fs/promises";
import type { SchemaElement } from "hyparquet";
import type { ExportColumn } from "./columns.ts";

/** Writes rows in parts; holds no more than one part. */
export interface RowFile<Row> {
  readonly write: (rows: ReadonlyArray<Row>) => Promise<void>;
  readonly end: () => Promise<void>;
}

// `FileHandle.write` may write a part of what it is given; `appendFile` goes on until all is there.

/** RFC 4180, with a header line; unknown values are empty. */
export async function csvFile<Row>(
  file: FileHandle,
  columns: ReadonlyArray<ExportColumn<Row>>,
): Promise<RowFile<Row>> {
  const line = (fields: ReadonlyArray<string>) => `${fields.map(quoted).join(",")}\r\n`;
  await file.appendFile(line(columns.map(({ name }) => name)));
  return {
    write: async (rows) => {
      const text = rows.map((row) => line(columns.map((column) => csvField(column, row))));
      await file.appendFile(text.join(""));
    },
    end: async () => {},
  };
}

function csvField<Row>({ kind, of }: ExportColumn<Row>, row: Row): string {
  const value = of(row);
  if (value === undefined) return "";
  if (kind === "time") return new Date(value).toISOString();
  return kind === "dollars" ? dollars(Number(value)) : String(value);
}

/**
 * Quotes a field where the format needs it; marks what a spreadsheet takes for a formula as text.
 */
function quoted(field: string): string {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Dollars from ten-thousandths, exactly. */
const dollars = (value: number): string =>
  `${Math.floor(value / 1e4)}.${String(value % 1e4).padStart(4, "0")}`;

/** Rows of a row group. */
const GROUP_ROWS = 50_000;

/** Apache Parquet, compressed by Snappy; times are UTC. */
export async function parquetFile<Row>(
  file: FileHandle,
  columns: ReadonlyArray<ExportColumn<Row>>,
): Promise<RowFile<Row>> {
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const bytes = new ByteWriter();
  const root: SchemaElement = { name: "root", num_children: columns.length };
  const schema = [root, ...columns.map(parquetColumn)];
  const parquet = new ParquetWriter({ writer: bytes, schema, createdBy: "millrace" });
  const flush = async () => {
    await file.appendFile(bytes.getBytes());
    bytes.index = 0;
  };
  let waiting: Row[] = [];
  const writeGroup = async () => {
    const columnData = columns.map((column) => ({
      name: column.name,
      data: waiting.map((row) => parquetValue(column, row)),
    }));
    await parquet.write({ columnData, rowGroupSize: GROUP_ROWS });
    waiting = [];
    await flush();
  };
  return {
    write: async (rows) => {
      for (const row of rows) {
        waiting.push(row);
        if (waiting.length === GROUP_ROWS) await writeGroup();
      }
    },
    end: async () => {
      if (waiting.length > 0) await writeGroup();
      await parquet.finish();
      await flush();
    },
  };
}

const PARQUET: Readonly<Record<ExportColumn<never>["kind"], Omit<SchemaElement, "name">>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  integer: { type: "INT64" },
  double: { type: "DOUBLE" },
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
  dollars: { type: "INT64", converted_type: "DECIMAL", precision: 18, scale: 4 },
};

function parquetColumn<Row>({ name, kind, isOptional }: ExportColumn<Row>): SchemaElement {
  return { name, repetition_type: isOptional ? "OPTIONAL" : "REQUIRED", ...PARQUET[kind] };
}

function parquetValue<Row>({ kind, of }: ExportColumn<Row>, row: Row) {
  const value = of(row);
  if (value === undefined) return null;
  if (kind === "time") return new Date(value);
  return kind === "integer" || kind === "dollars" ? BigInt(value) : value;
}
