import type { Address } from "@millrace/core";
import { fieldsOf, readAddress } from "./jsonFields.ts";
import { Problems } from "./Problems.ts";

const ENTRIES_MAX = 200_000;

/** What a supply file says about one chain's tokens. */
export interface SupplyFile {
  /** Circulating supplies in whole tokens; finite, ≥ 0. */
  readonly circulating: ReadonlyMap<Address, number>;
  /** Why entries, or the whole file, were left out: the first reasons, then how many more. */
  readonly problems: ReadonlyArray<string>;
}

/**
 * Reads a supply file: `{"tokens": {"0x…": {"circulatingSupply": 1234.5}, …}}`, in whole tokens;
 * other fields are ignored. The total supply is read from the chain: see `Supplies`. Never throws.
 */
export function parseSupplies(json: unknown): SupplyFile {
  const circulating = new Map<Address, number>();
  const problems = new Problems();
  const entries = fieldsOf(fieldsOf(json)?.["tokens"]);
  if (entries === undefined) {
    problems.add("no supply file: there is no object `tokens`");
    return { circulating, problems: problems.list() };
  }
  const names = Object.keys(entries);
  if (names.length > ENTRIES_MAX) {
    problems.add(`only the first ${ENTRIES_MAX} of ${names.length} entries are read`);
  }
  for (const [position, name] of names.slice(0, ENTRIES_MAX).entries()) {
    const address = readAddress(name);
    const supply = fieldsOf(entries[name])?.["circulatingSupply"];
    if (address === undefined) problems.add(`entry ${position}: its key is no address`);
    else if (typeof supply !== "number" || !(supply >= 0 && supply < Number.POSITIVE_INFINITY)) {
      problems.add(`entry ${position}: ${address} has no circulatingSupply that is a number ≥ 0`);
    } else if (circulating.has(address)) {
      problems.add(`entry ${position}: ${address} stands before, in other letters`);
    } else circulating.set(address, supply);
  }
  return { circulating, problems: problems.list() };
}
