import { concat, type Hex, numberToHex, size, toFunctionSelector } from "viem";

/** A contract's method, as EVM code at a jump target. */
export type Method = (at: number) => Hex;

/** Returns these bytes, whatever the call. */
export const returns =
  (data: Hex): Method =>
  (at) => {
    // CODECOPY(0, behind this code, length), RETURN(0, length)
    const length = numberToHex(size(data), { size: 2 }).slice(2);
    const start = numberToHex(at + 16, { size: 2 }).slice(2);
    return concat([`0x5b61${length}61${start}60003961${length}6000f3`, data]);
  };

export const reverts: Method = () => "0x5b60006000fd";

/** An invalid instruction burns all gas of the call. */
export const burnsAllGas: Method = () => "0x5bfe";

/** Returns `byteCount` zero bytes. */
export const returnsZeros =
  (byteCount: number): Method =>
  () =>
    `0x5b63${numberToHex(byteCount, { size: 4 }).slice(2)}6000f3`;

/** Returns a word after a million gas or so. */
export const returnsLate =
  (value: number): Method =>
  (at) => {
    // Counts down from 40,000 to 0: DUP1 … JUMPI back to behind the PUSH.
    const loop = numberToHex(at + 4, { size: 2 }).slice(2);
    const word = numberToHex(value, { size: 1 }).slice(2);
    return `0x5b619c405b600190038061${loop}5760${word}60005260206000f3`;
  };

/** A contract with methods by their signatures, which reverts for all others. */
export function contractCode(methods: Readonly<Record<string, Method>>): Hex {
  const entries = Object.entries(methods);
  // CALLDATALOAD(0) >> 224, then for each method DUP1, compare, JUMPI; then REVERT(0, 0).
  const entrySize = 11;
  let at = 6 + entries.length * entrySize + 5;
  const bodies: Hex[] = [];
  const table = entries.map(([signature, method]): Hex => {
    const body = method(at);
    const start = numberToHex(at, { size: 2 }).slice(2);
    bodies.push(body);
    at += size(body);
    return `0x8063${toFunctionSelector(signature).slice(2)}1461${start}57`;
  });
  return concat(["0x60003560e01c", ...table, "0x60006000fd", ...bodies]);
}
