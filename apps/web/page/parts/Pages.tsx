/** A page of a list, and the number of pages. */
export interface Pagination {
  readonly page: number;
  readonly totalPages: number;
  readonly total: number;
  readonly hasNext: boolean;
  readonly hasPrev: boolean;
}

/** Buttons for the pages of a list, and its total. */
export function Pages({
  pagination: { page, totalPages, total, hasNext, hasPrev },
  onPage,
}: {
  readonly pagination: Pagination;
  readonly onPage: (page: number) => void;
}) {
  return (
    <nav class="pages" aria-label="Pages">
      <button type="button" disabled={!hasPrev} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <span>
        Page {page} of {Math.max(1, totalPages)}, {total} in all
      </span>
      <button type="button" disabled={!hasNext} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </nav>
  );
}
