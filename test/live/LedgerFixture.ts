import type { Address } from "@millrace/core";
import { type Devnet, type DevnetOptions, startDevnet } from "@millrace/devnet";
import type { Hex } from "@millrace/protocols";
import { TestScope } from "@millrace/testing";
import { type Account, allDifferences } from "../reference/marketLedgerDifferences.ts";
import { Chain } from "./Chain.ts";
import { ExpectedLedger } from "./ExpectedLedger.ts";
import {
  type MarketService,
  type MarketServiceOptions,
  openMarketService,
} from "./MarketService.ts";
import { GAS, RandomTraders } from "./RandomTraders.ts";
import { TRADING } from "./tradingActs.ts";

/** A devnet with traders who keep a ledger of their swaps, and services that come and go. */
export interface LedgerFixture {
  readonly devnet: Devnet;
  readonly chain: Chain;
  readonly crowd: RandomTraders;
  readonly keeper: ExpectedLedger;
  readonly run: TestScope["run"];
  /** Starts a service; it ends with `killAll` or the scene at the latest. */
  readonly open: (options?: MarketServiceOptions) => Promise<MarketService>;
  readonly killAll: () => Promise<void>;
  /** The traders' ledger, with a service's prices of blocks from when they were new. */
  readonly account: (service?: MarketService) => Promise<Account>;
  /** Differences between a service at the head and the traders' ledger. */
  readonly differences: (service: MarketService) => Promise<ReadonlyArray<string>>;
  /** Replaces `depth` blocks by others with other transactions. */
  readonly reorganise: (depth: number, transactions: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

export const openLedgerFixture = (
  seed: number,
  options: Omit<DevnetOptions, "network" | "seed"> = {},
): Promise<LedgerFixture> =>
  TestScope.open(async (scope) => {
    const { run } = scope;
    const services: MarketService[] = [];
    const killAll = async () => {
      for (const service of services.splice(0)) await service.kill();
    };
    const close = async () => {
      await killAll();
      await scope.close();
    };
    const devnet = await run(startDevnet({ network: "ETH", seed, ...options }));
    const chain = new Chain(devnet.rpcUrl, devnet.contracts.multicall3);
    const crowd = new RandomTraders(chain, devnet, seed, TRADING);
    const keeper = new ExpectedLedger(chain, devnet);
    const pricesOf = new Map<MarketService, Map<Hex, ReadonlyMap<Address, number>>>();

    async function open(given: MarketServiceOptions = {}): Promise<MarketService> {
      const prices = new Map<Hex, ReadonlyMap<Address, number>>();
      const service = await openMarketService(devnet, chain, {
        ...given,
        onBlock: (inside, block) => {
          if (block.swaps.length > 0) prices.set(block.stamp.hash, pricesNow(inside));
          given.onBlock?.(inside, block);
        },
      });
      services.push(service);
      pricesOf.set(service, prices);
      return service;
    }

    async function account(service?: MarketService): Promise<Account> {
      const prices = service && pricesOf.get(service);
      return {
        ...(await keeper.account()),
        priceUsd: (token, { stamp }) => prices?.get(stamp.hash)?.get(token),
      };
    }

    async function differences(service: MarketService): Promise<ReadonlyArray<string>> {
      await service.caughtUp();
      const { engine, data } = service;
      return allDifferences({ graph: engine.graph, data }, await account(service));
    }

    async function reorganise(depth: number, transactions: number): Promise<void> {
      const others = await crowd.decide(transactions);
      const placed = others.map((sending, index) => [{ ...sending, gas: GAS }, index % depth]);
      await chain.request("anvil_reorg", [depth, placed]);
    }

    const acts = { open, killAll, account, differences, reorganise, close };
    return { devnet, chain, crowd, keeper, run, ...acts };
  });

function pricesNow({ engine, data }: Pick<MarketService, "engine" | "data">) {
  const { graph } = engine;
  const prices = new Map<Address, number>();
  for (let token = 0; token < graph.tokenCount; token++) {
    const index = token as Parameters<typeof data.price>[0];
    prices.set(graph.tokenAddress(index), data.price(index).priceUsd);
  }
  return prices;
}
