import type { FollowedState } from "@millrace/protocols";

/** True when two states are the same, word for word. */
export function isSameState(left: FollowedState, right: FollowedState): boolean {
  return (
    isSame(left.words, right.words) &&
    isSame(left.book?.keys, right.book?.keys) &&
    isSame(left.book?.words, right.book?.words) &&
    isSame(left.ledger, right.ledger) &&
    isSame(left.notes, right.notes)
  );
}

function isSame<A extends ArrayLike<number | bigint>>(
  left: A | undefined,
  right: A | undefined,
): boolean {
  if (left === undefined || right === undefined) return left === right;
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (left[index] !== right[index]) return false;
  }
  return true;
}
