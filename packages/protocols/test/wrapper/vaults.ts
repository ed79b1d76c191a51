import {
  type Address,
  NO_HASH,
  openMarket,
  type PoolListing,
  type PoolShape,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import type { FamilyUnderTest } from "@millrace/testing/conformance";
import fc from "fast-check";
import {
  COUNTED,
  COUNTED_LATER,
  FIXED_RATE,
  wrapper,
  wrapperState,
} from "../../src/curves/wrapper/pool.ts";

/** A contract that wraps an asset, as it is written in Solidity. */
export interface Vault {
  readonly address: Address;
  readonly kind: "openZeppelin" | "solmate" | "rate";
  /** Of a rate in its place: 10^27, and what so many shares are worth. */
  readonly totalSupply: bigint;
  readonly totalAssets: bigint;
  /** `_decimalsOffset()` of OpenZeppelin's contract. */
  readonly offset: bigint;
  readonly maxDeposit: bigint;
  readonly maxRedeem: bigint;
}

const UINT256_END = 1n << 256n;
/** Limits have 128 bits, totals one less. */
const COUNTED_END = 1n << 128n;
const TOTAL_END = 1n << 127n;
export const RAY = 10n ** 27n;

/** `Math.mulDiv`: of 512 bits inside; reverts where the result has more than 256, or by zero. */
function mulDiv(x: bigint, y: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw new Error("division by zero");
  const result = (x * y) / denominator;
  if (result >= UINT256_END) throw new Error("overflow");
  return result;
}

/** `ERC4626.sol` of OpenZeppelin, of Solmate, and a rate in the contract. */
export function previewDeposit(vault: Vault, assets: bigint): bigint {
  const { kind, totalSupply, totalAssets, offset } = vault;
  if (kind === "openZeppelin") {
    return mulDiv(assets, totalSupply + 10n ** offset, totalAssets + 1n);
  }
  return mulDiv(assets, totalSupply, totalAssets);
}

export function previewRedeem(vault: Vault, shares: bigint): bigint {
  const { kind, totalSupply, totalAssets, offset } = vault;
  if (kind === "openZeppelin") {
    return mulDiv(shares, totalAssets + 1n, totalSupply + 10n ** offset);
  }
  return mulDiv(shares, totalAssets, totalSupply);
}

/** A deposit or a redemption; undefined where the contract, or the room of a state, refuses it. */
function swapped(vault: Vault, isDeposit: boolean, amountIn: bigint) {
  const { kind, totalSupply, totalAssets, maxDeposit, maxRedeem } = vault;
  // Before its first shares a vault has a rate of its own.
  if (totalSupply === 0n || totalAssets === 0n) return undefined;
  if (amountIn > (isDeposit ? maxDeposit : maxRedeem)) return undefined;
  const amountOut = (isDeposit ? previewDeposit : previewRedeem)(vault, amountIn);
  if (!isDeposit) {
    if (kind !== "rate" && amountIn > totalSupply) return undefined; // `_burn`
    const after =
      kind === "rate"
        ? vault
        : {
            ...vault,
            totalSupply: totalSupply - amountIn,
            totalAssets: totalAssets - amountOut,
          };
    return { amountIn, amountOut, after: { ...after, maxRedeem: maxRedeem - amountIn } };
  }
  const [supply, assets] = [totalSupply + amountOut, totalAssets + amountIn];
  if (supply >= TOTAL_END || assets >= TOTAL_END) return undefined;
  const after = kind === "rate" ? vault : { ...vault, totalSupply: supply, totalAssets: assets };
  return { amountIn, amountOut, after: { ...after, maxDeposit: maxDeposit - amountIn } };
}

/** As `FamilyUnderTest.after`: an exact output is the least input that gives as much. */
export function afterVault(
  vault: Vault,
  isDeposit: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
) {
  if (kind === "exactIn") return swapped(vault, isDeposit, amount);
  let [low, high] = [0n, mostTaken(vault, isDeposit)];
  const gives = (amountIn: bigint) => swapped(vault, isDeposit, amountIn)?.amountOut ?? -1n;
  if (high === 0n || gives(high) < amount) return undefined;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (gives(middle) < amount) low = middle;
    else high = middle;
  }
  return swapped(vault, isDeposit, high);
}

/** The most that is taken, by halving; 0 for nothing. */
export function mostTaken(vault: Vault, isDeposit: boolean): bigint {
  let [taken, refused] = [0n, COUNTED_END];
  while (refused - taken > 1n) {
    const middle = (taken + refused) / 2n;
    if (swapped(vault, isDeposit, middle) === undefined) refused = middle;
    else taken = middle;
  }
  return taken;
}

const width = (bits: number) =>
  fc.integer({ min: 0, max: bits }).chain((most) => fc.bigInt(0n, (1n << BigInt(most)) - 1n));

/** Vaults of any totals and limits, and those that could be: limits that none meets, and none. */
export const anyVault: fc.Arbitrary<Vault> = fc
  .record({
    kind: fc.constantFrom("openZeppelin" as const, "solmate" as const, "rate" as const),
    totalSupply: width(127),
    totalAssets: fc.oneof(width(127), fc.constant(undefined)),
    offset: fc.bigInt(0n, 18n),
    maxDeposit: fc.oneof(width(128), fc.constantFrom(0n, COUNTED_END - 1n)),
    maxRedeem: fc.oneof(width(128), fc.constantFrom(0n, COUNTED_END - 1n)),
    gain: fc.bigInt(900n, 1_900n),
  })
  .map(({ gain, totalAssets, ...vault }) => {
    const totalSupply = vault.kind === "rate" ? RAY : vault.totalSupply;
    const grown = (totalSupply * gain) / 1_000n;
    const isCounted = grown < TOTAL_END;
    return {
      ...{ ...vault, totalSupply, address: `0x${"c4".repeat(20)}` as const },
      totalAssets: totalAssets ?? (isCounted ? grown : totalSupply),
    };
  });

const COUNTINGS = { openZeppelin: COUNTED_LATER, solmate: COUNTED, rate: FIXED_RATE } as const;
const TOKENS = [`0x${"a0".repeat(20)}`, `0x${"a1".repeat(20)}`] as const;

function listingOfVault({ address }: Vault): PoolListing {
  return {
    ...{ address, dexId: "VAULTS", tokens: TOKENS, curve: wrapper.name },
    ...{ feePips: 0, parameter: 0 },
  };
}

const stateOf = ({ kind, offset, totalSupply, totalAssets, maxDeposit, maxRedeem }: Vault) => {
  const isVirtual = kind === "openZeppelin";
  return wrapperState({
    ...{ shares: totalSupply, assets: totalAssets, counting: COUNTINGS[kind] },
    ...{ virtualShares: isVirtual ? 10n ** offset : 0n, virtualAssets: isVirtual ? 1n : 0n },
    ...{ depositMax: maxDeposit, redeemMax: maxRedeem },
  });
};

export function openVault(vault: Vault) {
  const open = openMarket(1, curves);
  const { rejected } = open.writer.applyBlock({
    stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
    dexes: [{ id: "VAULTS", name: "Vaults", protocol: "erc4626", factory: TOKENS[0] }],
    tokens: TOKENS.map((token) => ({ address: token, decimals: 18, symbol: "", name: "" })),
    pools: [listingOfVault(vault)],
    removedPools: [],
    states: [{ pool: vault.address, state: stateOf(vault) }],
    ...{ swaps: [], supplies: [] },
  });
  if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected)}`);
  const index = open.graph.findPool(vault.address)!;
  return { open, index, family: open.families[open.graph.poolCurve[index]!]! };
}

const sound: Vault = {
  ...{ address: `0x${"c4".repeat(20)}`, kind: "openZeppelin", offset: 6n },
  ...{ totalSupply: 10n ** 24n, totalAssets: 11n * 10n ** 17n },
  ...{ maxDeposit: COUNTED_END - 1n, maxRedeem: COUNTED_END - 1n },
};

/** What the conformance suite is told of wrappers. */
export const vaultsUnderTest: FamilyUnderTest<Vault> = {
  pool: anyVault,
  open: openVault,
  shapeOf: (vault): PoolShape => ({
    decimals: [18, 18],
    ...{ constants: new BigUint64Array(0), ...listingOfVault(vault) },
  }),
  stateOf,
  after: afterVault,
  limitsOf: (vault, isDeposit) => {
    const most = mostTaken(vault, isDeposit);
    const given = most > 0n ? swapped(vault, isDeposit, most)!.amountOut : 0n;
    return [most, given];
  },
  slack: () => 1n,
  cheap: (vault) => vault,
  impossible: [
    ["a total that no contract counts", { ...sound, totalSupply: TOTAL_END }],
    ["assets that no contract counts", { ...sound, totalAssets: TOTAL_END }],
  ],
  isSmooth: true,
  mints: 1,
  isLinear: true,
};
