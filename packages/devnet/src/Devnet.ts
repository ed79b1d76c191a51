import { Effect, Schedule, type Scope } from "effect";
import type { Address, Hex } from "viem";
import type { Contracts } from "./contracts/Contracts.ts";
import type { DevnetError } from "./DevnetError.ts";
import { buildMarket } from "./market/buildMarket.ts";
import { FORK_FEE_PIPS, type Market, type Trader, V2_FEE_PIPS } from "./market/Market.ts";
import { NETWORKS, type NetworkId, type Venue } from "./market/networks.ts";
import { makeRandom, type Random } from "./market/random.ts";
import { makeNode } from "./node/Node.ts";
import { startAnvil } from "./node/startAnvil.ts";
import { makeTraffic, type Traffic } from "./traffic/Traffic.ts";

export interface DevnetOptions {
  readonly network: NetworkId;
  /** Determines the market and what happens on it; 1 without it. */
  readonly seed?: number;
  /**
   * Makes a block of a few actions each time so many milliseconds have passed, for ever; without it
   * the chain stands still until somebody acts.
   */
  readonly trafficEveryMs?: number;
}

/** A chain of one node, with a market on it. Addresses are in lower case. */
export interface Devnet {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly webSocketUrl: string;
  readonly blockTimeMs: number;
  /** The block of the factories; no pool or token is older. */
  readonly startBlock: number;
  readonly dexes: ReadonlyArray<DevnetDex>;
  readonly wrappedNative: Address;
  /** Tokens whose price is given, in US dollars. */
  readonly anchors: ReadonlyArray<{
    readonly address: Address;
    readonly decimals: number;
    readonly priceUsd: number;
  }>;
  readonly tokens: ReadonlyArray<DevnetToken>;
  readonly pools: ReadonlyArray<DevnetPool>;
  readonly contracts: Contracts;
  /** Accounts with all tokens and approvals for all routers. The node signs for them as well. */
  readonly traders: ReadonlyArray<Trader>;
  /** To act at a time of one's own; together with `trafficEveryMs` as well. */
  readonly traffic: Traffic;
}

interface DevnetDex {
  readonly id: string;
  readonly name: string;
  readonly protocol: "constant-product" | "concentrated-liquidity";
  readonly factory: Address;
  readonly initCodeHash: Hex;
  /** Only where all pools have the same. */
  readonly feePips?: number;
  readonly startBlock: number;
}

interface DevnetToken {
  readonly address: Address;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

interface DevnetPool {
  readonly address: Address;
  readonly dexId: string;
  readonly token0: Address;
  readonly token1: Address;
  /** In hundredths of a basis point. */
  readonly fee: number;
}

const START_BLOCK = 1;
/** What is told of a chain that stands still. */
const BLOCK_TIME_MS = 1_000;
/** Requests of the set-up that travel together: it makes hundreds of transactions. */
const SETUP_BATCH = 200;

/**
 * Starts a node of its own for a network, and builds its market there; about a second. Ends with
 * the scope, and with the process, however that ends.
 */
export const startDevnet: (
  options: DevnetOptions,
) => Effect.Effect<Devnet, DevnetError, Scope.Scope> = Effect.fnUntraced(function* ({
  network,
  seed = 1,
  trafficEveryMs,
}) {
  const plan = NETWORKS[network];
  const port = yield* startAnvil(plan.chainId);
  const rpcUrl = `http://127.0.0.1:${port}`;
  const market = yield* buildMarket(makeNode(rpcUrl, SETUP_BATCH), plan, seed);
  const node = makeNode(rpcUrl);
  const traffic = yield* makeTraffic(node, market, seed);
  if (trafficEveryMs !== undefined)
    yield* Effect.forkScoped(keepBusy(traffic, trafficEveryMs, makeRandom(seed)));
  return {
    traffic,
    rpcUrl,
    blockTimeMs: trafficEveryMs ?? BLOCK_TIME_MS,
    webSocketUrl: `ws://127.0.0.1:${port}`,
    ...describe(market),
  };
});

const ACTIONS_MAX = 3;

/** What goes wrong with a block is nothing to who makes the next. */
const keepBusy = (traffic: Traffic, everyMs: number, random: Random) =>
  Effect.suspend(() => traffic.block(1 + random.index(ACTIONS_MAX))).pipe(
    Effect.ignoreCause,
    Effect.repeat(Schedule.fixed(everyMs)),
  );

function describe({ plan, contracts, hashes, tokens, pools, traders }: Market) {
  const venues: Readonly<Record<Venue, Omit<DevnetDex, "id" | "name" | "startBlock">>> = {
    v2: pairs(contracts.v2Factory, hashes.v2, V2_FEE_PIPS),
    v2Sister: pairs(contracts.v2SisterFactory, hashes.v2, V2_FEE_PIPS),
    v2Fork: pairs(contracts.v2ForkFactory, hashes.fork, FORK_FEE_PIPS),
    v3: {
      protocol: "concentrated-liquidity",
      factory: contracts.v3Factory,
      initCodeHash: hashes.v3,
    },
  };
  return {
    chainId: plan.chainId,
    startBlock: START_BLOCK,
    dexes: plan.dexes.map(({ id, name, venue }) => ({
      ...{ id, name, startBlock: START_BLOCK },
      ...venues[venue],
    })),
    wrappedNative: contracts.wrappedNative,
    anchors: tokens
      .filter(({ symbol }) => plan.anchors.includes(symbol))
      .map(({ address, decimals, priceUsd }) => ({ address, decimals, priceUsd })),
    tokens: tokens.map(({ address, symbol, name, decimals }) => ({
      ...{ address, symbol, name, decimals },
    })),
    pools: pools.map(({ address, dexId, token0, token1, feePips }) => ({
      ...{ address, dexId, token0: token0.address, token1: token1.address, fee: feePips },
    })),
    contracts,
    traders,
  };
}

const pairs = (factory: Address, initCodeHash: Hex, feePips: number) => ({
  protocol: "constant-product" as const,
  ...{ factory, initCodeHash, feePips },
});
