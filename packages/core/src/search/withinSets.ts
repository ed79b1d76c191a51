import type { QuoteRequest } from "./quote.ts";

/** One request for each set of DEXes; the request itself where it has none. */
export function withinSets(request: QuoteRequest): ReadonlyArray<QuoteRequest> {
  const { dexSets, ...filter } = request.filter ?? {};
  if (dexSets === undefined) return [request];
  return dexSets.map((set) => {
    const onlyDexes = filter.onlyDexes?.filter((dex) => set.includes(dex)) ?? set;
    return { ...request, filter: { ...filter, onlyDexes } };
  });
}
