import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import {
  type Asking,
  type ChainCall,
  type ChainDex,
  type ChainLog,
  chainProtocols,
  type Hex,
} from "@millrace/protocols";
import { readData } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { configOf } from "../kit/service.ts";

// Addresses of Curve and Balancer cannot be derived: these tests compare the shipped ones with
// their deployers' lists, and with pools that were recorded on the chain.

const require = createRequire(fileURLToPath(import.meta.resolve("@millrace/devnet")));

async function shipped(id: string): Promise<ReadonlyMap<string, ChainDex>> {
  const config = await configOf({ [`MILLRACE_${id}_RPC_URLS`]: "http://127.0.0.1:1" });
  const { source } = config.networks[0];
  if (source.kind !== "chain") throw new Error(source.kind);
  return new Map(source.dexes.map((dex) => [dex.id, dex as ChainDex]));
}

const opened = (dex: ChainDex) =>
  chainProtocols.find(({ name }) => name === dex.protocol)!.open(dex);

/** Contracts of a deployment on Ethereum, from Balancer's own package. */
function deployed(task: string): Readonly<Record<string, string>> {
  const place = `@balancer-labs/v2-deployments/dist/tasks/${task}/output/mainnet.json`;
  return JSON.parse(readFileSync(require.resolve(place), "utf8")) as Record<string, string>;
}

const lower = (addresses: ReadonlyArray<string>) => addresses.map((each) => each.toLowerCase());
const word = (value: string | number): string => BigInt(value).toString(16).padStart(64, "0");
const words = (...values: ReadonlyArray<string | number>): Hex => `0x${values.map(word).join("")}`;

/** The result of an asking; `answer` answers each call, by its target and its data. */
function settled<A>(asking: Asking<A>, answer: (to: string, data: string) => Hex | undefined): A {
  let step = asking.next();
  while (step.done !== true) {
    const calls: ReadonlyArray<ChainCall> = step.value;
    step = asking.next(calls.map(({ to, data }) => answer(to, data)));
  }
  return step.value;
}

describe("Balancer V2 as it ships for Ethereum", () => {
  it("has the Vault, factories and rate provider of Balancer's own package", async () => {
    const dex = (await shipped("ETH")).get("BALANCER_V2")!;
    const made = (task: string, name: string) => deployed(task)[name]!.toLowerCase();
    expect(dex.factory).toBe(made("20210418-vault", "Vault"));
    expect(dex["firstWeightedFactories"]).toEqual([
      made("20210418-weighted-pool", "WeightedPoolFactory"),
      made("20210418-weighted-pool", "WeightedPool2TokensFactory"),
    ]);
    expect((dex["weightedFactories"] as ReadonlyArray<string>).slice(0, 2)).toEqual([
      made("20220908-weighted-pool-v2", "WeightedPoolFactory"),
      made("20230206-weighted-pool-v3", "WeightedPoolFactory"),
    ]);
    expect(dex["stableFactories"]).toEqual([
      made("deprecated/20210727-meta-stable-pool", "MetaStablePoolFactory"),
    ]);
    expect((dex["composableFactories"] as ReadonlyArray<string>)[0]).toBe(
      made("20230206-composable-stable-pool-v3", "ComposableStablePoolFactory"),
    );
    expect((dex["rateProviders"] as ReadonlyArray<string>)[0]).toBe(
      made("20210812-wsteth-rate-provider", "WstETHRateProvider"),
    );
  });

  it("lists a recorded pool of wstETH and WETH, whose rate it believes", async () => {
    const dex = (await shipped("ETH")).get("BALANCER_V2")!;
    const { pools } = readData<{
      pools: Record<string, { poolId: Hex; tokens: ReadonlyArray<string> }>;
    }>("families/balancer-v2-stable.json");
    const { poolId, tokens } = pools["wsteth_weth"]!;
    const [provider] = dex["rateProviders"] as ReadonlyArray<string>;
    const [factory] = dex["stableFactories"] as ReadonlyArray<string>;
    const topics: Hex[] = [
      opened(dex).creationTopics[0]!,
      poolId.toLowerCase() as Hex,
      words(poolId.slice(0, 42)),
    ];
    const log: ChainLog = {
      ...{ address: dex.factory, topics, data: words(2) },
      ...{ transactionHash: words(0), logIndex: 0 },
    };
    const created = opened(dex).decodeCreation(log);
    if (created === undefined || !("resolve" in created)) throw new Error("not to be resolved");
    const found = settled(created.resolve(), (to) => {
      if (to === dex.factory) return words(96, 192, 288, 2, ...tokens, 2, 5, 6);
      if (to === poolId.toLowerCase().slice(0, 42)) return words(32, 2, provider!, 0);
      if (tokens.some((token) => token.toLowerCase() === to)) return words(18);
      return words(to === factory ? 1 : 0);
    });
    expect(found).toMatchObject({
      listing: { dexId: "BALANCER_V2", curve: "balancer-stable", tokens: lower(tokens) },
    });
  });
});

describe("Curve as it ships for Ethereum", () => {
  it("lists the recorded 3pool by its address and version", async () => {
    const dex = (await shipped("ETH")).get("CURVE_STABLE")!;
    const { pools } = readData<{
      pools: Record<string, { address: string; tokens: ReadonlyArray<string> }>;
    }>("families/curve-stable.json");
    const { address, tokens } = pools["3pool"]!;
    const found = opened(dex).configured!.map((creation) => {
      if (!("resolve" in creation)) throw new Error("not to be resolved");
      return settled(creation.resolve(), (to, data) => {
        if (to !== address.toLowerCase()) return tokens.some(isOf(to)) ? words(18) : undefined;
        const coin = tokens[Number(BigInt(`0x${data.slice(10) || "0"}`))];
        return coin === undefined ? undefined : words(coin);
      });
    });
    expect(found.filter((each) => each !== undefined)).toMatchObject([
      { listing: { address: address.toLowerCase(), tokens: lower(tokens), curve: "stable-swap" } },
    ]);
    expect(dex["pools"]).toMatchObject({ [address.toLowerCase()]: "plain-2020" });
  });
});

const isOf = (address: string) => (other: string) => other.toLowerCase() === address;

/** Addresses from Curve's documentation and Balancer's list of deployments. */
const DEPLOYED = {
  ETH: {
    CURVE_STABLE_NG: { factory: "0x6A8cbed756804B16E05E741eDaBd5cB544AE21bf" },
    CURVE_TWOCRYPTO: { factory: "0x98EE851a00abeE0d95D08cF4CA2BdCE32aeaAF7F" },
    CURVE_TRICRYPTO: { factory: "0x0c0e5f2fF0ff18a3be9b835635039256dC4B4963" },
    BALANCER_V3: {
      factory: "0xbA1333333333a1BA1108E8412f11850A5C319bA9",
      weightedFactories: ["0x201efd508c8DfE9DE1a13c2452863A78CB2a86Cc"],
      leastBalanceWeightedFactories: ["0x332694Ef46D880DF6Ea9593e04CB8ABEE5F81D99"],
      stableFactories: [
        "0xB9d01CA61b9C181dA1051bFDd28e1097e920AB14",
        "0xe42C2E153BB0A8899b59C73F5Ff941f9742F1197",
        "0xD53F5d8d926fb2a0f7Be614B16e649B8aC102D83",
        "0x355bD33F0033066BB3DE396a6d069be57353AD95",
      ],
      boundedStableFactories: [
        "0x4eFcd8bcE8AC9b94bd76648e2c85bEf6c40F3228",
        "0x187a05fb9e4234Dd310ae74215743560D1BAA6Ac",
      ],
      surgeHooks: [
        "0xb18fA0cb5DE8cecB8899AAE6e38b1B7ed77885dA",
        "0xBDbADc891BB95DEE80eBC491699228EF0f7D6fF1",
      ],
      router: "0xAE563E3f8219521950555F5962419C8919758Ea2",
    },
    LIDO: { factory: "0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0" },
  },
  BASE: {
    CURVE_STABLE_NG: { factory: "0xd2002373543Ce3527023C75e7518C274A51ce712" },
    CURVE_TWOCRYPTO: { factory: "0xc9Fe0C63Af9A39402e8a5514f9c43Af0322b665F" },
    CURVE_TRICRYPTO: { factory: "0xA5961898870943c68037F6848d2D866Ed2016bcB" },
    BALANCER_V2: {
      factory: "0xBA12222222228d8Ba445958a75a0704d566BF2C8",
      weightedFactories: ["0x4C32a8a8fDa4E24139B51b456B42290f51d6A1c4"],
      composableFactories: [
        "0x8df317a729fcaA260306d7de28888932cb579b88",
        "0x956CCab09898C0AF2aCa5e6C229c3aD4E93d9288",
      ],
    },
    BALANCER_V3: {
      factory: "0xbA1333333333a1BA1108E8412f11850A5C319bA9",
      weightedFactories: ["0x5cF4928a3205728bd12830E1840F7DB85c62a4B9"],
      leastBalanceWeightedFactories: ["0xBDbADc891BB95DEE80eBC491699228EF0f7D6fF1"],
      stableFactories: [
        "0xb9F8AB3ED3F3aCBa64Bc6cd2DcA74B7F38fD7B88",
        "0xC49Ca921c4CD1117162eAEEc0ee969649997950c",
        "0x4fb47126Fa83A8734991E41B942Ac29A3266C968",
        "0x8e3fEaAB11b7B351e3EA1E01247Ab6ccc847dD52",
      ],
      boundedStableFactories: [
        "0xFc2986feAB34713E659da84F3B1FA32c1da95832",
        "0x6623d1CEEaB236ae93aCAfB285dDFB77336B6981",
      ],
      surgeHooks: [
        "0xb2007B8B7E0260042517f635CFd8E6dD2Dd7f007",
        "0xDB8d758BCb971e482B2C45f7F8a7740283A1bd3A",
      ],
      router: "0x3f170631ed9821Ca51A59D996aB095162438DC10",
    },
  },
};

describe("Curve and Balancer as they ship", () => {
  it.each(Object.entries(DEPLOYED))(
    "have the contracts of %s that were deployed",
    async (id, all) => {
      const dexes = await shipped(id);
      for (const [dexId, contracts] of Object.entries(all)) {
        const expected = JSON.parse(JSON.stringify(contracts).toLowerCase());
        const settings = JSON.parse(JSON.stringify(dexes.get(dexId)).toLowerCase());
        expect(settings, `${id} ${dexId}`).toMatchObject(expected);
        opened(dexes.get(dexId)!);
      }
    },
  );
});
