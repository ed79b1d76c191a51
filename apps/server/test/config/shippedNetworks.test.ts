import { readFileSync } from "node:fs";
import type { Address } from "@millrace/core";
import type { ChainDex, ChainLog, Hex } from "@millrace/protocols";
import { chainProtocols } from "@millrace/protocols";
import { describe, expect, it } from "vitest";
import { configOf, UNIVERSE_A } from "../kit/service.ts";

// A pool's address is a hash of its factory, its tokens and its code: the right address proves
// factory, deployer and init code hash.

/** A pool of a venue, with the tokens in the pool's own order. */
interface Known {
  /** Its address, or in Uniswap V4 its id. */
  readonly pool: string;
  readonly tokens: readonly [string, string];
  /** Set where pools of a venue differ in it. */
  readonly feePips?: number;
  readonly tickSpacing?: number;
  readonly isStable?: boolean;
}

const word = (hex: string | number): string =>
  (typeof hex === "number" ? hex.toString(16) : hex.replace(/^0x/, ""))
    .toLowerCase()
    .padStart(64, "0");

/** The topics after the first, and the data, of a factory's creation log for the pool. */
function told(protocol: string, known: Known): readonly [topics: string[], data: string[]] {
  const { pool, feePips = 0, tickSpacing = 1, isStable = false } = known;
  const tokens = known.tokens.map(word);
  switch (protocol) {
    case "constant-product":
      return [tokens, [word(pool), word(1)]];
    case "aerodrome":
      return [
        [...tokens, word(isStable ? 1 : 0)],
        [word(pool), word(1)],
      ];
    case "slipstream":
      return [[...tokens, word(tickSpacing)], [word(pool)]];
    case "uniswap-v4": {
      const price = word((2n ** 96n).toString(16));
      return [
        [word(pool), ...tokens],
        [word(feePips), word(tickSpacing), word(0), price, word(0)],
      ];
    }
    default:
      return [
        [...tokens, word(feePips)],
        [word(tickSpacing), word(pool)],
      ];
  }
}

function creation(dex: ChainDex, known: Known): ChainLog {
  const [topics, data] = told(dex.protocol, known);
  return {
    address: dex.factory,
    topics: [opened(dex).creationTopics[0]!, ...topics.map((text): Hex => `0x${text}`)],
    data: `0x${data.join("")}`,
    transactionHash: `0x${"0".repeat(64)}`,
    logIndex: 0,
  };
}

function isDerived(dex: ChainDex, known: Known): boolean {
  const created = opened(dex).decodeCreation(creation(dex, known));
  const address = known.pool.toLowerCase().slice(0, 42);
  if (created === undefined || "refused" in created) return false;
  if ("listing" in created) return created.listing.address === address;
  // The protocol asks the pool for the rest.
  const asked = created.resolve().next();
  return asked.done === false && asked.value[0]?.to === address;
}

/** All protocols except those whose pools have arbitrary addresses (`shippedVaults.test.ts`). */
const isDerivable = ({ protocol }: ChainDex) => !/^(curve|balancer|erc4626|lido)/.test(protocol);

const opened = (dex: ChainDex) =>
  chainProtocols.find(({ name }) => name === dex.protocol)!.open(dex);

async function shipped(id: string): Promise<ReadonlyMap<string, ChainDex>> {
  const config = await configOf({ [`MILLRACE_${id}_RPC_URLS`]: "http://127.0.0.1:1" });
  const { source } = config.networks[0];
  if (source.kind !== "chain") throw new Error(source.kind);
  return new Map(source.dexes.map((dex) => [dex.id, dex as ChainDex]));
}

const NATIVE = `0x${"0".repeat(40)}`;
const [WETH, USDC] = [
  "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
  "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
];
const [BASE_WETH, BASE_USDC] = [
  "0x4200000000000000000000000000000000000006",
  "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
];

describe("the shipped configuration of Ethereum", () => {
  it("has the factories that real pools of every venue come from", async () => {
    const dexes = await shipped("ETH");
    const { pools } = JSON.parse(readFileSync(UNIVERSE_A, "utf8")) as {
      pools: ReadonlyArray<{
        id: Address;
        dex: string;
        token0: string;
        token1: string;
        fee: number;
      }>;
    };
    const derived = new Map<string, number>();
    for (const { id, dex, token0, token1, fee } of pools) {
      const venue = dexes.get(dex.toUpperCase())!;
      const known = { pool: id, tokens: [token0, token1], feePips: fee } as const;
      expect(isDerived(venue, known), `${dex} ${id}`).toBe(true);
      if (venue["feePips"] !== undefined) expect(venue["feePips"]).toBe(fee);
      derived.set(venue.id, (derived.get(venue.id) ?? 0) + 1);
    }
    expect([...derived.keys()].sort()).toEqual(
      [...dexes.values()]
        .filter(isDerivable)
        .map(({ id }) => id)
        .filter((id) => !["SUSHISWAP_V3", "UNISWAP_V4"].includes(id))
        .sort(),
    );
    // Not in the recording: the native token's deepest pool, and USDC/WETH pools.
    const id = "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27";
    const named = { feePips: 500, tickSpacing: 10 };
    const v4 = dexes.get("UNISWAP_V4")!;
    expect(isDerived(v4, { pool: id, tokens: [NATIVE, USDC], ...named })).toBe(true);
    const sushi = dexes.get("SUSHISWAP_V3")!;
    const pool = "0x35644Fb61aFBc458bf92B15AdD6ABc1996Be5014";
    expect(isDerived(sushi, { pool, tokens: [USDC, WETH], feePips: 500 })).toBe(true);
    const deeper = "0x763d3b7296e7C9718AD5B058aC2692A19E5b3638";
    expect(isDerived(sushi, { pool: deeper, tokens: [USDC, WETH], feePips: 3_000 })).toBe(true);
  });

  it("would not pass with another factory, deployer or init code hash", async () => {
    const dexes = await shipped("ETH");
    const sushi = dexes.get("SUSHISWAP_V3")!;
    const pool = "0x35644Fb61aFBc458bf92B15AdD6ABc1996Be5014";
    const known = { pool, tokens: [USDC, WETH], feePips: 500 } as const;
    for (const other of ["UNISWAP_V3", "PANCAKESWAP_V3"]) {
      expect(isDerived({ ...dexes.get(other)!, id: sushi.id }, known)).toBe(false);
    }
    expect(isDerived({ ...sushi, initCodeHash: `0x${"1".repeat(64)}` }, known)).toBe(false);
  });
});

describe("the shipped configuration of Base", () => {
  it("has the factories that known pools of every venue come from", async () => {
    const dexes = await shipped("BASE");
    const tokens = [BASE_WETH, BASE_USDC] as const;
    const POOLS: ReadonlyArray<readonly [dexId: string, known: Known]> = [
      ["UNISWAP_V2", { pool: "0x88A43bbDF9D098eEC7bCEda4e2494615dfD9bB9C", tokens }],
      ["SUSHISWAP_V2", { pool: "0x2F8818D1B0f3e3E295440c1C0cDDf40aAA21fA87", tokens }],
      ["PANCAKESWAP_V2", { pool: "0x79474223AEdD0339780baCcE75aBDa0BE84dcBF9", tokens }],
      ["UNISWAP_V3", { pool: "0xd0b53D9277642d899DF5C87A3966A349A798F224", tokens, feePips: 500 }],
      [
        "UNISWAP_V3",
        { pool: "0x6c561B446416E1A00E8E93E221854d6eA4171372", tokens, feePips: 3_000 },
      ],
      [
        "PANCAKESWAP_V3",
        { pool: "0x72AB388E2E2F6FaceF59E3C3FA2C4E29011c2D38", tokens, feePips: 100 },
      ],
      [
        "PANCAKESWAP_V3",
        { pool: "0xB775272E537cc670C65DC852908aD47015244EaF", tokens, feePips: 500 },
      ],
      [
        "SUSHISWAP_V3",
        { pool: "0x57713F7716e0b0F65ec116912F834E49805480d2", tokens, feePips: 500 },
      ],
      [
        "SUSHISWAP_V3",
        { pool: "0x41595326AaBe6132FC6C7aE71Af087A3A9DBC9F6", tokens, feePips: 3_000 },
      ],
      ["AERODROME", { pool: "0xcDAC0d6c6C59727a65F871236188350531885C43", tokens }],
      [
        "AERODROME",
        {
          pool: "0x0B25c51637c43decd6CC1C1e3da4518D54ddb528",
          tokens: [
            "0x4621b7A9c75199271F773Ebd9A499dbd165c3191",
            "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA",
          ],
          isStable: true,
        },
      ],
      [
        "SLIPSTREAM",
        { pool: "0xb2cc224c1c9feE385f8ad6a55b4d94E92359DC59", tokens, tickSpacing: 100 },
      ],
      [
        "SLIPSTREAM_CAPS",
        { pool: "0xc758d81B9b81A6FCDAd075bD471874A2c46B54e0", tokens, tickSpacing: 50 },
      ],
      [
        "SLIPSTREAM_V3",
        {
          pool: "0x853F5f1B92b16714Fe6CDA67CAad0856B83C7ab9",
          tokens: [BASE_USDC, "0xb20000000000000000000078ee7ce2fE4908108C"],
          tickSpacing: 10,
        },
      ],
    ];
    for (const [dexId, known] of POOLS)
      expect(isDerived(dexes.get(dexId)!, known), `${dexId} ${known.pool}`).toBe(true);
    expect(new Set([...POOLS.map(([dexId]) => dexId), "UNISWAP_V4"])).toEqual(
      new Set([...dexes.values()].filter(isDerivable).map(({ id }) => id)),
    );
    // Each of Slipstream's three factories has pools of its own.
    const [, first] = POOLS.find(([dexId]) => dexId === "SLIPSTREAM")!;
    for (const other of ["SLIPSTREAM_CAPS", "SLIPSTREAM_V3"])
      expect(isDerived(dexes.get(other)!, first)).toBe(false);
  });
});

describe("the other shipped configurations", () => {
  const POLYGON_WETH = "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619";
  it.each<readonly [id: string, dexId: string, known: Known]>([
    [
      "ARBITRUM",
      "UNISWAP_V3",
      {
        pool: "0xC6962004f452bE9203591991D15f6b388e09E8D0",
        tokens: [
          "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
          "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
        ],
        feePips: 500,
      },
    ],
    [
      "ARBITRUM",
      "PANCAKESWAP_V3",
      {
        pool: "0xd9e2a1a61B6E61b275cEc326465d417e52C1b95c",
        tokens: [
          "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
          "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
        ],
        feePips: 500,
      },
    ],
    [
      "OPTIMISM",
      "UNISWAP_V3",
      {
        pool: "0x1fb3cf6e48F1E7B10213E7b6d87D4c073C7Fdb7b",
        tokens: [
          "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
          "0x4200000000000000000000000000000000000006",
        ],
        feePips: 500,
      },
    ],
    [
      "BNB",
      "UNISWAP_V3",
      {
        pool: "0x6fe9E9de56356F7eDBfcBB29FAB7cd69471a4869",
        tokens: [
          "0x55d398326f99059fF775485246999027B3197955",
          "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c",
        ],
        feePips: 500,
      },
    ],
    [
      "BNB",
      "PANCAKESWAP_V3",
      {
        pool: "0x172fcD41E0913e95784454622d1c3724f546f849",
        tokens: [
          "0x55d398326f99059fF775485246999027B3197955",
          "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c",
        ],
        feePips: 100,
      },
    ],
    [
      "POLYGON",
      "UNISWAP_V3",
      {
        pool: "0x45dDa9cb7c25131DF268515131f647d726f50608",
        tokens: ["0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174", POLYGON_WETH],
        feePips: 500,
      },
    ],
  ])("%s has the factory that a known pool of %s comes from", async (id, dexId, known) => {
    const dexes = await shipped(id);
    expect(isDerived(dexes.get(dexId)!, known)).toBe(true);
    expect(dexes.has("UNISWAP_V4")).toBe(true);
  });
});
