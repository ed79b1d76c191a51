import { Effect, Schedule, type Scope } from "effect";
import type { Address, Hex } from "viem";
import type { Contracts } from "./contracts/Contracts.ts";
import type { FamilyContracts } from "./contracts/FamilyContracts.ts";
import { DevnetError } from "./DevnetError.ts";
import type { FamilyPool } from "./families/FamilyPool.ts";
import type { ManyTokenPool } from "./manyTokens/ManyTokenPool.ts";
import { MANY_TOKENS } from "./manyTokens/manyTokenPlans.ts";
import { addHostileTokens, type HostileMarket } from "./market/addHostileTokens.ts";
import { buildMarket, endSetUp, secondsBehind } from "./market/buildMarket.ts";
import { planWithFamilies } from "./market/familyPlans.ts";
import type { HostileKind } from "./market/hostileTokens.ts";
import { FORK_FEE_PIPS, type Market, type Trader, V2_FEE_PIPS } from "./market/Market.ts";
import { type DexCode, NETWORKS, type NetworkId, type NetworkPlan } from "./market/networks.ts";
import { makeRandom, type SeededRandom } from "./market/random.ts";
import { makeNode, type Node } from "./node/Node.ts";
import { startAnvil } from "./node/startAnvil.ts";
import { sendSync } from "./node/transactions.ts";
import { makeTraffic, type Traffic } from "./traffic/Traffic.ts";
import { pastSeconds, tradePast } from "./traffic/tradePast.ts";

export interface DevnetOptions {
  readonly network: NetworkId;
  /** Port to listen on, on the loopback interface. Default: a free one. */
  readonly port?: number;
  /**
   * The name or address by which other machines reach the devnet, which then listens on all
   * addresses. Whoever reaches it has full control of it. Default: the loopback interface alone.
   */
  readonly host?: string;
  /**
   * A running, empty node to use instead of anvil. It must have this chain id, sign for any account
   * and support `hardhat_setCode`, as Hardhat's does.
   */
  readonly node?: { readonly url: string; readonly webSocketUrl: string };
  /** Determines the market and its traffic. Default 1. */
  readonly seed?: number;
  /**
   * Milliseconds from one block of a few actions to the next, without end. By default nothing
   * happens until somebody acts.
   */
  readonly trafficEveryMs?: number;
  /**
   * Hours of past trading when the devnet starts: a block every half hour, and every five minutes
   * in the last hour. Default 0: all blocks are new.
   */
  readonly historyHours?: number;
  /**
   * Keeps traffic small relative to the pools, moves prices slowly, and adds arbitrageurs to each
   * block, so that pools of a pair agree within their fees. Without it traffic is as wild as
   * possible, and the supply of each token is huge.
   */
  readonly orderly?: boolean;
  /** Creation codes, with arguments, of further contracts to deploy. */
  readonly deploy?: (contracts: Contracts) => ReadonlyArray<Hex>;
  /**
   * Adds DEXes of further families, as real networks have them, with traffic of their own: Uniswap
   * V4, PancakeSwap V3 and Algebra Integral; on BASE Aerodrome and Slipstream; on both, pools of
   * many tokens. Their pools are in `Devnet.families`, not in `pools`.
   */
  readonly families?: boolean;
  /** Adds tokens that harm whoever swaps them, with pools; no traffic touches them. */
  readonly hostileTokens?: boolean;
  /**
   * Leaves the pools without any trade: the first swaps then use more gas than later ones. By
   * default each pool has had a trade over most of its ticks, and back.
   */
  readonly untraded?: boolean;
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
  /** Tokens whose dollar price is given. */
  readonly anchors: ReadonlyArray<{
    readonly address: Address;
    readonly decimals: number;
    readonly priceUsd: number;
  }>;
  readonly tokens: ReadonlyArray<DevnetToken>;
  readonly pools: ReadonlyArray<DevnetPool>;
  /** Undefined without `DevnetOptions.families`. */
  readonly families: DevnetFamilies | undefined;
  readonly contracts: Contracts;
  /** Addresses of the contracts of `DevnetOptions.deploy`, in its order. */
  readonly deployed: ReadonlyArray<Address>;
  /**
   * Not among `tokens`; their pools come last in `pools`. Empty without
   * `DevnetOptions.hostileTokens`.
   */
  readonly hostileTokens: ReadonlyArray<HostileToken>;
  /**
   * Accounts with all tokens, which have approved all routers for `tokens`. The node signs for them
   * too.
   */
  readonly traders: ReadonlyArray<Trader>;
  /**
   * Accounts for users, with native tokens and some of all `tokens`, and without approvals. The
   * node signs for them, with publicly known keys. The devnet itself never uses them.
   */
  readonly accounts: ReadonlyArray<Address>;
  /** For acting at chosen times; works beside `trafficEveryMs`. */
  readonly traffic: Traffic;
}

/** A DEX in the form in which a chain source is configured. */
type DevnetDex = {
  readonly id: string;
  readonly name: string;
  readonly protocol: string;
  /** For Uniswap V4, the PoolManager. */
  readonly factory: Address;
  readonly startBlock: number;
  readonly initCodeHash?: Hex;
  /** The contract that creates the pools by CREATE2, where it is not the factory. */
  readonly deployer?: Address;
  /** Only where all pools have the same fee. */
  readonly feePips?: number;
  /** Contract that quotes swaps; for Uniswap V4, also the one that reads pools. */
  readonly quoter?: Address;
  readonly stateView?: Address;
  /** Further settings of its protocol. */
  readonly [setting: string]: unknown;
};

/** `FamilyPools` reads these pools from their contracts. */
export interface DevnetFamilies {
  readonly contracts: FamilyContracts;
  readonly pools: ReadonlyArray<FamilyPool & { readonly dexId: string }>;
  /** `ManyTokenReader` reads these pools from their contracts. */
  readonly manyTokens: ReadonlyArray<ManyTokenPool>;
}

interface DevnetToken {
  readonly address: Address;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** See `HostileToken.sol`. Its owner, whom the node signs for, may turn it into another kind. */
interface HostileToken extends DevnetToken {
  readonly kind: HostileKind;
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
/** The block time given for a chain without traffic. */
const BLOCK_TIME_MS = 1_000;
/** Requests of the set-up in one batch; it makes hundreds of transactions. */
const SETUP_BATCH = 200;

/**
 * Starts a node for a network and builds its market on it. Takes about a second, and as much again
 * for a day of trading. Ends with the scope, and with the process, however that ends.
 */
export const startDevnet: (
  options: DevnetOptions,
) => Effect.Effect<Devnet, DevnetError, Scope.Scope> = Effect.fnUntraced(function* ({
  network,
  port: wantedPort = 0,
  host,
  node: given,
  seed = 1,
  trafficEveryMs,
  historyHours = 0,
  orderly = false,
  deploy = () => [],
  families = false,
  hostileTokens = false,
  untraded = false,
}) {
  const sane = families ? planWithFamilies(network) : NETWORKS[network];
  const plan = orderly ? sane : withFortunes(sane);
  const behindS = secondsBehind(plan) + pastSeconds(historyHours);
  const own =
    given ?? urlsOf("127.0.0.1", yield* startAnvil(plan.chainId, behindS, wantedPort, host));
  const { url: rpcUrl, webSocketUrl } =
    host === undefined ? own : urlsOf(host, Number(new URL(own.url).port));
  const setUp = makeNode(own.url, SETUP_BATCH);
  const many = families ? MANY_TOKENS[network] : undefined;
  const { market, accounts } = yield* buildMarket(setUp, plan, seed, untraded, many);
  const hostile = hostileTokens ? yield* addHostileTokens(setUp, market, seed) : NONE;
  if (historyHours > 0) yield* tradePast(setUp, market, seed, historyHours);
  yield* endSetUp(setUp);
  const node = makeNode(own.url);
  const deployed = yield* Effect.forEach(deploy(market.contracts), (code) =>
    deployOne(node, market.deployer, code),
  );
  const traffic = yield* makeTraffic(node, market, seed, orderly);
  if (trafficEveryMs !== undefined)
    yield* Effect.forkScoped(keepBusy(traffic, trafficEveryMs, makeRandom(seed)));
  return {
    traffic,
    rpcUrl,
    blockTimeMs: trafficEveryMs ?? BLOCK_TIME_MS,
    webSocketUrl,
    ...{ deployed, accounts },
    ...describe(market, hostile),
  };
});

const urlsOf = (host: string, port: number) => ({
  url: `http://${host}:${port}`,
  webSocketUrl: `ws://${host}:${port}`,
});

/** The least supply of each token under wild traffic, which adds more than pools hold. */
const FORTUNE_USD = 14e9;

const withFortunes = (plan: NetworkPlan): NetworkPlan => ({
  ...plan,
  tokens: plan.tokens.map((token) => ({
    ...token,
    capUsd: Math.max(token.capUsd, FORTUNE_USD),
  })),
});

const NONE: HostileMarket = { tokens: [], pools: [] };

const deployOne = Effect.fnUntraced(function* (node: Node, from: Address, data: Hex) {
  const receipt = yield* sendSync(node, { from, transaction: { data } });
  if (receipt.status === "0x1") return receipt.contractAddress!.toLowerCase() as Address;
  return yield* new DevnetError({
    reason: "Reverted",
    detail: "a contract that was to be deployed",
  });
});

const ACTIONS_MAX = 3;

/** Makes blocks for ever; a block that fails does not stop the next. */
const keepBusy = (traffic: Traffic, everyMs: number, random: SeededRandom) =>
  Effect.suspend(() => traffic.block(1 + random.index(ACTIONS_MAX))).pipe(
    Effect.ignoreCause,
    Effect.repeat(Schedule.fixed(everyMs)),
  );

function describe(market: Market, hostile: HostileMarket) {
  const { plan, contracts, tokens, pools, traders, families, manyTokens } = market;
  const settings = settingsOf(market);
  return {
    chainId: plan.chainId,
    startBlock: START_BLOCK,
    dexes: [
      ...plan.dexes.map(({ id, name, dexCode }) => ({
        ...{ id, name, startBlock: START_BLOCK },
        ...settings[dexCode]!,
      })),
      ...manyTokens.dexes.map(({ id, name, settings: settingsOfMany }) => {
        const own = manyTokens.pools.filter(({ pool: { dexId } }) => dexId === id);
        return {
          id,
          name,
          startBlock: START_BLOCK,
          ...settingsOfMany({ ...market, families: families! }, own),
        };
      }),
    ],
    families: families && {
      contracts: families,
      pools: pools.flatMap(({ dexId, family }) => (family ? [{ ...family, dexId }] : [])),
      manyTokens: manyTokens.pools.map(({ pool }) => pool),
    },
    wrappedNative: contracts.wrappedNative,
    anchors: tokens
      .filter(({ symbol }) => plan.anchors.includes(symbol))
      .map(({ address, decimals, priceUsd }) => ({ address, decimals, priceUsd })),
    tokens: tokens.map(describeToken),
    hostileTokens: hostile.tokens.map((token) => ({ ...describeToken(token), kind: token.kind })),
    pools: [...pools, ...hostile.pools]
      .filter(({ family }) => family === undefined)
      .map(({ address, dexId, token0, token1, feePips }) => ({
        ...{ address, dexId, token0: token0.address, token1: token1.address, fee: feePips },
      })),
    contracts,
    traders,
  };
}

/**
 * The settings of each DEX for a chain source, by its code; those of the families if there are any.
 */
function settingsOf({
  contracts,
  hashes,
  families,
}: Market): Readonly<
  Partial<Record<DexCode, { readonly protocol: string; readonly factory: Address }>>
> {
  const first = {
    v2: pairs(contracts.v2Factory, hashes.v2, V2_FEE_PIPS),
    v2Sister: pairs(contracts.v2SisterFactory, hashes.v2, V2_FEE_PIPS),
    v2Fork: pairs(contracts.v2ForkFactory, hashes.fork, FORK_FEE_PIPS),
    v3: {
      protocol: "concentrated-liquidity",
      ...{ factory: contracts.v3Factory, initCodeHash: hashes.v3, quoter: contracts.quoterV2 },
    },
  };
  if (families === undefined) return first;
  const { uniswapV4, pancakeV3, algebra, aerodrome, slipstream } = families;
  return {
    ...first,
    v4: {
      ...{ protocol: "uniswap-v4", factory: uniswapV4.poolManager },
      ...{ stateView: uniswapV4.stateView, quoter: uniswapV4.v4Quoter },
    },
    pancakeV3: {
      ...{ protocol: "pancake-v3", factory: pancakeV3.factory },
      ...{ deployer: pancakeV3.poolDeployer, initCodeHash: pancakeV3.initCodeHash },
    },
    algebra: {
      ...{ protocol: "algebra-integral", factory: algebra.factory, quoter: algebra.quoterV2 },
      ...{ deployer: algebra.poolDeployer, initCodeHash: algebra.initCodeHash },
    },
    aerodrome: { protocol: "aerodrome", ...codeOf(aerodrome) },
    slipstream: { protocol: "slipstream", ...codeOf(slipstream) },
  };
}

const codeOf = ({ factory, initCodeHash }: FamilyContracts["aerodrome"]) => ({
  factory,
  initCodeHash,
});

const describeToken = ({ address, symbol, name, decimals }: DevnetToken): DevnetToken => ({
  ...{ address, symbol, name, decimals },
});

const pairs = (factory: Address, initCodeHash: Hex, feePips: number) => ({
  protocol: "constant-product",
  ...{ factory, initCodeHash, feePips },
});
