import { readData } from "@millrace/testing";
import type { DrawnPool } from "./ticksUnderTest.ts";

/** A recorded swap: what the contract answered, or undefined where it cannot fill all of it. */
export interface RecordedSwap {
  readonly pool: string;
  readonly zeroForOne: boolean;
  readonly kind: "exactIn" | "exactOut";
  readonly amount: bigint;
  readonly expected: bigint | undefined;
}

interface RecordedFile {
  readonly pools: Readonly<Record<string, { readonly state: RecordedState }>>;
  readonly cases: ReadonlyArray<
    readonly [
      pool: string,
      kind: "in" | "out",
      from: number,
      to: number,
      amount: string,
      expected: string | null,
    ]
  >;
}

interface RecordedState {
  readonly sqrtPriceX96: string;
  readonly tick: string;
  readonly liquidity: string;
  readonly fee?: string;
  /** Uniswap V4's two fees. */
  readonly lpFee?: string;
  readonly protocolFee?: string;
  readonly tickSpacing: string;
  readonly ticks: ReadonlyArray<readonly [tick: string, liquidityNet: string]>;
}

/** The pools and the swaps of a file of `families`. */
export function recordedTicks(name: string): {
  readonly pools: ReadonlyMap<string, DrawnPool>;
  readonly swaps: ReadonlyArray<RecordedSwap>;
} {
  const file = readData<RecordedFile>(`families/${name}.json`);
  const pools = Object.entries(file.pools).map(
    ([id, { state }]) => [id, poolOfState(state)] as const,
  );
  const swaps = file.cases.map(([pool, kind, from, _to, amount, expected]): RecordedSwap => {
    return {
      pool,
      zeroForOne: from === 0,
      kind: kind === "in" ? "exactIn" : "exactOut",
      amount: BigInt(amount),
      expected: expected === null ? undefined : BigInt(expected),
    };
  });
  return { pools: new Map(pools), swaps };
}

function poolOfState(state: RecordedState): DrawnPool {
  return {
    tickSpacing: Number(state.tickSpacing),
    sqrtPriceX96: BigInt(state.sqrtPriceX96),
    tick: Number(state.tick),
    liquidity: BigInt(state.liquidity),
    ticks: new Map(state.ticks.map(([tick, net]) => [Number(tick), BigInt(net)])),
    feePips: Number(state.lpFee ?? state.fee),
    protocolFee: Number(state.protocolFee ?? 0),
  };
}
