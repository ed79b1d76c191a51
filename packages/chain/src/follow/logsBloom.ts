import type { ChainLog, Hex } from "@millrace/protocols";
import { hexToBytes, keccak256 } from "viem/utils";

const BLOOM_BYTES = 256;
/** Number of addresses and topics, of many blocks; beyond that the cache starts anew. */
const KNOWN_MAX = 1 << 16;

/**
 * The 2,048-bit Bloom filter of a block's logs, as in its header (Yellow Paper, 4.3.1): every
 * address and topic sets three bits, each given by eleven bits of its Keccak-256.
 */
export function logsBloom(logs: ReadonlyArray<Pick<ChainLog, "address" | "topics">>): Hex {
  const bloom = Buffer.alloc(BLOOM_BYTES);
  for (const { address, topics } of logs) {
    setBits(bloom, address);
    for (const topic of topics) setBits(bloom, topic);
  }
  return `0x${bloom.toString("hex")}`;
}

/** False when no log of the block can have the address or topic. */
export function bloomMayHold(bloom: Hex, entry: Hex): boolean {
  const bytes = Buffer.from(bloom.slice(2), "hex");
  return bitsOf(entry).every((bit) => (bytes[byteOf(bit)]! & (1 << (bit & 7))) !== 0);
}

function setBits(bloom: Uint8Array, entry: Hex): void {
  for (const bit of bitsOf(entry)) bloom[byteOf(bit)]! |= 1 << (bit & 7);
}

// Bit 0 of a filter is the lowest bit of its last byte.
const byteOf = (bit: number): number => BLOOM_BYTES - 1 - (bit >> 3);

// The same addresses and topics come in every block, and hashing costs more than all the rest.
const known = new Map<Hex, readonly [number, number, number]>();

function bitsOf(entry: Hex): readonly [number, number, number] {
  const before = known.get(entry);
  if (before !== undefined) return before;
  const hash = keccak256(hexToBytes(entry), "bytes");
  const bit = (at: number): number => ((hash[at]! & 7) << 8) | hash[at + 1]!;
  const bits = [bit(0), bit(2), bit(4)] as const;
  if (known.size === KNOWN_MAX) known.clear();
  known.set(entry, bits);
  return bits;
}
