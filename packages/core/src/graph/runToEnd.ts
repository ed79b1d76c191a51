/** What a generator gives in the end, worked out at once. */
export function runToEnd<A>(work: Generator<void, A>): A {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
