import type { Address, PoolGraph, TokenIndex } from "@millrace/core";
import { enlarged } from "../enlarged.ts";

interface SupplyOptions {
  readonly graph: PoolGraph;
  /** Total supply in smallest units, where the source gave it. */
  readonly supply: (token: TokenIndex) => bigint | undefined;
  /** Circulating supply in whole tokens, where a file gives it. */
  readonly circulatingSupply?: (token: Address) => number | undefined;
}

/** Supplies of one token in smallest units, and their value in dollars; unknown ones are absent. */
export interface Capitalisation {
  readonly totalSupply?: bigint;
  readonly circulatingSupply?: bigint;
  readonly marketCapUsd?: number;
  readonly fullyDilutedValuationUsd?: number;
}

/**
 * Supplies of tokens: the total supply, as the chain reports it, and the circulating supply, as a
 * file gives it: never more than the total, and equal to it without a file. A token that nobody can
 * sell has no market cap, however large its supply.
 */
export class Supplies {
  readonly #options: SupplyOptions;
  readonly #unsellable = new Set<TokenIndex>();
  // Index: token. Whole tokens, as last read; NaN or missing when unknown or unsellable.
  total = new Float64Array(0);
  circulating = new Float64Array(0);

  constructor(options: SupplyOptions) {
    this.#options = options;
  }

  /** Reads what the source says about a token now. */
  read(token: TokenIndex): void {
    const { graph } = this.#options;
    this.total = enlarged(this.total, graph.tokenCount);
    this.circulating = enlarged(this.circulating, graph.tokenCount);
    const { totalSupply, circulatingSupply } = this.of(token, 0);
    const unit = this.#unsellable.has(token) ? Number.NaN : 10 ** graph.tokenDecimals[token]!;
    this.total[token] = Number(totalSupply) / unit;
    this.circulating[token] = Number(circulatingSupply) / unit;
  }

  /** Notes whether anybody can sell a token; before, it counts as sellable. */
  setSellable(token: TokenIndex, isSellable: boolean): void {
    if (isSellable) this.#unsellable.delete(token);
    else this.#unsellable.add(token);
    this.read(token);
  }

  /** Reads what the source says about all tokens now, in slices. */
  *reread(): Generator<void> {
    for (let token = 0; token < this.#options.graph.tokenCount; token++) {
      this.read(token as TokenIndex);
      yield;
    }
  }

  /** Supplies as the source gives them now, and their value at the price of one whole token. */
  of(token: TokenIndex, priceUsd: number): Capitalisation {
    const { graph, supply } = this.#options;
    const totalSupply = supply(token);
    if (totalSupply === undefined) return {};
    const decimals = graph.tokenDecimals[token]!;
    const circulatingSupply = this.#circulatingOf(token, totalSupply, decimals);
    if (this.#unsellable.has(token)) return { totalSupply, circulatingSupply };
    const unit = 10 ** decimals;
    const circulating = Number(circulatingSupply) / unit;
    const total = Number(totalSupply) / unit;
    return { totalSupply, circulatingSupply, ...worth(priceUsd, circulating, total) };
  }

  /** The value of the supplies as last read; the supplies themselves are not given. */
  worth(token: TokenIndex, priceUsd: number): Capitalisation {
    return worth(priceUsd, this.circulating[token] ?? Number.NaN, this.total[token] ?? Number.NaN);
  }

  #circulatingOf(token: TokenIndex, total: bigint, decimals: number): bigint {
    const { graph, circulatingSupply } = this.#options;
    const whole = circulatingSupply?.(graph.tokenAddress(token));
    if (whole === undefined || !(whole >= 0 && whole < Number.POSITIVE_INFINITY)) return total;
    const circulating = smallestUnits(whole, decimals);
    return circulating < total ? circulating : total;
  }
}

/** The value of supplies in whole tokens, which are NaN when unknown. */
function worth(priceUsd: number, circulating: number, total: number): Capitalisation {
  const marketCapUsd = priceUsd * circulating;
  const fullyDilutedValuationUsd = priceUsd * total;
  const isKnown = priceUsd > 0 && Number.isFinite(fullyDilutedValuationUsd);
  return isKnown ? { marketCapUsd, fullyDilutedValuationUsd } : {};
}

/** The smallest units of a finite number of whole tokens, rounded down. */
function smallestUnits(whole: number, decimals: number): bigint {
  const integer = Math.trunc(whole);
  // In two parts: a double times 10^decimals would round the integer, too.
  const part = Math.trunc((whole - integer) * 10 ** decimals);
  return BigInt(integer) * 10n ** BigInt(decimals) + BigInt(part);
}
