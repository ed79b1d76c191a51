import { set, TOKEN_A, TOKEN_B } from "./soundMarket.ts";

export const V4_ID = `0x${"21c67e77068de97969ba93d4aab21826"}${"d33ca12bb9f565d8496e8fda8a82ca27"}`;
export const SLIPSTREAM = `0x${"03".repeat(20)}`;

/** A pool as the recordings of families have them: all numbers of its state are text. */
export interface FamilyPoolJson {
  readonly id: string;
  readonly kind: string;
  readonly tokens: ReadonlyArray<unknown>;
  readonly state: Record<string, unknown>;
}

/** A sound market with a pool of each family; every case spoils it in one place. */
export function soundFamilies() {
  const pool = (id: string, kind: string, state: Record<string, unknown>): FamilyPoolJson => ({
    id,
    kind,
    tokens: [TOKEN_A, TOKEN_B],
    state,
  });
  return {
    chainId: 1,
    block: 100,
    tokens: [
      { address: TOKEN_A, symbol: "A", decimals: 18 },
      { address: TOKEN_B, symbol: "B", decimals: 6 },
    ],
    pools: [
      pool(V4_ID, "uniswap-v4", { ...ticksState(), lpFee: "500", protocolFee: "2048500" }),
      pool(SLIPSTREAM, "slipstream", { ...ticksState(), fee: "420", feeInputs: { baseFee: "1" } }),
      pool("a/label", "pancake-v3", { ...ticksState(), fee: "2500" }),
      pool("another", "algebra-integral", { ...ticksState(), fee: "111", lastFee: "500" }),
      pool("pair", "pancake-v2", { reserve0: "1000000", reserve1: "3000000", feePpm: "2500" }),
      pool("stable", "aerodrome-stable", {
        ...{ reserve0: "1000000000000000000", reserve1: "1000000", fee: "5" },
        ...{ decimals0: "18", decimals1: "6" },
      }),
    ] as FamilyPoolJson[],
    updates: [
      {
        block: 101 as unknown,
        pools: { [SLIPSTREAM]: { ...ticksState(), fee: "500" } } as Record<string, unknown>,
      },
    ],
  };
}

export type Families = ReturnType<typeof soundFamilies>;

/** The price of tick 0, with liquidity round it. */
export function ticksState(): Record<string, unknown> {
  return {
    sqrtPriceX96: (2n ** 96n).toString(),
    tick: "0",
    liquidity: "5000",
    tickSpacing: "60",
    ticks: [
      ["-60", "5000"],
      ["60", "-5000"],
    ],
  };
}

const V4 = 0;
const CHARGED = 1;
const PANCAKE_V3 = 2;
const PANCAKE_V2 = 4;
const STABLE = 5;

const ofState = (pool: number, key: string, value: unknown) => (market: Families) =>
  set(market.pools[pool]!.state, key, value);

/** Puts a StableSwap pool in the place of one, with some of its state spoiled. */
const stableSwap = (spoiled: Record<string, unknown>) => (market: Families) =>
  set(market.pools, STABLE, {
    id: "curve",
    kind: "curve-stable-ng",
    tokens: [TOKEN_A, TOKEN_B],
    state: {
      balances: ["1000000000000000000", "1000000"],
      rates: ["1000000000000000000", "1000000000000000000000000000000"],
      ...{ A: "20000", aPrecision: "100", fee: "4000000", feeOrder: "xp" },
      ...{ offpegFeeMultiplier: "20000000000", ...spoiled },
    },
  });

/** What is spoiled, how, and what the fault has to say. */
export const FAMILY_CASES: ReadonlyArray<
  readonly [string, (market: Families) => unknown, ...string[]]
> = [
  ["a rate too few", stableSwap({ rates: ["1"] }), "pools[5].state.rates", "1 rates of 2"],
  ["a rate of nothing", stableSwap({ rates: ["1", "0"] }), "pools[5].state", "a rate of nothing"],
  [
    "balances of other coins",
    stableSwap({ balances: ["1", "1", "1"], rates: ["1", "1", "1"] }),
    "pools[5].state",
    "amounts of other tokens",
  ],
  ["a balance too wide", stableSwap({ balances: [`${2n ** 128n}`, "1"] }), "state.balances[0]"],
  ["a balance as a number", stableSwap({ balances: [1, "1"] }), "pools[5].state.balances[0]"],
  ["an A of nothing", stableSwap({ A: "0" }), "pools[5].state.A", '"0"'],
  ["a fee that may be all", stableSwap({ fee: "5000000000" }), "pools[5].state", "a fee of"],
  ["an order of fees that is none", stableSwap({ feeOrder: "yp" }), "pools[5].state.feeOrder"],
  ["a precision of A that is none", stableSwap({ aPrecision: "10" }), "pools[5].state", "an A"],
  ["a family that there is not", (m) => set(m.pools[V4]!, "kind", "uniswap-v5"), "pools[0].kind"],
  ["an id of 31 bytes", (m) => set(m.pools[V4]!, "id", V4_ID.slice(0, -2)), "pools[0].id"],
  ["no state", (m) => set(m.pools[V4]!, "state", undefined), "pools[0].state", "missing"],
  ["a state that is a list", (m) => set(m.pools[V4]!, "state", []), "pools[0].state", "a list"],
  ["no tokens", (m) => set(m.pools[V4]!, "tokens", undefined), "pools[0].tokens", "missing"],
  ["a token as a number", (m) => set(m.pools[V4]!, "tokens", [TOKEN_A, 7]), "pools[0].tokens[1]"],
  [
    "an unknown token",
    (m) => set(m.pools[V4]!, "tokens", [TOKEN_A, `0x${"cc".repeat(20)}`]),
    "pools[0].tokens[1]",
    "unknown token 0xcc",
  ],
  [
    "a token twice",
    (m) => set(m.pools[V4]!, "tokens", [TOKEN_A, TOKEN_A]),
    "pools[0].tokens[1]",
    "the same",
  ],
  ["one token", (m) => set(m.pools[V4]!, "tokens", [TOKEN_A]), "pools[0]", "1 tokens"],
  [
    "a pool whose address another's id begins with",
    (m) => set(m.pools[CHARGED]!, "id", V4_ID.slice(0, 42)),
    "pools[1]",
    "stands twice",
  ],
  [
    "a DEX of two protocols",
    (m) => set(m.pools[V4]!, "dex", "mine") && set(m.pools[CHARGED]!, "dex", "MINE"),
    "pools[1].dex",
    "MINE",
    "uniswap-v4",
  ],
  ["a tick with a fraction", ofState(V4, "tick", "0.5"), "pools[0].state.tick", '"0.5"'],
  ["a tick out of range", ofState(V4, "tick", "887273"), "pools[0].state.tick", '"887273"'],
  ["a tick in words", ofState(V4, "tick", "1e2"), "pools[0].state.tick", '"1e2"'],
  ["a tick of another price", ofState(V4, "tick", 7), "pools[0].state", "tick 7"],
  ["a fee that is missing", ofState(V4, "lpFee", undefined), "pools[0].state.lpFee", "missing"],
  ["a fee above everything", ofState(V4, "lpFee", "1000001"), "pools[0].state.lpFee"],
  ["a protocol fee too wide", ofState(V4, "protocolFee", 2 ** 24), "pools[0].state.protocolFee"],
  ["a fee of everything", ofState(CHARGED, "fee", "1000000"), "pools[1].state.fee"],
  ["a fee as an object", ofState(CHARGED, "fee", {}), "pools[1].state.fee", "an object"],
  [
    "a tick spacing of zero",
    ofState(PANCAKE_V3, "tickSpacing", "0"),
    "pools[2].state.tickSpacing",
    '"0"',
  ],
  [
    "ticks out of order",
    ofState(PANCAKE_V3, "ticks", [
      ["60", "-5000"],
      ["-60", "5000"],
    ]),
    "pools[2].state.ticks[1]",
    "after 60",
  ],
  [
    "a tick off the spacing",
    ofState(PANCAKE_V3, "ticks", [["-61", "5000"]]),
    "pools[2].state.ticks[0]",
    "-61",
  ],
  [
    "a liquidityNet too wide",
    ofState(PANCAKE_V3, "ticks", [["-60", (2n ** 127n).toString()]]),
    "pools[2].state.ticks[0][1]",
    "2^127",
  ],
  ["a reserve with a sign", ofState(PANCAKE_V2, "reserve0", "-1"), "pools[4].state.reserve0"],
  [
    "a reserve too wide",
    ofState(PANCAKE_V2, "reserve1", (2n ** 112n).toString()),
    "pools[4].state.reserve1",
    "2^112",
  ],
  ["a fee under another name", ofState(PANCAKE_V2, "feePpm", undefined), "pools[4].state.feePpm"],
  ["a fee of all in 1/10,000", ofState(STABLE, "fee", "10000"), "pools[5].state.fee"],
  ["impossible decimals", ofState(STABLE, "decimals0", "256"), "pools[5].state.decimals0"],
  ["decimals of too many digits", ofState(STABLE, "decimals0", "78"), "pools[5].state", "78"],
  [
    "an update of a longer id that begins alike",
    (m) => set(m.updates[0]!, "pools", { [`${V4_ID.slice(0, -1)}0`]: ticksState() }),
    "unknown pool",
  ],
  [
    "an update that changes the kind",
    (m) => set(m.updates[0]!, "pools", { pair: ticksState() }),
    'updates[0].pools["pair"]',
    "kind",
  ],
  [
    "an update that changes what never does",
    (m) => set(m.updates[0]!.pools[SLIPSTREAM] as object, "tickSpacing", "10"),
    ".tickSpacing",
    "60 as before",
  ],
  [
    "an update that changes a fixed fee",
    (m) => set(m.updates[0]!, "pools", { "a/label": { ...ticksState(), fee: "100" } }),
    ".fee",
    "2500 as before",
  ],
  [
    "an update with half a state",
    (m) => set(m.updates[0]!, "pools", { stable: { state: { reserve0: "1", fee: "5" } } }),
    'updates[0].pools["stable"].state.reserve1',
    "missing",
  ],
  [
    "an update that is no state",
    (m) => set(m.updates[0]!, "pools", { stable: 7 }),
    'updates[0].pools["stable"]',
    "is 7",
  ],
];
