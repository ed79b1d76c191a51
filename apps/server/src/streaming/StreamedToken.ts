import type { TokenIndex } from "@millrace/core";
import type { MarketData } from "@millrace/market";

/** The published data of one token, looked up once for all subscribers. */
export class StreamedToken {
  readonly #data: MarketData;
  /** In lower case, as requested; it may be the native token. */
  readonly #address: string;
  readonly #index: TokenIndex;
  #dataVersion = -1;
  #text = "";

  constructor(data: MarketData, address: string, index: TokenIndex) {
    this.#data = data;
    this.#address = address;
    this.#index = index;
  }

  /** The current market data of the token as JSON text; the same string while they are the same. */
  look(): string {
    const dataVersion = this.#data.version();
    if (dataVersion === this.#dataVersion) return this.#text;
    this.#dataVersion = dataVersion;
    const { priceUsd, liquidityUsd, volume24hUsd } = this.#data.token(this.#index);
    const text =
      `{"token":"${this.#address}","price":${priceUsd},"liquidity":${liquidityUsd}` +
      `,"volume24h":${volume24hUsd}}`;
    if (text !== this.#text) this.#text = text;
    return this.#text;
  }
}
