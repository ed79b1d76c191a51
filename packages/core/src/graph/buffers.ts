/**
 * Growing typed arrays. All sit on shared memory, so that worker threads can search the one graph.
 * Growth is by half: amortised constant, and at most a third of the bytes unused.
 */

interface NumericArrayConstructor<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: SharedArrayBuffer): A;
}

interface Settable<A> {
  readonly length: number;
  set(source: A): void;
}

/** A market begins with dozens of empty arrays, and shared memory is expensive. */
const EMPTY = new SharedArrayBuffer(0);

/** A zeroed array of `length` elements. */
export function allocate<A>(kind: NumericArrayConstructor<A>, length: number): A {
  return new kind(length === 0 ? EMPTY : new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT));
}

/** The array itself when it holds `length` elements, else a larger copy. */
export function grown<A extends Settable<A>>(
  kind: NumericArrayConstructor<A>,
  array: A,
  length: number,
): A {
  if (array.length >= length) return array;
  const larger = allocate(kind, Math.max(length, Math.ceil(array.length * 1.5), 16));
  larger.set(array);
  return larger;
}

/** Copies a row of a table to the place of another. */
export function moveRow(
  values: Uint32Array | Float64Array,
  from: number,
  to: number,
  stride: number,
): void {
  values.copyWithin(to * stride, from * stride, (from + 1) * stride);
}
