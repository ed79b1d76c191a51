/**
 * What differs between the contracts of Curve's crypto pools, as far as swaps' amounts depend on
 * it.
 */
export interface CryptoContract {
  /** What market files call it. */
  readonly kind: "tri" | "triNG" | "twoNG";
  /** What the pool's `version()` answers; the oldest contract has no such function. */
  readonly version: string | undefined;
  readonly tokenCount: 2 | 3;
  /** `newton_y` of the old contracts, or the analytic `get_y` of the new generation. */
  readonly isAnalytic: boolean;
  /** `MIN_A` and `MAX_A`, by the multiplier that the deployment counts A with. */
  readonly leastA: (aMultiplier: bigint) => bigint;
  readonly mostA: (aMultiplier: bigint) => bigint;
  readonly mostGamma: bigint;
  /** Whether a larger gamma requires balances nearer to each other (`lim_mul`). */
  readonly isNarrowing: boolean;
  /** Whether the fee reaches `out_fee` in a pool far out of balance: only in later versions. */
  readonly reachesOutFee: boolean;
  /** Whether a swap has to raise the virtual price; if not, it may leave it as it is. */
  readonly hasToGain: boolean;
}

const GAMMA_LEAST = 10n ** 10n;
const GAMMA_SMALL = 2n * 10n ** 16n;
const TWO_A = 4n;
const TRI_A = 27n;
const MOST_A = 1_000n;

const ofTwo = {
  kind: "twoNG",
  tokenCount: 2,
  isAnalytic: true,
  leastA: (aMultiplier: bigint) => (TWO_A * aMultiplier) / 10n,
  mostA: (aMultiplier: bigint) => TWO_A * aMultiplier * MOST_A,
  hasToGain: true,
} as const;

const ofThree = {
  tokenCount: 3,
  leastA: (aMultiplier: bigint) => (TRI_A * aMultiplier) / 100n,
  mostA: (aMultiplier: bigint) => TRI_A * aMultiplier * MOST_A,
  mostGamma: 5n * 10n ** 16n,
  isNarrowing: false,
  reachesOutFee: false,
} as const;

/**
 * The known contracts, by the number in a pool's constants, which never changes. Version 2.1.0 was
 * deployed with the fee of 2.0.0 and with the later one: `fee_calc` tells which.
 */
export const CRYPTO_CONTRACTS: ReadonlyArray<CryptoContract> = [
  { ...ofThree, kind: "tri", version: undefined, isAnalytic: false, hasToGain: false },
  { ...ofThree, kind: "triNG", version: "v2.0.0", isAnalytic: true, hasToGain: true },
  {
    ...{ ...ofTwo, version: "v2.0.0", mostGamma: GAMMA_SMALL },
    ...{ isNarrowing: false, reachesOutFee: false },
  },
  {
    ...{ ...ofTwo, version: "v2.1.0", mostGamma: 199n * 10n ** 15n },
    ...{ isNarrowing: true, reachesOutFee: false },
  },
  {
    ...{ ...ofTwo, version: "v2.1.0", mostGamma: 199n * 10n ** 15n },
    ...{ isNarrowing: true, reachesOutFee: true },
  },
];

/** The part of D, with 18 decimals, above which no scaled balance may be (`lim_mul`). */
export function mostOfD(contract: CryptoContract, gamma: bigint): bigint {
  const most = 10n ** 20n;
  return contract.isNarrowing && gamma > GAMMA_SMALL ? (most * GAMMA_SMALL) / gamma : most;
}

export const LEAST_GAMMA = GAMMA_LEAST;
