import { createHash } from "node:crypto";
import { readData } from "./sharedData.ts";

/** A recorded swap: the contract's answer, or null where it refuses. */
export interface RecordedCase {
  /** The pool's name in its file. */
  readonly pool: string;
  readonly kind: "exactIn" | "exactOut";
  readonly positionIn: number;
  readonly positionOut: number;
  readonly amount: string;
  readonly expected: string | null;
}

/** Pools of one family, each at one moment, with swaps. */
interface RecordedFamily {
  /** The file's name, which is the pools' kind in market files. */
  readonly name: string;
  readonly pools: ReadonlyMap<string, { readonly id: string; readonly state: RecordedState }>;
  readonly cases: ReadonlyArray<RecordedCase>;
}

type RecordedState = Readonly<Record<string, unknown>>;

interface FamilyFile {
  readonly pools: Readonly<
    Record<
      string,
      {
        readonly address?: string;
        readonly state: RecordedState;
        /** Swaps that revert although the pool's view function answers: input, output, amount. */
        readonly exchangeReverts?: ReadonlyArray<readonly [string, string, string]>;
      }
    >
  >;
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

/** A file of `families`. Pools without an address get a label. */
export function recordedFamily(name: string): RecordedFamily {
  const { pools, cases } = readData<FamilyFile>(`families/${name}.json`);
  return {
    name,
    pools: new Map(
      Object.entries(pools).map(([pool, { address, state }]) => [
        pool,
        { id: address ?? `${name}/${pool}`, state },
      ]),
    ),
    cases: cases.map(([pool, kind, positionIn, positionOut, amount, expected]) => ({
      pool,
      kind: kind === "in" ? "exactIn" : "exactOut",
      positionIn,
      positionOut,
      amount,
      expected: isReverted(pools[pool], positionIn, positionOut, amount) ? null : expected,
    })),
  };
}

function isReverted(
  pool: FamilyFile["pools"][string] | undefined,
  ...swap: readonly [positionIn: number, positionOut: number, amount: string]
): boolean {
  return pool?.exchangeReverts?.some((each) => each.join() === swap.join()) ?? false;
}

/** A market file with all pools of some families, each between its own tokens. */
export function marketFileOf(families: ReadonlyArray<RecordedFamily>) {
  const pools = families.flatMap((family) =>
    [...family.pools].map(([pool, { id, state }]) => {
      const tokens = Array.from({ length: tokenCountOf(state) }, (_, position) =>
        recordedToken(family.name, pool, position),
      );
      return { id, kind: family.name, tokens, state };
    }),
  );
  const tokens = pools.flatMap((pool) =>
    pool.tokens.map((address, position) => ({
      address,
      symbol: `T${position}`,
      decimals: Number(pool.state[`decimals${position}`] ?? 18),
    })),
  );
  return { chainId: 1, tokens, pools };
}

/** A pool whose balances are in a list has as many tokens. */
function tokenCountOf({ balances, balances18 = balances }: RecordedState): number {
  return Array.isArray(balances18) ? balances18.length : 2;
}

/** The address of a pool's token in `marketFileOf`. */
export function recordedToken(family: string, pool: string, position: number): `0x${string}` {
  const digest = createHash("sha256").update(`${family} ${pool} ${position}`).digest("hex");
  return `0x${digest.slice(0, 40)}`;
}
