import {
  type Book,
  LEDGER_STRIDE,
  type LedgerBook,
  lastAtOrBelow,
  liquidityNet,
  readWords2,
  spliceBook,
} from "@millrace/core";

/** Ticks as they are followed: liquidityNet in the book, liquidityGross in the ledger. */

/** The liquidity of a pool whose tick has moved. */
export function liquidityAt(
  book: Book,
  from: { readonly tick: number; readonly liquidity: bigint },
  tick: number,
): bigint {
  let { liquidity } = from;
  const start = lastAtOrBelow(book.keys, from.tick);
  const end = lastAtOrBelow(book.keys, tick);
  for (let index = start + 1; index <= end; index++) liquidity += liquidityNet(book, index);
  for (let index = start; index > end; index--) liquidity -= liquidityNet(book, index);
  return liquidity;
}

/** The ticks after a change of the liquidity at one; undefined when that change is impossible. */
export function withPositionEnd(
  ticks: LedgerBook,
  tick: number,
  gross: bigint,
  net: bigint,
): LedgerBook | undefined {
  const { book, ledger } = ticks;
  const below = lastAtOrBelow(book.keys, tick);
  const isKnown = below >= 0 && book.keys[below] === tick;
  const unsigned = gross + (isKnown ? readWords2(ledger, LEDGER_STRIDE * below) : 0n);
  const signed = net + (isKnown ? liquidityNet(book, below) : 0n);
  if (!isTick(unsigned, signed)) return undefined;
  const entry = unsigned === 0n ? undefined : { key: tick, signed, unsigned };
  return isKnown ? spliceBook(ticks, below, 1, entry) : spliceBook(ticks, below + 1, 0, entry);
}

/** Gross is what starts at a tick and what ends there, net the one less the other. */
export function isTick(gross: bigint, net: bigint): boolean {
  if (gross < 0n || gross >> 128n !== 0n || BigInt.asIntN(128, net) !== net) return false;
  return net <= gross && -net <= gross && ((gross ^ net) & 1n) === 0n;
}
