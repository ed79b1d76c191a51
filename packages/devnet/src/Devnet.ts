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
  /** Where it listens, on the loopback interface; a free one without it. */
  readonly port?: number;
  /**
   * The name or address by which other machines reach it: it listens on all addresses then. Whoever
   * reaches it may do with it what he likes. The loopback interface alone without it.
   */
  readonly host?: string;
  /**
   * A node that runs already, with nothing on it yet, instead of anvil: one of this chain id that
   * signs for any account and takes `hardhat_setCode`, as Hardhat's does.
   */
  readonly node?: { readonly url: string; readonly webSocketUrl: string };
  /** Determines the market and what happens on it; 1 without it. */
  readonly seed?: number;
  /**
   * Makes a block of a few actions each time so many milliseconds have passed, for ever; without it
   * the chain stands still until somebody acts.
   */
  readonly trafficEveryMs?: number;
  /**
   * Trading that has been when the devnet is given: so many hours of it up to now, in a block every
   * half hour, and in the last hour every five minutes. 0 without it: all blocks are of now.
   */
  readonly historyHours?: number;
  /**
   * Keeps traffic small beside what the pools hold, moves prices slowly, and has arbitrageurs in
   * each block: pools of a pair agree but for their fees. Without it traffic is as wild as it can
   * be, and there are fortunes of each token.
   */
  readonly orderly?: boolean;
  /** Creation codes, with arguments, of contracts that stand beside the devnet's own. */
  readonly deploy?: (contracts: Contracts) => ReadonlyArray<Hex>;
  /**
   * Adds DEXes of further families, as real networks have them, with traffic of their own: Uniswap
   * V4, PancakeSwap V3 and Algebra Integral, or on BASE Aerodrome and Slipstream; and on both of
   * pools of many tokens. Their pools are in `Devnet.families`, and not among `pools`.
   */
  readonly families?: boolean;
  /** Adds tokens that harm who swaps them, with pools; no traffic touches them. */
  readonly hostileTokens?: boolean;
  /**
   * Leaves the pools as nobody has traded in them: the first swaps use more gas than any later
   * ones. Without it there has been a trade in each, over most of its ticks, and back.
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
  /** Tokens whose price is given, in US dollars. */
  readonly anchors: ReadonlyArray<{
    readonly address: Address;
    readonly decimals: number;
    readonly priceUsd: number;
  }>;
  readonly tokens: ReadonlyArray<DevnetToken>;
  readonly pools: ReadonlyArray<DevnetPool>;
  /** Undefined where they are not asked for. */
  readonly families: DevnetFamilies | undefined;
  readonly contracts: Contracts;
  /** Of `DevnetOptions.deploy`, in its order. */
  readonly deployed: ReadonlyArray<Address>;
  /** Not among `tokens`; their pools are the last of `pools`. None where they are not asked for. */
  readonly hostileTokens: ReadonlyArray<HostileToken>;
  /**
   * Accounts with all tokens, and approvals of `tokens` for all routers. The node signs for them as
   * well.
   */
  readonly traders: ReadonlyArray<Trader>;
  /**
   * Accounts for users, with native tokens and some of all `tokens`, and no approvals. The node
   * signs for them, with keys that everybody knows; nothing of the devnet's own uses them.
   */
  readonly accounts: ReadonlyArray<Address>;
  /** To act at a time of one's own; together with `trafficEveryMs` as well. */
  readonly traffic: Traffic;
}

/** As a chain source is configured with it. */
type DevnetDex = {
  readonly id: string;
  readonly name: string;
  readonly protocol: string;
  /** Of Uniswap V4 the PoolManager. */
  readonly factory: Address;
  readonly startBlock: number;
  readonly initCodeHash?: Hex;
  /** What CREATE2s the pools, where it is not the factory. */
  readonly deployer?: Address;
  /** Only where all pools have the same. */
  readonly feePips?: number;
  /** Contracts that say what swaps give, and of Uniswap V4 what pools are. */
  readonly quoter?: Address;
  readonly stateView?: Address;
  /** What else its protocol is configured with. */
  readonly [setting: string]: unknown;
};

/** See `FamilyPools` for what the contracts say of them. */
export interface DevnetFamilies {
  readonly contracts: FamilyContracts;
  readonly pools: ReadonlyArray<FamilyPool & { readonly dexId: string }>;
  /** See `ManyTokenReader` for those. */
  readonly manyTokens: ReadonlyArray<ManyTokenPool>;
}

interface DevnetToken {
  readonly address: Address;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** See `HostileToken.sol`: its owner, whom the node signs for, may turn it into another kind. */
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
/** What is told of a chain that stands still. */
const BLOCK_TIME_MS = 1_000;
/** Requests of the set-up that travel together: it makes hundreds of transactions. */
const SETUP_BATCH = 200;

/**
 * Starts a node of its own for a network, and builds its market there; about a second, and as much
 * again for a day of trading. Ends with the scope, and with the process, however that ends.
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

/** What there is of each token at least where traffic is wild: it puts in more than pools hold. */
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

/** What goes wrong with a block is nothing to who makes the next. */
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

/** What a chain source has to know of a DEX, by its code; of the families where there are any. */
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
