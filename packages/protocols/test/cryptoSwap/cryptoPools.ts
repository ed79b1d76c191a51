import { type Address, NO_HASH, openMarket } from "@millrace/core";
import { cryptoSwap } from "@millrace/protocols";
import { RandomSource } from "@millrace/testing";
import type { FamilyUnderTest } from "@millrace/testing/conformance";
import {
  cryptoKinds,
  cryptoShape,
  cryptoStateOf,
  drawCrypto,
  type OpenPool,
  type PlainCrypto,
  scaledBalances,
  swapCrypto,
} from "@millrace/testing/reference";
import fc from "fast-check";

const ADDRESS: Address = `0x${"c0".repeat(20)}`;

/** The pool in a graph of its own. Throws where it is left out. */
export function openCrypto(pool: PlainCrypto): OpenPool {
  const open = openMarket(1, [cryptoSwap]);
  const { decimals, ...shape } = cryptoShape(pool);
  const tokens = decimals.map((_, at): Address => `0x${`a${at}`.repeat(20)}`);
  const factory: Address = `0x${"00".repeat(20)}`;
  const { rejected } = open.writer.applyBlock({
    stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
    dexes: [{ id: "CRYPTO", name: "Crypto", protocol: cryptoSwap.name, factory }],
    tokens: tokens.map((address, at) => ({
      address,
      decimals: decimals[at]!,
      symbol: "",
      name: "",
    })),
    pools: [{ address: ADDRESS, dexId: "CRYPTO", tokens, ...shape }],
    removedPools: [],
    states: [{ pool: ADDRESS, state: cryptoStateOf(pool) }],
    swaps: [],
    supplies: [],
  });
  if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected)}`);
  return { open, index: open.graph.findPool(ADDRESS)!, family: open.families[0]! };
}

/**
 * The part of an output by which a larger input may give less, since the fee may rise by as much
 * while the balances hardly change; 0 where it does not.
 */
export function feeFallOf(pool: PlainCrypto, to: number): number {
  const rise = Number(pool.outFee - pool.midFee) / 1e10;
  const part = Number(scaledBalances(pool)[to]!) / Number(pool.D);
  const kept = 1 - Number(pool.outFee) / 1e10;
  return 4 * part * rise > kept * Math.sqrt(Number(pool.feeGamma) / 1e18) ? rise : 0;
}

/** A pool for the conformance suite. */
interface CryptoUnderTest extends PlainCrypto {
  readonly address: Address;
}

function underTest(random: RandomSource): CryptoUnderTest {
  return { ...drawCrypto(random, random.pick(cryptoKinds)), address: ADDRESS };
}

const sound = underTest(new RandomSource(1));
/** Of 0.3 %. */
const CHEAP = 30_000_000n;

export const cryptoFamily: FamilyUnderTest<CryptoUnderTest> = {
  pool: fc.integer().map((seed) => underTest(new RandomSource(seed))),
  open: openCrypto,
  directions: ({ balances }) =>
    balances.flatMap((_, from) =>
      balances.flatMap((_each, to) => (from === to ? [] : [[from, to] as const])),
    ),
  shapeOf: cryptoShape,
  stateOf: cryptoStateOf,
  after: (pool, _zeroForOne, kind, amount, [from, to]) => {
    const swap = swapCrypto(pool, from, to, kind, amount);
    return swap && { ...swap, after: { ...swap.after, address: pool.address } };
  },
  limitsOf: (pool, _zeroForOne, [from, to]) => {
    const { balances } = pool;
    const worth = scaledBalances(pool)[from]!;
    const most = (balances[from]! * (25n * pool.D - worth)) / worth;
    return [most, balances[to]! - balances[to]! / 50n, balances[from]!];
  },
  slack: () => 1n,
  impossible: [
    ["a fee of more than all", { ...sound, outFee: 10n ** 10n + 1n }],
    ["a lower fee out of balance", { ...sound, midFee: sound.outFee + 1n }],
    ["no gamma", { ...sound, gamma: 10n ** 10n - 1n }],
    ["a wide gamma", { ...sound, gamma: 2n * 10n ** 17n }],
    ["no A", { ...sound, A: 0n }],
    ["a price of nothing", { ...sound, priceScale: sound.priceScale.map(() => 0n) }],
    ["a fee that does not move", { ...sound, feeGamma: 0n }],
    ["a D that no contract has", { ...sound, D: 10n ** 33n + 1n }],
    ["tokens of more than 18 decimals", { ...sound, precisions: sound.precisions.map(() => 0n) }],
  ],
  cheap: (pool) => ({
    ...pool,
    midFee: pool.midFee < CHEAP ? pool.midFee : CHEAP,
    outFee: pool.outFee < CHEAP ? pool.outFee : CHEAP,
  }),
  isSmooth: true,
  // Of an output more input may give less: a part of the balance, and units.
  unevenness: (pool, _zeroForOne, [, to]) =>
    Number(pool.balances[to]!) * (2 ** -43 + feeFallOf(pool, to)) + 2,
};
