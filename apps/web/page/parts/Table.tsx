import type { ComponentChildren } from "preact";

/** A column of a table; with a `sort` its heading sorts by that field. */
export interface Column<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly sort?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

/** Rows of data. The heading says by what they are sorted, and in which direction. */
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
  /** As the service takes it: descending with `-` before it. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** It is scrolled by itself, and what comes after it stays near. */
  readonly isLong?: boolean;
}) {
  return (
    // What is too wide is scrolled, by keys too.
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
