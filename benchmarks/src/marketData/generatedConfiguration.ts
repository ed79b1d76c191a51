import { ANCHORS, MARKET_SEED } from "./GeneratedMarket.ts";

const BLOCK_EVERY_MS = 1_000;

/** A service whose one network, ETH, is generated, with a block a second. */
export function generatedConfiguration(poolCount: number): object {
  const seed = MARKET_SEED;
  const source = { kind: "generated", seed, poolCount, blockEveryMs: BLOCK_EVERY_MS };
  const names = { id: "ETH", name: "Generated", chainId: 1, nativeSymbol: "ETH" };
  const network = { ...names, nativeName: "Ether", anchors: ANCHORS, source };
  // The event loop does all: another thread would have no core where there are two.
  return { networks: [network], searchWorkers: 0 };
}
