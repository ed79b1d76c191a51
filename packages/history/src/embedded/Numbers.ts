import type { Address } from "@millrace/core";
import type { Numbering } from "../blocks/blockBytes.ts";
import { FileError } from "./FileError.ts";
import { type Checked, crcOf, isSound, NO_BYTES, type Statements } from "./Statements.ts";

/** Number of cached entries; makers come and go by the thousand. */
const REMEMBERED_MAX = 50_000;

export interface NumberedPair {
  readonly pool: number;
  readonly token0: number;
  readonly token1: number;
}

/** Numbers of addresses and pairs in a file, from 1, in order of appearance. */
export class Numbers implements Numbering {
  readonly #statements: Statements;
  readonly #numbers = new Map<string, number>();
  readonly #addresses = new Map<number, Address>();
  readonly #pairNumbers = new Map<string, number>();
  readonly #pairs = new Map<number, NumberedPair>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Empties the cache: a transaction that gave numbers was rolled back. */
  clear(): void {
    this.#numbers.clear();
    this.#addresses.clear();
    this.#pairNumbers.clear();
    this.#pairs.clear();
  }

  readonly addressNumber = (address: string): number => {
    const known = this.findAddress(address);
    if (known !== undefined) return known;
    if (!/^0x[0-9a-f]{40}$/i.test(address)) throw new RangeError(`no address: ${address}`);
    const bytes = bytesOf(address);
    const number = this.#next("addresses");
    const sql = "INSERT INTO addresses VALUES (?, ?, ?)";
    this.#statements.run(sql, number, bytes, crcOf(bytes, number));
    return remember(this.#numbers, address, number);
  };

  readonly pairNumber = (pool: string, token0: string, token1: string): number => {
    const known = this.findPair(pool, token0, token1);
    if (known !== undefined) return known;
    const numbers = [pool, token0, token1].map(this.addressNumber);
    const number = this.#next("pairs");
    const checksum = crcOf(NO_BYTES, number, ...numbers);
    const sql = "INSERT INTO pairs VALUES (?, ?, ?, ?, ?)";
    this.#statements.run(sql, number, ...numbers, checksum);
    return remember(this.#pairNumbers, `${pool}${token0}${token1}`, number);
  };

  /** Undefined for an address that never appeared. */
  findAddress(address: string): number | undefined {
    const known = this.#numbers.get(address);
    if (known !== undefined) return known;
    const sql = `SELECT number FROM addresses
      WHERE substr(address, 1, 4) = substr(?1, 1, 4) AND address = ?1`;
    const found = this.#statements.get<{ number: number }>(sql, bytesOf(address));
    return found && remember(this.#numbers, address, found.number);
  }

  findPair(pool: string, token0: string, token1: string): number | undefined {
    const text = `${pool}${token0}${token1}`;
    const known = this.#pairNumbers.get(text);
    if (known !== undefined) return known;
    const numbers = [pool, token0, token1].map((address) => this.findAddress(address));
    if (numbers.includes(undefined)) return undefined;
    const found = this.#statements.get<{ number: number }>(
      "SELECT number FROM pairs WHERE pool = ? AND token0 = ? AND token1 = ?",
      ...(numbers as number[]),
    );
    return found && remember(this.#pairNumbers, text, found.number);
  }

  addressOf(number: number): Address {
    const known = this.#addresses.get(number);
    if (known !== undefined) return known;
    const sql = "SELECT address AS bytes, checksum FROM addresses WHERE number = ?";
    const found = this.#statements.get<Checked>(sql, number);
    if (found === undefined || !isSound(found, number)) throw damaged(`address ${number}`);
    return remember(this.#addresses, number, hexOf(found.bytes));
  }

  pairOf(number: number): NumberedPair {
    const known = this.#pairs.get(number);
    if (known !== undefined) return known;
    const sql = "SELECT pool, token0, token1, checksum FROM pairs WHERE number = ?";
    const found = this.#statements.get<NumberedPair & { checksum: number }>(sql, number);
    if (found === undefined || !isSoundPair(found, number)) throw damaged(`pair ${number}`);
    return remember(this.#pairs, number, found);
  }

  /** Describes damaged addresses and pairs. */
  check(): ReadonlyArray<string> {
    const findings: string[] = [];
    type Numbered = { number: number; checksum: number };
    const addresses = "SELECT number, address AS bytes, checksum FROM addresses";
    for (const row of this.#statements.each<Numbered & Checked>(addresses)) {
      if (!isSound(row, row.number)) findings.push(`address ${row.number} is damaged`);
    }
    for (const row of this.#statements.each<Numbered & NumberedPair>("SELECT * FROM pairs")) {
      if (!isSoundPair(row, row.number)) findings.push(`pair ${row.number} is damaged`);
    }
    return findings;
  }

  #next(table: "addresses" | "pairs"): number {
    const sql = `SELECT coalesce(max(number), 0) + 1 AS next FROM ${table}`;
    return this.#statements.get<{ next: number }>(sql)!.next;
  }
}

const isSoundPair = (
  { pool, token0, token1, checksum }: NumberedPair & { readonly checksum: number },
  number: number,
): boolean => crcOf(NO_BYTES, number, pool, token0, token1) === checksum;

const damaged = (what: string): FileError => new FileError("Damaged", what);

function remember<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): Value {
  if (known.size >= REMEMBERED_MAX) known.clear();
  known.set(key, value);
  return value;
}

/** Bytes of hex digits after `0x`. */
export function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), "hex");
}

export function hexOf(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`;
}
