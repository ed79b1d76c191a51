interface Numbers {
  readonly length: number;
  set(source: this, at?: number): void;
  subarray(start: number, end: number): this;
}

/** The elements at some indexes, `stride` elements each. */
export function gather<A extends Numbers>(
  kind: new (length: number) => A,
  source: A,
  indexes: ReadonlyArray<number>,
  stride: number,
): A {
  const result = new kind(indexes.length * stride);
  indexes.forEach((index, place) => {
    result.set(source.subarray(index * stride, (index + 1) * stride), place * stride);
  });
  return result;
}

/** One array of all parts. */
export function concatenate<A extends Numbers>(
  kind: new (length: number) => A,
  parts: ReadonlyArray<A>,
): A {
  const result = new kind(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}
