/**
 * An arrow from one thing to the next. It is drawn, since not every font has one; as text it is a
 * character.
 */
export function Arrow() {
  return (
    <span class="arrow">
      <span class="unseen">→</span>
      <svg viewBox="0 0 16 10" aria-hidden="true">
        <path d="M1 5H14M10 1l4 4-4 4" />
      </svg>
    </span>
  );
}
