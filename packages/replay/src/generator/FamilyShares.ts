import { FAMILIES, type FamilyDex, type SharedFamily } from "./families.ts";
import type { Random } from "./Random.ts";

/** About the number of pools that come with a new token: see `MarketDraft.addTokenWithPools`. */
const POOLS_PER_TOKEN = 1.57;

/** Which pools of a market belong to further families. */
export class FamilyShares {
  readonly #shares: ReadonlyArray<readonly [FamilyDex, share: number]>;
  /** For families of pegged tokens: the share of new tokens with such a pool. */
  readonly #pegs: ReadonlyArray<readonly [FamilyDex, chance: number]>;

  /** Throws a RangeError for an unknown family, and for invalid shares. */
  constructor(shares: Readonly<Partial<Record<SharedFamily, number>>>) {
    const all = Object.entries(shares).map(([name, share]) => {
      if (!Object.hasOwn(FAMILIES, name) || !(share >= 0)) throw new RangeError(`${name} ${share}`);
      return [FAMILIES[name as SharedFamily] as FamilyDex, share] as const;
    });
    const sum = all.reduce((total, [, share]) => total + share, 0);
    if (!(sum <= 1)) throw new RangeError(`shares of ${sum}`);
    const pegged = all.filter(([{ isForPegs }]) => isForPegs);
    const rest = 1 - pegged.reduce((total, [, share]) => total + share, 0);
    this.#pegs = pegged.map(([dex, share]) => [dex, share * POOLS_PER_TOKEN]);
    this.#shares = all
      .filter(([{ isForPegs }]) => !isForPegs)
      .map(([dex, share]) => [dex, share / rest]);
  }

  /** The families, in the order of the option. */
  get dexes(): ReadonlyArray<FamilyDex> {
    return [...this.#shares, ...this.#pegs].map(([dex]) => dex);
  }

  /** The family of a pool of any tokens; undefined for the market's own families. */
  pick(random: Random): FamilyDex | undefined {
    return drawn(random, this.#shares);
  }

  /** The family whose pool pegs a new token to its first neighbour; undefined for no peg. */
  pickPeg(random: Random): FamilyDex | undefined {
    return drawn(random, this.#pegs);
  }
}

function drawn(
  random: Random,
  list: ReadonlyArray<readonly [FamilyDex, number]>,
): FamilyDex | undefined {
  if (list.length === 0) return undefined;
  let rest = random.unit();
  for (const [dex, share] of list) {
    if (rest < share) return dex;
    rest -= share;
  }
  return undefined;
}
