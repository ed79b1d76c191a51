import type { Address, BlockStamp, MarketBlock, PastBlock, SwapEvent } from "@millrace/core";
import { DraftWriter, type PackedReader, type PackedWriter, readDraft } from "@millrace/history";

const HASH_BYTES = 32;
const ADDRESS_BYTES = 20;
const HASH = /^0x[0-9a-f]{64}$/;

/** The content of a block, without its stamp. */
export type EntryContent = Omit<MarketBlock, "stamp">;

export function writeContent(writer: PackedWriter, block: EntryContent): void {
  const draft = new DraftWriter(undefined);
  for (const dex of block.dexes) draft.dex(dex);
  for (const token of block.tokens) draft.token(token);
  for (const { token, totalSupply } of block.supplies) draft.supply(token, totalSupply);
  for (const pool of block.removedPools) draft.removal(pool);
  for (const listing of block.pools) draft.pool(listing);
  for (const { pool, state } of block.states) draft.state(pool, state);
  if (block.excludedFromTransit !== undefined) draft.exclusions(block.excludedFromTransit);
  const chunks = draft.end();
  writer.count(chunks.reduce((sum, { length }) => sum + length, 0));
  for (const chunk of chunks) writer.bytes(chunk);
  const { orphaned = [], history = [] } = block;
  writer.count(orphaned.length);
  for (const hash of orphaned) writer.hex(hash, 2, HASH_BYTES);
  const swaps = new SwapWriter(writer);
  swaps.writeAll(block.swaps);
  writer.count(history.length);
  for (const past of history) {
    packStamp(writer, past.stamp);
    swaps.writeAll(past.swaps);
  }
}

/** Throws a RangeError, or a text decoder's error, for bytes that are not such content. */
export function readContent(reader: PackedReader): EntryContent {
  const { draft } = readDraft(reader.bytes(reader.count()));
  const orphaned = readMany(reader, () => reader.hex(HASH_BYTES));
  const swaps = new SwapReader(reader);
  const ownSwaps = swaps.readAll();
  const history = readMany(
    reader,
    (): PastBlock => ({ stamp: unpackStamp(reader), swaps: swaps.readAll() }),
  );
  return {
    orphaned,
    dexes: [...draft.dexes.values()],
    tokens: [...draft.tokens.values()],
    pools: [...draft.pools.values()],
    removedPools: [...draft.removedPools],
    states: Array.from(draft.states, ([pool, state]) => ({ pool, state })),
    swaps: ownSwaps,
    supplies: Array.from(draft.supplies, ([token, totalSupply]) => ({ token, totalSupply })),
    ...(draft.excluded !== undefined && { excludedFromTransit: draft.excluded }),
    ...(history.length > 0 && { history }),
  };
}

export function packStamp(writer: PackedWriter, { number, hash, timestampMs }: BlockStamp): void {
  writer.count(number);
  writer.hex(hash, 2, HASH_BYTES);
  writer.float(timestampMs);
}

export const unpackStamp = (reader: PackedReader): BlockStamp => ({
  number: reader.count(),
  hash: reader.hex(HASH_BYTES),
  timestampMs: reader.float(),
});

export function readMany<A>(reader: PackedReader, read: () => A): A[] {
  const items: A[] = [];
  for (let left = reader.count(); left > 0; left--) items.push(read());
  return items;
}

/** Writes swaps. Each address and hash is written out once, and later as a number. */
class SwapWriter {
  readonly #writer: PackedWriter;
  readonly #addresses = new Map<string, number>();
  readonly #transactions = new Map<string, number>();

  constructor(writer: PackedWriter) {
    this.#writer = writer;
  }

  writeAll(swaps: ReadonlyArray<SwapEvent>): void {
    this.#writer.count(swaps.length);
    for (const swap of swaps) this.#write(swap);
  }

  #write(swap: SwapEvent): void {
    const writer = this.#writer;
    const { priceAfter, maker } = swap;
    for (const address of [swap.pool, swap.tokenIn, swap.tokenOut]) this.#address(address);
    this.#transaction(swap.transactionHash);
    writer.count(swap.logIndex);
    writer.amount(swap.amountIn);
    writer.amount(swap.amountOut);
    // A price that is not finite is no use to anybody: written as unknown.
    writer.float(Number.isFinite(priceAfter) ? priceAfter : 0);
    writer.byte(maker === undefined ? 0 : 1);
    if (maker !== undefined) this.#address(maker);
  }

  #address(address: Address): void {
    const known = this.#addresses.get(address);
    this.#writer.count(known ?? 0);
    if (known !== undefined) return;
    this.#writer.hex(address, 2, ADDRESS_BYTES);
    this.#addresses.set(address, this.#addresses.size + 1);
  }

  #transaction(hash: string): void {
    const known = this.#transactions.get(hash);
    this.#writer.count(known ?? 0);
    if (known !== undefined) return;
    const isHash = HASH.test(hash);
    this.#writer.byte(isHash ? 1 : 0);
    if (isHash) this.#writer.hex(hash, 2, HASH_BYTES);
    else this.#writer.text(hash);
    this.#transactions.set(hash, this.#transactions.size + 1);
  }
}

class SwapReader {
  readonly #reader: PackedReader;
  readonly #addresses: Address[] = [];
  readonly #transactions: string[] = [];

  constructor(reader: PackedReader) {
    this.#reader = reader;
  }

  readAll(): SwapEvent[] {
    return readMany(this.#reader, () => this.#read());
  }

  #read(): SwapEvent {
    const reader = this.#reader;
    const [pool, tokenIn, tokenOut] = [this.#address(), this.#address(), this.#address()];
    const transactionHash = this.#transaction();
    const swap = { pool, transactionHash, logIndex: reader.count(), tokenIn, tokenOut };
    const amounts = { amountIn: reader.amount(), amountOut: reader.amount() };
    const priceAfter = reader.float();
    const maker = reader.byte() === 0 ? undefined : this.#address();
    return { ...swap, ...amounts, priceAfter, ...(maker !== undefined && { maker }) };
  }

  #address(): Address {
    return numbered(this.#reader, this.#addresses, () => this.#reader.hex(ADDRESS_BYTES));
  }

  #transaction(): string {
    const reader = this.#reader;
    return numbered(reader, this.#transactions, () =>
      reader.byte() === 1 ? reader.hex(HASH_BYTES) : reader.text(),
    );
  }
}

/** Resolves a number to a value read before, or reads a new value. */
function numbered<A>(reader: PackedReader, known: A[], read: () => A): A {
  const number = reader.count();
  if (number === 0) {
    const item = read();
    known.push(item);
    return item;
  }
  const item = known[number - 1];
  if (item === undefined) throw new RangeError(`number ${number} of ${known.length}`);
  return item;
}
