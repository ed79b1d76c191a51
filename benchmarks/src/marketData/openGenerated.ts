import type { MarketData } from "@millrace/market";
import { GeneratedMarket } from "./GeneratedMarket.ts";
import { SwapTraffic } from "./SwapTraffic.ts";

/** A market with its market data and its traffic. */
export interface Opened {
  readonly generated: GeneratedMarket;
  readonly data: MarketData;
  readonly traffic: SwapTraffic;
  /** Milliseconds that market data took to open. */
  readonly openedMs: number;
}

export function openGenerated(poolCount: number): Opened {
  const generated = new GeneratedMarket(poolCount);
  const start = performance.now();
  const data = generated.openData();
  const openedMs = performance.now() - start;
  return { generated, data, traffic: new SwapTraffic(generated), openedMs };
}
