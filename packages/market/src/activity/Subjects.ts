import {
  ADDRESS_BYTES,
  type Address,
  AddressIndex,
  formatAddress,
  parseAddress,
} from "@millrace/core";
import type { ByteReader } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import { enlarged } from "../enlarged.ts";
import { PairSeries } from "./PairSeries.ts";

/**
 * Pools, tokens and pairs of pools that ever traded, with numbers of their own. The numbers stay
 * when a pool leaves the graph, and a swap may be of a pool that never was in it.
 */
export class Subjects {
  readonly pools = new NumberedAddresses();
  readonly tokens = new NumberedAddresses();
  readonly series = new PairSeries();

  get byteLength(): number {
    return this.pools.byteLength + this.tokens.byteLength + this.series.byteLength;
  }

  write(writer: ByteWriter): void {
    this.pools.write(writer);
    this.tokens.write(writer);
    this.series.write(writer);
  }

  static read(reader: ByteReader): Subjects {
    const subjects = new Subjects();
    subjects.pools.read(reader);
    subjects.tokens.read(reader);
    subjects.series.read(reader, subjects.pools.count, subjects.tokens.count);
    return subjects;
  }
}

/** Addresses, numbered from 0 in order of appearance. */
class NumberedAddresses {
  count = 0;
  #bytes = new Uint8Array(0); // stride: ADDRESS_BYTES
  readonly #index = new AddressIndex();

  get byteLength(): number {
    return this.#bytes.byteLength + this.#index.byteLength;
  }

  /**
   * The number of an address of any case, a new one if need be; undefined for a text that is not an
   * address.
   */
  numberOf(address: string): number | undefined {
    this.#bytes = enlarged(this.#bytes, (this.count + 1) * ADDRESS_BYTES);
    // There is room for one more after the last address.
    const end = this.count * ADDRESS_BYTES;
    if (!parseAddress(address, this.#bytes, end)) return undefined;
    const known = this.#index.find(this.#bytes, this.#bytes, end);
    if (known >= 0) return known;
    this.#index.add(this.#bytes, this.count);
    return this.count++;
  }

  /** The number of the address at `offset` of `bytes`, or -1. */
  find(bytes: Uint8Array, offset: number): number {
    return this.count === 0 ? -1 : this.#index.find(this.#bytes, bytes, offset);
  }

  addressOf(number: number): Address {
    return formatAddress(this.#bytes, number * ADDRESS_BYTES);
  }

  /** True when the first has the lower address: in a pair, it is token0. */
  isBefore(number: number, other: number): boolean {
    const bytes = this.#bytes;
    for (let at = 0; at < ADDRESS_BYTES; at++) {
      const difference = bytes[number * ADDRESS_BYTES + at]! - bytes[other * ADDRESS_BYTES + at]!;
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  write(writer: ByteWriter): void {
    writer.array(this.#bytes.subarray(0, this.count * ADDRESS_BYTES));
  }

  /** Into an empty one. */
  read(reader: ByteReader): void {
    const bytes = reader.array(Uint8Array);
    reader.check(bytes.length % ADDRESS_BYTES === 0, "whole addresses");
    this.#bytes = bytes;
    const count = bytes.length / ADDRESS_BYTES;
    for (; this.count < count; this.count++) {
      const isNew = this.#index.find(bytes, bytes, this.count * ADDRESS_BYTES) < 0;
      reader.check(isNew, "each address once");
      this.#index.add(bytes, this.count);
    }
  }
}
