import { ADDRESS_BYTES } from "./address.ts";
import { allocate } from "./buffers.ts";

const EMPTY = 0;

/** What another thread needs to find addresses in an index. */
export interface SharedAddressIndex {
  readonly table: Uint32Array;
  readonly seed: number;
}

/**
 * Maps addresses to dense indexes: an open-addressing table over the bytes that the graph holds
 * anyway. It stores only `index + 1`, and is at most two thirds full, so a probe sequence ends.
 */
export class AddressIndex {
  // Index: hash slot. Value: dense index + 1, or EMPTY. Length: a power of two.
  #table: Uint32Array = allocate(Uint32Array, 16);
  #count = 0;
  #seed = SEED;

  /** The table is replaced when addresses outgrow it. */
  get shared(): SharedAddressIndex {
    return { table: this.#table, seed: this.#seed };
  }

  /** Uses the table of another thread from now on; nothing may be added here. */
  share({ table, seed }: SharedAddressIndex): void {
    this.#table = table;
    this.#seed = seed;
  }

  get byteLength(): number {
    return this.#table.byteLength;
  }

  /** The index of the address at `offset` of `bytes` among `addresses`, or -1. */
  find(addresses: Uint8Array, bytes: Uint8Array, offset = 0): number {
    const mask = this.#table.length - 1;
    const first = hash(bytes, offset, this.#seed);
    // Bounded, because another thread may write meanwhile.
    for (let step = 0; step <= mask; step++) {
      const entry = this.#table[(first + step) & mask]!;
      if (entry === EMPTY) return -1;
      if (sameAddress(addresses, (entry - 1) * ADDRESS_BYTES, bytes, offset)) return entry - 1;
    }
    return -1;
  }

  /** Adds the address at `index` of `addresses`; the caller ensures that it is new. */
  add(addresses: Uint8Array, index: number): void {
    if (3 * (this.#count + 1) > 2 * this.#table.length) this.#rebuild(addresses);
    this.#insert(addresses, index);
    this.#count++;
  }

  /** Removes the address at `index`, and closes the gap in its probe sequence. */
  remove(addresses: Uint8Array, index: number): void {
    const mask = this.#table.length - 1;
    let hole = hash(addresses, index * ADDRESS_BYTES, this.#seed) & mask;
    while (this.#table[hole] !== index + 1) hole = (hole + 1) & mask;
    // Backward-shift deletion (Knuth, TAOCP 6.4, algorithm R): no tombstones, no slow decay.
    for (let slot = (hole + 1) & mask; this.#table[slot] !== EMPTY; slot = (slot + 1) & mask) {
      const home = hash(addresses, (this.#table[slot]! - 1) * ADDRESS_BYTES, this.#seed) & mask;
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        this.#table[hole] = this.#table[slot]!;
        hole = slot;
      }
    }
    this.#table[hole] = EMPTY;
    this.#count--;
  }

  #insert(addresses: Uint8Array, index: number): void {
    const mask = this.#table.length - 1;
    let slot = hash(addresses, index * ADDRESS_BYTES, this.#seed) & mask;
    while (this.#table[slot] !== EMPTY) slot = (slot + 1) & mask;
    this.#table[slot] = index + 1;
  }

  #rebuild(addresses: Uint8Array): void {
    const old = this.#table;
    this.#table = allocate(Uint32Array, 2 * old.length);
    for (const entry of old) if (entry !== EMPTY) this.#insert(addresses, entry - 1);
  }
}

/**
 * Mixes all 20 bytes. Addresses can be mined, so an attacker could make thousands collide if the
 * seed were not secret.
 */
function hash(bytes: Uint8Array, offset: number, seed: number): number {
  let state = seed;
  for (let index = offset; index < offset + ADDRESS_BYTES; index += 4) {
    const word =
      bytes[index]! |
      (bytes[index + 1]! << 8) |
      (bytes[index + 2]! << 16) |
      (bytes[index + 3]! << 24);
    state = Math.imul(state ^ word, 0x9e3779b1);
    state ^= state >>> 15;
  }
  return state >>> 0;
}

const SEED = (Math.random() * 2 ** 32) | 0;

function sameAddress(a: Uint8Array, aOffset: number, b: Uint8Array, bOffset: number): boolean {
  for (let index = 0; index < ADDRESS_BYTES; index++) {
    if (a[aOffset + index] !== b[bOffset + index]) return false;
  }
  return true;
}
