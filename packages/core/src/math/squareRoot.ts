/** ⌊√value⌋ of a non-negative integer. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  // Halving the bits keeps the guess at or above the root, from where Newton's steps only fall.
  let root = 1n << BigInt((value.toString(16).length * 4 + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
