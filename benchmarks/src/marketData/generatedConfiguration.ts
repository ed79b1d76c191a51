import { ANCHORS, MARKET_SEED } from "./GeneratedMarket.ts";

const BLOCK_EVERY_MS = 1_000;

/** A service whose one network, ETH, is generated, with a block a second that may add pools. */
export function generatedConfiguration(poolCount: number, newPoolsPerBlock?: number): object {
  const pace = { blockEveryMs: BLOCK_EVERY_MS, newPoolsPerBlock };
  const source = { kind: "generated", seed: MARKET_SEED, poolCount, ...pace };
  const names = { id: "ETH", name: "Generated", chainId: 1, nativeSymbol: "ETH" };
  const network = { ...names, nativeName: "Ether", anchors: ANCHORS, source };
  // The event loop searches too: on two cores, a search worker would have none.
  return { networks: [network], searchWorkers: 0 };
}
