import { type Faults, shown } from "./Faults.ts";

/** The integer, or 0n with a fault if it is too wide. */
export function bounded(text: string, bits: number, path: string, faults: Faults): bigint {
  const value = BigInt(text);
  const magnitude = value < 0n ? -value : value;
  if (magnitude >> BigInt(bits) === 0n) return value;
  faults.add(path, `expected less than 2^${bits}, is ${shown(text)}`);
  return 0n;
}
