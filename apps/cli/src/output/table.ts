import { CliOutput } from "effect/cli";

const GAP = "  ";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Aligned right, for numbers. */
  readonly isRight?: boolean;
  /** Dropped where the terminal is too narrow, the last optional column first. */
  readonly isOptional?: boolean;
}

/** Rows below titles, in lines of at most `width` columns of a terminal. */
export function tableLines<Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  width: number,
): string[] {
  const shown = columns.map((column) => {
    const cells = [column.title, ...rows.map(column.cell)];
    return { ...column, cells, width: Math.max(...cells.map(CliOutput.displayWidth)) };
  });
  const excess = () =>
    shown.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length) - width;
  while (excess() > 0) {
    const last = shown.findLastIndex(({ isOptional }) => isOptional);
    if (last < 0) break;
    shown.splice(last, 1);
  }
  while (excess() > 0) {
    const widest = shown.reduce((one, other) => (other.width > one.width ? other : one));
    if (widest.width <= 1) break;
    widest.width--;
  }
  return Array.from({ length: rows.length + 1 }, (_, line) =>
    shown
      .map((column) => aligned(clipped(column.cells[line]!, column.width), column))
      .join(GAP)
      .trimEnd(),
  );
}

function aligned(text: string, { width, isRight }: { width: number; isRight?: boolean }): string {
  const space = " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)));
  return isRight ? space + text : text + space;
}

/**
 * Clips the middle of hex text, since people compare both ends of an address, and the end of other
 * text.
 */
export function clipped(text: string, width: number): string {
  if (CliOutput.displayWidth(text) <= width) return text;
  const isHex = /^0x[0-9a-fA-F]{8,}$/.test(text);
  if (isHex) {
    const tail = Math.floor((width - 1) / 2);
    return `${text.slice(0, width - 1 - tail)}…${text.slice(text.length - tail)}`;
  }
  let kept = "";
  let room = width - 1;
  for (const { segment } of GRAPHEMES.segment(text)) {
    room -= CliOutput.displayWidth(segment);
    if (room < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });
