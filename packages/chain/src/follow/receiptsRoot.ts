import type { ByteArray, Hex } from "viem";
import { bytesToHex, keccak256, numberToBytes, toRlp } from "viem/utils";

/** What RLP encodes: bytes, or a list of such. */
export type RlpItem = ByteArray | ReadonlyArray<RlpItem>;

/**
 * Root of the Merkle-Patricia trie that maps the RLP of each index to the encoded receipt: a
 * header's `receiptsRoot` (Yellow Paper, 4.3.2 and appendix D).
 */
export function receiptsRoot(receipts: ReadonlyArray<ByteArray>): Hex {
  if (receipts.length === 0) return EMPTY_ROOT;
  const entries = receipts.map((value, index) => ({ path: nibblesOf(rlp(minimal(index))), value }));
  return bytesToHex(keccak(rlp(node(entries, 0))));
}

/** RLP of an item. */
export function rlp(item: RlpItem): ByteArray {
  return toRlp(item as Parameters<typeof toRlp>[0], "bytes");
}

/** A number as RLP encodes it: big-endian, without leading zeros, empty for 0. */
export function minimal(value: number | bigint): ByteArray {
  return value === 0 || value === 0n ? EMPTY : numberToBytes(value);
}

const EMPTY: ByteArray = new Uint8Array(0);
/** Keccak-256 of the RLP of an empty byte string. */
const EMPTY_ROOT: Hex = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

/** A value, with its path of half-bytes from the root. */
interface Entry {
  readonly path: ReadonlyArray<number>;
  readonly value: ByteArray;
}

/** The node over entries whose paths agree up to `depth`; no path is a prefix of another. */
function node(entries: ReadonlyArray<Entry>, depth: number): RlpItem {
  const [first] = entries as [Entry];
  if (entries.length === 1) return [compact(first.path.slice(depth), true), first.value];
  let shared = depth;
  while (entries.every(({ path }) => path[shared] === first.path[shared])) shared++;
  if (shared > depth) {
    return [compact(first.path.slice(depth, shared), false), reference(node(entries, shared))];
  }
  const children = Array.from({ length: 16 }, (_, nibble): RlpItem => {
    const below = entries.filter(({ path }) => path[depth] === nibble);
    return below.length === 0 ? EMPTY : reference(node(below, depth + 1));
  });
  return [...children, EMPTY];
}

/** A node as its parent refers to it: the node itself when short, else its hash. */
function reference(child: RlpItem): RlpItem {
  const encoded = rlp(child);
  return encoded.length < 32 ? child : keccak(encoded);
}

/** A path as bytes (hex-prefix encoding), with flags for odd length and for a value at its end. */
function compact(path: ReadonlyArray<number>, endsInValue: boolean): ByteArray {
  const isOdd = path.length % 2 === 1;
  const flag = (endsInValue ? 2 : 0) + (isOdd ? 1 : 0);
  const nibbles = isOdd ? [flag, ...path] : [flag, 0, ...path];
  return Uint8Array.from(
    { length: nibbles.length / 2 },
    (_, at) => (nibbles[2 * at]! << 4) | nibbles[2 * at + 1]!,
  );
}

function nibblesOf(bytes: ByteArray): number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);
}

const keccak = (bytes: ByteArray): ByteArray => keccak256(bytes, "bytes");
