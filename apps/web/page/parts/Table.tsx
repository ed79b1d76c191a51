import type { ComponentChildren } from "preact";

/** A column of a table; with a `sort` its heading sorts by that field. */
export interface Column<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly sort?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

/** Rows of data. The headings show the sort field and its direction. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  sort,
  onSort,
  isLong = false,
}: {
  readonly caption: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly rows: ReadonlyArray<Row>;
  readonly keyOf: (row: Row) => string;
  /** In the service's form: `-` before the field sorts descending. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** Scrolls by itself, so that the parts below it stay near. */
  readonly isLong?: boolean;
}) {
  return (
    // A table that is too wide scrolls, with keys too.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable
    <section class={isLong ? "scroll long" : "scroll"} aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading
                key={column.title}
                column={column}
                {...(sort !== undefined && { sort })}
                {...(onSort !== undefined && { onSort })}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, isNumber, cell }) => (
                <td key={title} class={isNumber ? "number" : ""}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Heading<Row>({
  column: { title, isNumber, sort: field },
  sort,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
}) {
  const kind = isNumber ? "number" : "";
  if (field === undefined || onSort === undefined) {
    return (
      <th scope="col" class={kind}>
        {title}
      </th>
    );
  }
  const direction = sort === field ? "ascending" : sort === `-${field}` ? "descending" : "none";
  return (
    <th scope="col" class={kind} aria-sort={direction}>
      <button
        type="button"
        onClick={() => onSort(direction === "descending" ? field : `-${field}`)}
      >
        {title}
        {direction !== "none" && <span class={`mark ${direction}`} />}
      </button>
    </th>
  );
}
