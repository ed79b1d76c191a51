import type { MarketData } from "@millrace/market";
import { MarketGround } from "./MarketGround.ts";
import { SwapTraffic } from "./SwapTraffic.ts";

/** A market with its market data and what happens in it. */
export interface Opened {
  readonly ground: MarketGround;
  readonly data: MarketData;
  readonly traffic: SwapTraffic;
  /** Milliseconds that market data took to open. */
  readonly openedMs: number;
}

export function openGround(poolCount: number): Opened {
  const ground = new MarketGround(poolCount);
  const start = performance.now();
  const data = ground.openData();
  const openedMs = performance.now() - start;
  return { ground, data, traffic: new SwapTraffic(ground), openedMs };
}
