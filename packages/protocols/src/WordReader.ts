import type { Address } from "@millrace/core";
import { Mismatch } from "./Mismatch.ts";

const DIGITS_PER_WORD = 64;
const ADDRESS_PADDING = "0".repeat(24);
const NUMBER_PADDING = "0".repeat(52);
const BYTES_PER_WORD = 32;

/**
 * Reads ABI words one after the other from lower-case hex text. Strict: padding is zeros, an offset
 * points where the canonical encoding has it, nothing may follow the end.
 */
export class WordReader {
  readonly #hex: string;
  #at: number;
  readonly #end: number;

  /** The words of `hex` between two places, in digits. */
  constructor(hex: string, at: number, end: number) {
    this.#hex = hex;
    this.#at = at;
    this.#end = end;
  }

  uint(): bigint {
    return BigInt(`0x${this.#word()}`);
  }

  /** A number below 2^48. */
  number(field: string): number {
    const word = this.#word();
    if (!word.startsWith(NUMBER_PADDING)) throw new Mismatch(`${field}: too large: 0x${word}`);
    return Number.parseInt(word.slice(NUMBER_PADDING.length), 16);
  }

  address(field: string): Address {
    const word = this.#word();
    if (!word.startsWith(ADDRESS_PADDING)) throw new Mismatch(`${field}: no address: 0x${word}`);
    return `0x${word.slice(ADDRESS_PADDING.length)}`;
  }

  boolean(field: string): boolean {
    const number = this.number(field);
    if (number > 1) throw new Mismatch(`${field}: neither true nor false: ${number}`);
    return number === 1;
  }

  /** An offset, which has only one right value. */
  offset(bytes: number): void {
    const found = this.number("an offset");
    if (found !== bytes) throw new Mismatch(`an offset: ${found}, canonical is ${bytes}`);
  }

  /** Length and digits of a byte string, without the padding, which is zeros. */
  bytes(field: string): string {
    const digits = this.number(field) * 2;
    const at = this.#at;
    const padded = Math.ceil(digits / DIGITS_PER_WORD) * DIGITS_PER_WORD;
    this.#advance(padded);
    const padding = this.#hex.slice(at + digits, at + padded);
    if (padding !== "0".repeat(padding.length)) throw new Mismatch(`${field}: padded with data`);
    return this.#hex.slice(at, at + digits);
  }

  /** A reader of the next bytes, which this one passes over; whole words. */
  part(field: string): WordReader {
    const bytes = this.number(field);
    if (bytes % BYTES_PER_WORD !== 0)
      throw new Mismatch(`${field}: ${bytes} bytes, no whole words`);
    const at = this.#at;
    this.#advance(bytes * 2);
    return new WordReader(this.#hex, at, this.#at);
  }

  /** What is left, in bytes. */
  get bytesLeft(): number {
    return (this.#end - this.#at) / 2;
  }

  end(): void {
    if (this.#at !== this.#end)
      throw new Mismatch(`${this.bytesLeft} bytes more than the call needs`);
  }

  #word(): string {
    const at = this.#at;
    this.#advance(DIGITS_PER_WORD);
    return this.#hex.slice(at, this.#at);
  }

  #advance(digits: number): void {
    this.#at += digits;
    if (this.#at > this.#end) throw new Mismatch("the calldata ends too early");
  }
}
