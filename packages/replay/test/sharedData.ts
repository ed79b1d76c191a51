import { readData } from "@millrace/testing";

/** The parts of a recording that tests look at. */
export interface RecordingJson {
  readonly chainId: number;
  readonly block?: number | null;
  readonly blockTimestamp?: number | null;
  readonly pools: ReadonlyArray<StateJson & { readonly id: string; readonly kind: "v2" | "v3" }>;
  readonly updates?: ReadonlyArray<{
    readonly block: number;
    readonly pools: Readonly<Record<string, StateJson>>;
  }>;
}

export interface StateJson {
  readonly reserve0?: string;
  readonly reserve1?: string;
  readonly sqrtPriceX96?: string;
  readonly tick?: number;
  readonly liquidity?: string;
  readonly ticks?: ReadonlyArray<readonly [number, string]>;
}

export function readRecording(name: string): RecordingJson {
  return readData<RecordingJson>(name);
}
