import { isNativeToken, NATIVE_TOKEN, type TokenEntry } from "@millrace/api";
import type { TokenIndex } from "@millrace/core";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import type { NetworkMarket } from "./NetworkMarket.ts";
import { safetyOf } from "./tokenSafety.ts";

/**
 * The token at an address of any case; the native token's address stands for its wrapped form.
 * undefined when the market has none.
 */
export function tokenAt(
  config: NetworkConfig,
  { engine }: Pick<NetworkMarket, "engine">,
  address: string,
): TokenIndex | undefined {
  return engine.graph.findToken(isNativeToken(address) ? (config.wrappedNative ?? "") : address);
}

/** A token as the swap interface lists it. */
export function tokenEntry(market: NetworkMarket, token: TokenIndex): Entry {
  const { engine, data, texts } = market;
  const { symbol, name } = data.listing(token);
  const address = texts.token(token);
  const decimals = engine.graph.tokenDecimals[token]!;
  const safety = safetyOf(market.verdicts, engine.graph.tokenAddress(token));
  return { address, decimals, symbol, name, contractAddress: address, ...safety };
}

/** The native token's entry, where the network's wrapped form is in the market. */
export function nativeEntry(
  config: NetworkConfig,
  { engine, texts }: NetworkMarket,
): Entry | undefined {
  const wrapped = engine.graph.findToken(config.wrappedNative ?? "");
  if (wrapped === undefined) return undefined;
  return {
    address: NATIVE_TOKEN,
    decimals: engine.graph.tokenDecimals[wrapped]!,
    symbol: config.nativeSymbol ?? "ETH",
    name: config.nativeName ?? config.nativeSymbol ?? "Ether",
    contractAddress: texts.token(wrapped),
  };
}

type Entry = typeof TokenEntry.Encoded;
