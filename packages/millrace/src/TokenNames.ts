import { isNativeToken, NATIVE_TOKEN } from "@millrace/api";
import type { Address, TokenIndex } from "@millrace/core";
import type { Network, NetworkMarket } from "@millrace/server";
import { invalidCall, MillraceError } from "./MillraceError.ts";
import { NAME_SHOWN } from "./readArguments.ts";

/** A token of a call, found in the market. */
export interface FoundToken {
  readonly index: TokenIndex;
  /** Lower case; for the native token, its placeholder. */
  readonly address: string;
  readonly isNative: boolean;
}

/** Finds tokens by address or symbol, each text once as long as no pool comes or goes. */
export class TokenNames {
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #found = new Map<string, FoundToken>();
  #topologyVersion = -1;

  constructor(network: Network, market: NetworkMarket) {
    this.#network = network;
    this.#market = market;
  }

  /** Throws a MillraceError where the text names no token, or several. */
  find(text: string): FoundToken {
    const { topologyVersion } = this.#market.engine.graph;
    if (topologyVersion !== this.#topologyVersion) {
      this.#found.clear();
      this.#topologyVersion = topologyVersion;
    }
    const known = this.#found.get(text);
    if (known !== undefined) return known;
    if (typeof text !== "string")
      throw invalidCall("expected the address or the symbol of a token");
    const found = this.#look(text);
    // An address has very many spellings, by the case of its digits.
    if (this.#found.size >= FOUND_MAX) this.#found.clear();
    this.#found.set(text, found);
    return found;
  }

  #look(text: string): FoundToken {
    const { wrappedNative, nativeSymbol, id } = this.#network.config;
    const { graph } = this.#market.engine;
    const isNative = isNativeToken(text) || text === nativeSymbol;
    if (isNative || text.startsWith("0x")) {
      const index = graph.findToken(isNative ? (wrappedNative ?? "") : text);
      if (index === undefined) throw unknown(`${id} has no token ${text.slice(0, NAME_SHOWN)}`);
      return { index, address: isNative ? NATIVE_TOKEN : graph.tokenAddress(index), isNative };
    }
    const index = this.#bySymbol(text);
    return { index, address: graph.tokenAddress(index), isNative: false };
  }

  /** Anyone can give a token any symbol: one in the network's configuration takes precedence. */
  #bySymbol(symbol: string): TokenIndex {
    const { engine, data } = this.#market;
    const { graph } = engine;
    const found: TokenIndex[] = [];
    for (let token = 0; token < graph.tokenCount; token++) {
      if (data.listing(token as TokenIndex).symbol === symbol) found.push(token as TokenIndex);
    }
    const { plainTokens, anchors, wrappedNative, id } = this.#network.config;
    const configured = new Set(
      [...plainTokens, ...anchors.map(({ address }) => address), wrappedNative ?? ""].map((each) =>
        each.toLowerCase(),
      ),
    );
    const known = found.filter((token) => configured.has(graph.tokenAddress(token)));
    const [only, ...others] = known.length === 1 ? known : found;
    if (only === undefined)
      throw unknown(`${id} has no token with the symbol ${symbol.slice(0, NAME_SHOWN)}`);
    if (others.length === 0) return only;
    const addresses = found.slice(0, SHOWN_MAX).map((token): Address => graph.tokenAddress(token));
    throw new MillraceError(
      "AMBIGUOUS_SYMBOL",
      `${found.length} tokens of ${id} have the symbol ${symbol}: ${addresses.join(", ")}`,
    );
  }
}

const SHOWN_MAX = 10;
const FOUND_MAX = 65_536;

const unknown = (message: string) => new MillraceError("UNKNOWN_TOKEN", message);
