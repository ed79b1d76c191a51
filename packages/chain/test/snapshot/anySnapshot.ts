import type { FollowedState } from "@millrace/protocols";
import fc from "fast-check";
import type { ChainSnapshot } from "../../src/snapshot/ChainSnapshot.ts";
import { address, concentrated } from "./snapshots.ts";

const anyAddress = fc.oneof(
  fc.bigInt(0n, 2n ** 160n - 1n).map(address),
  fc.integer({ min: 0, max: 300 }).map(address), // that share all bytes but the last
);
const anyState = fc.oneof(
  fc.bigUint64Array({ maxLength: 7 }).map((words): FollowedState => ({ words })),
  fc
    .tuple(fc.bigUint64Array({ maxLength: 3 }), fc.bigUint64Array({ minLength: 1, maxLength: 3 }))
    .map(([words, notes]): FollowedState => ({ words, notes })),
  fc
    .uniqueArray(
      fc.tuple(
        fc.oneof(fc.constantFrom(-887_272, 887_272), fc.integer({ min: -887_272, max: 887_272 })),
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        fc.oneof(fc.constant(2n ** 64n - 1n), fc.bigInt(0n, 2n ** 64n - 1n)),
      ),
      { selector: ([tick]) => tick, maxLength: 12 },
    )
    .map((ticks) => concentrated(ticks.toSorted(([a], [b]) => a - b))),
  fc.constant<FollowedState>({
    words: BigUint64Array.of(1n),
    book: { keys: Int32Array.of(0), words: BigInt64Array.of(1n, 0n) },
  }),
);
/** Any Unicode text, including byte order marks and characters outside the first plane. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ufeffX", "\u0000", "🦄", "\u202eevil"),
);
const anyListing = fc.record({
  dexId: fc.constantFrom("PAIRS", "TICKS", "ÜBER"),
  tokens: fc.uniqueArray(anyAddress, { minLength: 2, maxLength: 8 }),
  feePips: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  parameter: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
});

export const anySnapshot: fc.Arbitrary<ChainSnapshot> = fc
  .record({
    chainId: fc.integer({ min: 1, max: 2 ** 40 }),
    dexes: anyText,
    stamp: fc.record({
      number: fc.maxSafeNat(),
      hash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hash),
      timestampMs: fc.maxSafeNat(),
    }),
    refusals: fc
      .uniqueArray(fc.tuple(fc.constantFrom("PAIRS", "TICKS"), anyText), {
        selector: (each) => each.join("/"),
        maxLength: 4,
      })
      .map((kinds) => kinds.map(([dexId, reason], count) => ({ dexId, reason, count }))),
    pools: fc.uniqueArray(
      fc.record({
        address: anyAddress,
        listing: anyListing,
        createdBlock: fc.maxSafeNat(),
        state: fc.option(anyState, { nil: undefined }),
      }),
      { selector: (each) => each.address, maxLength: 60 },
    ),
    tokens: fc.uniqueArray(
      fc.record({
        address: anyAddress,
        decimals: fc.integer({ min: 0, max: 255 }),
        symbol: anyText,
        name: anyText,
      }),
      { selector: (each) => each.address, maxLength: 10 },
    ),
  })
  .map(({ pools, ...rest }) => ({
    ...rest,
    discovered: pools.map(({ address, listing, createdBlock }) => ({
      listing: { address, ...listing },
      createdBlock,
    })),
    states: pools.flatMap(({ address, state }) => (state ? [{ pool: address, state }] : [])),
  }));

function hash(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
