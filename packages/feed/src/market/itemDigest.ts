import { createHash } from "node:crypto";
import type { Address, Book, PoolListing, TokenListing } from "@millrace/core";

/**
 * The digest of a market is the sum of its items' digests, of 128 bits each. A block changes only
 * some summands, and the order of the items does not matter.
 */
export const DIGEST_BITS = 128;

export const tokenDigest = ({ address, decimals, symbol, name }: TokenListing): bigint =>
  digestOf("token", JSON.stringify([address, decimals, symbol, name]));

export const supplyDigest = (token: Address, totalSupply: bigint | undefined): bigint =>
  totalSupply === undefined ? 0n : digestOf("supply", `${token} ${totalSupply}`);

export const exclusionsDigest = (tokens: ReadonlySet<Address> | undefined): bigint =>
  tokens === undefined || tokens.size === 0 ? 0n : digestOf("excluded", [...tokens].sort().join());

/** The constant properties of a pool, as a text. */
export const listingText = (listing: PoolListing): string => {
  const { address, dexId, curve = "", tokens, feePips, parameter, constants = [] } = listing;
  return [address, dexId, curve, tokens.join(), feePips, parameter, [...constants].join()].join(
    "\n",
  );
};

export const bookDigest = ({ keys, words }: Book): bigint =>
  digestOf("book", bytesOf(keys), bytesOf(words));

export const poolDigest = (listing: string, words: BigUint64Array, book: bigint): bigint =>
  digestOf("pool", listing, bytesOf(words), book.toString(16));

function digestOf(...parts: ReadonlyArray<string | Uint8Array>): bigint {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length} `).update(part);
  const bytes = hash.digest();
  return bytes.readBigUInt64LE(0) | (bytes.readBigUInt64LE(8) << 64n);
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
