import type {
  Address,
  BlockStamp,
  Dex,
  PoolListing,
  PoolState,
  TokenListing,
} from "@millrace/core";
import { PackedReader } from "../blocks/PackedReader.ts";
import { PackedWriter } from "../blocks/PackedWriter.ts";
import { StateDraft } from "./StateDraft.ts";

/**
 * A draft of a market as bytes: a version, the block before, then entries, each of which replaces
 * what an earlier one said. Numbers of 64 bits are little-endian, as on every platform of Node.
 */
const VERSION = 1;
const ENTRY = {
  dex: 1,
  token: 2,
  supply: 3,
  removal: 4,
  pool: 5,
  state: 6,
  exclusions: 7,
} as const;
const ADDRESS_BYTES = 20;
const HASH_BYTES = 32;
const CHUNK_BYTES = 1 << 16;

/** The previous recorded block, on which this one builds. */
export type BlockBefore = Pick<BlockStamp, "number" | "hash">;

/**
 * Writes entries into chunks. Addresses are in lower case; a repeated one is written as a number.
 */
export class DraftWriter {
  readonly #writer = new PackedWriter();
  readonly #chunks: Uint8Array[] = [];
  readonly #addresses = new Map<string, number>();

  constructor(before: BlockBefore | undefined) {
    this.#writer.byte(VERSION);
    this.#writer.byte(before === undefined ? 0 : 1);
    if (before === undefined) return;
    this.#writer.count(before.number);
    this.#writer.hex(before.hash, 2, HASH_BYTES);
  }

  dex({ id, name, protocol, factory }: Dex): void {
    this.#begin(ENTRY.dex);
    for (const text of [id, name, protocol, factory]) this.#writer.text(text);
  }

  token({ address, decimals, symbol, name }: TokenListing): void {
    this.#begin(ENTRY.token);
    this.#address(address);
    this.#writer.byte(decimals);
    this.#writer.text(symbol);
    this.#writer.text(name);
  }

  supply(token: Address, totalSupply: bigint | undefined): void {
    this.#begin(ENTRY.supply);
    this.#address(token);
    this.#writer.byte(totalSupply === undefined ? 0 : 1);
    if (totalSupply !== undefined) this.#writer.amount(totalSupply);
  }

  removal(pool: Address): void {
    this.#begin(ENTRY.removal);
    this.#address(pool);
  }

  pool({ address, dexId, curve, tokens, feePips, parameter, constants }: PoolListing): void {
    const writer = this.#writer;
    this.#begin(ENTRY.pool);
    this.#address(address);
    writer.text(dexId);
    writer.text(curve ?? "");
    writer.count(tokens.length);
    for (const token of tokens) this.#address(token);
    writer.count(feePips);
    writer.count(parameter >>> 0);
    writer.count(constants?.length ?? 0);
    if (constants !== undefined) writer.bytes(bytesIn(constants));
  }

  state(pool: Address, { words, book }: PoolState): void {
    const writer = this.#writer;
    this.#begin(ENTRY.state);
    this.#address(pool);
    writer.count(words.length);
    writer.bytes(bytesIn(words));
    writer.count(book === undefined ? 0 : 1 + book.keys.length);
    if (book === undefined) return;
    writer.bytes(bytesIn(book.keys));
    writer.bytes(bytesIn(book.words));
  }

  exclusions(tokens: ReadonlySet<Address>): void {
    this.#begin(ENTRY.exclusions);
    this.#writer.count(tokens.size);
    for (const token of tokens) this.#address(token);
  }

  /** Everything written. */
  end(): ReadonlyArray<Uint8Array> {
    this.#chunks.push(this.#writer.take());
    return this.#chunks;
  }

  #begin(kind: number): void {
    if (this.#writer.length >= CHUNK_BYTES) this.#chunks.push(this.#writer.take());
    this.#writer.byte(kind);
  }

  #address(address: Address): void {
    const known = this.#addresses.get(address);
    this.#writer.count(known ?? 0);
    if (known !== undefined) return;
    this.#writer.hex(address, 2, ADDRESS_BYTES);
    this.#addresses.set(address, this.#addresses.size + 1);
  }
}

/** Writes a whole draft; yields often. */
export function* writeDraft(draft: StateDraft, writer: DraftWriter): Generator<void> {
  for (const dex of draft.dexes.values()) writer.dex(dex);
  for (const token of draft.tokens.values()) yield writer.token(token);
  for (const [token, supply] of draft.supplies) yield writer.supply(token, supply);
  for (const pool of draft.removedPools) yield writer.removal(pool);
  for (const listing of draft.pools.values()) yield writer.pool(listing);
  for (const [pool, state] of draft.states) yield writer.state(pool, state);
  if (draft.excluded !== undefined) writer.exclusions(draft.excluded);
}

/** Throws for bytes that are not a draft: a RangeError, or the error of decoding a text. */
export function readDraft(bytes: Uint8Array): {
  readonly before: BlockBefore | undefined;
  readonly draft: StateDraft;
} {
  const reader = new PackedReader(bytes);
  const version = reader.byte();
  if (version !== VERSION) throw new RangeError(`version ${version}, where ${VERSION} is known`);
  const before =
    reader.byte() === 0 ? undefined : { number: reader.count(), hash: reader.hex(HASH_BYTES) };
  const draft = new StateDraft();
  const addresses: Address[] = [];
  while (!reader.isAtEnd) readEntry(reader, draft, addresses);
  return { before, draft };
}

function readEntry(reader: PackedReader, draft: StateDraft, addresses: Address[]): void {
  const address = () => readAddress(reader, addresses);
  const kind = reader.byte();
  switch (kind) {
    case ENTRY.dex: {
      const [id, name, protocol, factory] = [0, 1, 2, 3].map(() => reader.text());
      draft.dexes.set(id!, {
        id: id!,
        name: name!,
        protocol: protocol!,
        factory: factory as Address,
      });
      return;
    }
    case ENTRY.token: {
      const token = { address: address(), decimals: reader.byte() };
      draft.tokens.set(token.address, { ...token, symbol: reader.text(), name: reader.text() });
      return;
    }
    case ENTRY.supply: {
      const token = address();
      draft.supplies.set(token, reader.byte() === 0 ? undefined : reader.amount());
      return;
    }
    case ENTRY.removal:
      return draft.remove(address());
    case ENTRY.pool: {
      const listing = { address: address(), dexId: reader.text(), curve: reader.text() };
      const tokens = Array.from({ length: smallCount(reader) }, address);
      const terms = { tokens, feePips: reader.count(), parameter: reader.count() | 0 };
      const constants = new BigUint64Array(reader.bytes(8 * reader.count()).buffer);
      const { curve, ...rest } = listing;
      return draft.addPool({ ...rest, ...(curve !== "" && { curve }), ...terms, constants });
    }
    case ENTRY.state: {
      const pool = address();
      const words = new BigUint64Array(reader.bytes(8 * reader.count()).buffer);
      const keys = reader.count() - 1;
      if (keys < 0) return draft.setState(pool, { words });
      const book = {
        keys: new Int32Array(reader.bytes(4 * keys).buffer),
        words: new BigInt64Array(reader.bytes(16 * keys).buffer),
      };
      return draft.setState(pool, { words, book });
    }
    case ENTRY.exclusions: {
      const excluded = new Set<Address>();
      for (let left = reader.count(); left > 0; left--) excluded.add(address());
      draft.excluded = excluded;
      return;
    }
    default:
      throw new RangeError(`an entry of kind ${kind}`);
  }
}

function readAddress(reader: PackedReader, addresses: Address[]): Address {
  const number = reader.count();
  if (number === 0) {
    const address = reader.hex(ADDRESS_BYTES);
    addresses.push(address);
    return address;
  }
  const known = addresses[number - 1];
  if (known === undefined) throw new RangeError(`address ${number} of ${addresses.length}`);
  return known;
}

function smallCount(reader: PackedReader): number {
  const count = reader.count();
  if (count > 255) throw new RangeError(`${count} tokens of a pool`);
  return count;
}

const bytesIn = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
