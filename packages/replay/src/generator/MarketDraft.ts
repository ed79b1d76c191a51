import type {
  Address,
  PoolListing,
  PoolStateChange,
  TokenListing,
  TokenSupply,
} from "@millrace/core";
import { concentratedLiquidity, constantProduct } from "@millrace/protocols";
import type { FeeTier, GeneratedChain, GeneratedDex, Hub } from "./chains.ts";
import { drawPair, drawTicks } from "./drawPool.ts";
import type { FamilyShares } from "./FamilyShares.ts";
import type { FamilyDex } from "./families.ts";
import type { Random } from "./Random.ts";

/** The share of pools between hubs: always a few, never many. */
const HUB_POOL_SHARE = 0.05;
const HUB_POOL_COUNT_MAX = 48;
/** Shares of tokens with a second and a third neighbour, and of pools with a parallel pool. */
const SECOND_NEIGHBOUR_SHARE = 0.32;
const THIRD_NEIGHBOUR_SHARE = 0.25; // of those with a second
const PARALLEL_SHARE = 0.12;
/** The share of further neighbours that are not hubs. */
const PLAIN_NEIGHBOUR_SHARE = 0.3;
const CONCENTRATED_SHARE = 0.23;
const CONCENTRATED_HUB_SHARE = 0.6;
/** US dollars on either side of a pool: minimum, minimum between hubs, and maximum. */
const SIDE_USD_MIN = 15_000;
const HUB_SIDE_USD_MIN = 1_000_000;
const SIDE_USD_MAX = 200_000_000;
/** Prices of plain tokens range from this down to 2^26 times less. */
const PRICE_USD_MAX = 128;
const PRICE_OCTAVES = 26;
/** How often a pool that may have a further token has one. */
const FURTHER_SHARE = 0.5;
/** The most that a pool's price strays from the consistent price, as a part of its own fee. */
const STRAY_MAX = 0.9;
const PIPS = 1_000_000;
const SUPPLY_FACTOR = 10;

interface PricedToken extends TokenListing {
  readonly priceUsd: number;
}

/** A generated market as it grows, pool by pool; all prices are known beforehand. */
export class MarketDraft {
  readonly tokens: PricedToken[];
  readonly pools: PoolListing[] = [];
  readonly states: PoolStateChange[] = [];
  /** A token's amount in all pools, in smallest units. */
  readonly #held = new Map<Address, number>();
  readonly #random: Random;
  readonly #hubs: ReadonlyArray<Hub>;
  /** The DEXes of pools that belong to no further family. */
  readonly #dexes: ReadonlyArray<GeneratedDex>;
  readonly #poolCount: number;
  readonly #shares: FamilyShares | undefined;
  /** DEX, fee and tokens of each pool: a factory makes only one pool of each. */
  readonly #made = new Set<string>();

  constructor(
    random: Random,
    chain: GeneratedChain,
    poolCount: number,
    families: ReadonlyArray<string> | undefined,
    shares: FamilyShares | undefined,
  ) {
    this.#random = random;
    this.#hubs = chain.hubs;
    // An id of a DEX stands for one protocol only.
    const taken = new Map(shares?.dexes.map(({ dexId, protocol }) => [dexId, protocol]));
    this.#dexes = chain.dexes.filter(
      ({ dexId, protocol }) =>
        (families?.includes(protocol) ?? true) && (taken.get(dexId) ?? protocol) === protocol,
    );
    if (this.#dexes.length === 0) throw new RangeError(`families ${families}`);
    this.#poolCount = poolCount;
    this.#shares = shares;
    this.tokens = [...chain.hubs];
  }

  /** All DEXes that pools may belong to, each once. */
  get dexes(): ReadonlyArray<GeneratedDex> {
    const all = [...this.#dexes, ...(this.#shares?.dexes ?? [])];
    return [...new Map(all.map((dex) => [dex.dexId, dex])).values()];
  }

  get isComplete(): boolean {
    return this.pools.length === this.#poolCount;
  }

  /** Each pair of hubs once, then parallel pools, most of them for the first pairs. */
  addHubPools(): void {
    const count = Math.min(HUB_POOL_COUNT_MAX, Math.ceil(this.#poolCount * HUB_POOL_SHARE));
    const pairs = this.#hubs.flatMap((a, place) =>
      this.#hubs.slice(place + 1).map((b) => [a, b] as const),
    );
    // A draw of an existing pool is lost, and there may be fewer kinds than `count`.
    for (let draw = 0; draw < 8 * count && this.pools.length < count; draw++) {
      const random = this.#random;
      const early = Math.min(random.below(pairs.length), random.below(pairs.length));
      const [a, b] = pairs[draw < pairs.length ? draw : early]!;
      this.#addPool(a, b, HUB_SIDE_USD_MIN, CONCENTRATED_HUB_SHARE);
    }
  }

  addTokenWithPools(): void {
    const random = this.#random;
    const fresh = this.#newToken();
    const hub = this.#pickHub();
    const pegging = this.#shares?.pickPeg(random);
    const token = pegging === undefined ? fresh : { ...fresh, priceUsd: hub.priceUsd };
    const neighbours = new Set<PricedToken>([hub]);
    if (random.chance(SECOND_NEIGHBOUR_SHARE)) {
      neighbours.add(this.#pickNeighbour());
      if (random.chance(THIRD_NEIGHBOUR_SHARE)) neighbours.add(this.#pickNeighbour());
    }
    this.tokens.push(token);
    for (const neighbour of neighbours) {
      const count = random.chance(PARALLEL_SHARE) ? 2 : 1;
      for (let parallel = 0; parallel < count; parallel++) {
        if (this.isComplete) return;
        const family = neighbour === hub && parallel === 0 ? pegging : undefined;
        this.#addPool(token, neighbour, SIDE_USD_MIN, CONCENTRATED_SHARE, family);
      }
    }
  }

  /** Pools hold only a small part of a token's supply. */
  supplies(): ReadonlyArray<TokenSupply> {
    return this.tokens.map(({ address }) => {
      const held = this.#held.get(address) ?? 0;
      return { token: address, totalSupply: BigInt(Math.floor(held * SUPPLY_FACTOR)) };
    });
  }

  #newToken(): PricedToken {
    const random = this.#random;
    const symbol = newSymbol(random);
    const kind = random.unit();
    return {
      address: random.hex(5),
      decimals: kind < 0.86 ? 18 : kind < 0.93 ? 8 : 6,
      symbol,
      name: `${symbol[0]}${symbol.slice(1).toLowerCase()} Token`,
      priceUsd: (PRICE_USD_MAX * random.between(0.5, 1)) / (1 << random.below(PRICE_OCTAVES)),
    };
  }

  #pickHub(): Hub {
    return weighted(this.#random, this.#hubs);
  }

  /** A hub, each equally often, or an earlier token, the earlier the likelier. */
  #pickNeighbour(): PricedToken {
    const random = this.#random;
    if (!random.chance(PLAIN_NEIGHBOUR_SHARE)) return random.pick(this.#hubs);
    const early = random.unit();
    return this.tokens[Math.floor(early * early * this.tokens.length)]!;
  }

  /** Adds a pool, of the given family if any, unless it equals an existing one. */
  #addPool(
    a: PricedToken,
    b: PricedToken,
    sideUsdMin: number,
    concentratedShare: number,
    pegging?: FamilyDex,
  ): void {
    const random = this.#random;
    const [token0, token1] = a.address < b.address ? [a, b] : [b, a];
    const family = pegging ?? this.#shares?.pick(random);
    const dex = family ?? this.#pickDex(concentratedShare);
    const tier = pickTier(random, dex, a, b);
    const key = `${dex.dexId} ${tier.feePips} ${token0.address} ${token1.address}`;
    if (this.#made.has(key)) return;
    this.#made.add(key);
    const address = random.hex(5);
    const sideUsd = Math.min(SIDE_USD_MAX, sideUsdMin * random.heavyTailed());
    const stray = 1 + (random.between(-STRAY_MAX, STRAY_MAX) * tier.feePips) / PIPS;
    const reserve0 = (sideUsd / token0.priceUsd) * smallestUnits(token0);
    const reserve1 = (sideUsd / token1.priceUsd) * smallestUnits(token1) * stray;
    this.#hold(token0, reserve0);
    this.#hold(token1, reserve1);
    const decimals = [token0.decimals, token1.decimals] as const;
    const others = family === undefined ? [] : this.#further(family, token0, token1);
    const further = others.map((token) => {
      const reserve = (sideUsd / token.priceUsd) * smallestUnits(token);
      this.#hold(token, reserve);
      return { reserve, decimals: token.decimals };
    });
    const terms = { address, reserve0, reserve1, stray, decimals, further };
    const draw = family?.draw ?? (dex.protocol === constantProduct.name ? drawPair : drawTicks);
    const { state, ...listing } = draw(random, tier, terms);
    this.pools.push({
      address,
      dexId: dex.dexId,
      tokens: [token0, token1, ...others].map((token) => token.address),
      ...listing,
    });
    this.states.push({ pool: address, state });
  }

  #hold({ address }: PricedToken, reserve: number): void {
    this.#held.set(address, (this.#held.get(address) ?? 0) + reserve);
  }

  /** The further tokens of a pool of many, which all have the same price. */
  #further({ tokenCountMax }: FamilyDex, a: PricedToken, b: PricedToken): PricedToken[] {
    const others: PricedToken[] = [];
    while (others.length + 2 < tokenCountMax && this.#random.chance(FURTHER_SHARE)) {
      const left = this.tokens.filter(
        (token) =>
          token.priceUsd === a.priceUsd && token !== a && token !== b && !others.includes(token),
      );
      if (left.length === 0) break;
      others.push(this.#random.pick(left));
    }
    return others;
  }

  #pickDex(concentratedShare: number): GeneratedDex {
    const concentrated = this.#random.chance(concentratedShare);
    const protocol = (concentrated ? concentratedLiquidity : constantProduct).name;
    const ofFamily = this.#dexes.filter((dex) => dex.protocol === protocol);
    return weighted(this.#random, ofFamily.length > 0 ? ofFamily : this.#dexes);
  }
}

/** Stable pairs use the last and lowest fee of a DEX, others any but that. */
function pickTier(random: Random, dex: GeneratedDex, a: PricedToken, b: PricedToken): FeeTier {
  const tiers = dex.feeTiers;
  if (a.priceUsd === b.priceUsd) return tiers.at(-1)!;
  const others = Math.max(1, tiers.length - 1);
  return tiers[Math.min(random.below(others), random.below(others))]!;
}

function weighted<A extends { readonly weight: number }>(
  random: Random,
  list: ReadonlyArray<A>,
): A {
  let rest = random.below(list.reduce((sum, { weight }) => sum + weight, 0));
  for (const item of list) {
    if (rest < item.weight) return item;
    rest -= item.weight;
  }
  throw new RangeError("no weights");
}

/** Smallest units of one token, for the decimals that occur in generated markets. */
function smallestUnits({ decimals }: PricedToken): number {
  return decimals === 18 ? 1e18 : decimals === 8 ? 1e8 : 1e6;
}

function newSymbol(random: Random): string {
  let symbol = "";
  for (let syllables = 2 + random.below(2); syllables > 0; syllables--) {
    symbol += random.pick(CONSONANTS) + random.pick(VOWELS);
  }
  return symbol;
}

const CONSONANTS = [..."BDFGKLMNPRSTVZ"];
const VOWELS = [..."AEIOU"];
