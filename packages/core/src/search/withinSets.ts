import type { QuoteRequest } from "./quote.ts";

/** A request as one for each of its sets of DEXes; itself where it has none. */
export function withinSets(request: QuoteRequest): ReadonlyArray<QuoteRequest> {
  const { dexSets, ...filter } = request.filter ?? {};
  if (dexSets === undefined) return [request];
  return dexSets.map((set) => {
    const onlyDexes = filter.onlyDexes?.filter((dex) => set.includes(dex)) ?? set;
    return { ...request, filter: { ...filter, onlyDexes } };
  });
}
