interface NumericArray<A> {
  readonly length: number;
  readonly constructor: unknown;
  set(source: A): void;
}

/** The array itself if it holds `length` elements, else a larger copy, zero at its end. */
export function enlarged<A extends NumericArray<A>>(array: A, length: number): A {
  if (array.length >= length) return array;
  const kind = array.constructor as new (length: number) => A;
  const larger = new kind(Math.max(length, Math.ceil(array.length * 1.5), 16));
  larger.set(array);
  return larger;
}
