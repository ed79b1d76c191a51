/**
 * Removes from a JSON Schema the generator's alternative that numbers may be the texts `Infinity`
 * and `NaN`. They never are.
 */
export const withPlainNumbers = <A>(document: A): A =>
  JSON.parse(JSON.stringify(document), (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("anyOf" in value)) return value;
    const { anyOf, ...rest } = value as { readonly anyOf: ReadonlyArray<Alternative> };
    const numbers = anyOf.filter((alternative) => !alternative.enum?.includes("NaN"));
    return numbers.length === 1 ? { ...numbers[0], ...rest } : { ...rest, anyOf: numbers };
  });

interface Alternative {
  readonly enum?: ReadonlyArray<unknown>;
}
