import { Effect, Schema } from "effect";
import { isAddressRange } from "../limits/TrustedProxies.ts";
import { isFirstWord } from "../routes/routeTable.ts";
import {
  count,
  FileOrUrl,
  HexAddress,
  integer,
  NonEmptyText,
  PositivePrice,
  repeated,
  Sha256,
  UsDollars,
} from "./checks.ts";
import { MarketSourceConfig } from "./MarketSourceConfig.ts";

/** The complete, checked configuration: see `loadConfig`. */
export type ServerConfig = typeof ServerConfig.Type;
export type NetworkConfig = ServerConfig["networks"][number];
/** A network that follows a configured chain. */
export type ChainNetworkConfig = NetworkConfig & {
  readonly source: Extract<NetworkConfig["source"], { readonly kind: "chain" }>;
};

const DAY_MS = 86_400_000;
/** A century. */
const DAYS_MAX = 36_500;
const TOKEN_LISTS_MAX = 32;
/** Each request with a key is compared with all of them. */
const API_KEYS_MAX = 100;

const Milliseconds = Schema.Number.check(
  Schema.isBetween({ minimum: 0, maximum: DAY_MS }, { expected: "milliseconds, 0 to 86400000" }),
  Schema.isInt(),
);

/** Contracts that execute swaps. */
const Routers = Schema.Struct({
  /** Our own contract; see `millrace executor`. */
  executor: Schema.optionalKey(HexAddress),
  universalRouter: Schema.optionalKey(
    Schema.Struct({
      address: HexAddress,
      /** Later versions encode differently. */
      version: Schema.Literal("2.0"),
      /** Without it, the address on nearly all chains. */
      permit2: Schema.optionalKey(HexAddress),
      /** The DEXes of the factories and the pool manager that the router was deployed with. */
      v2DexId: Schema.optionalKey(NonEmptyText),
      v3DexId: Schema.optionalKey(NonEmptyText),
      v4DexId: Schema.optionalKey(NonEmptyText),
    }),
  ),
});

const PoolName = Schema.String.check(
  Schema.isPattern(/^0x[0-9a-fA-F]{40}([0-9a-fA-F]{24})?$/u, {
    expected: "an address, or an id of 32 bytes",
  }),
);

/** How swaps and candles are stored. */
const HistoryRules = Schema.Struct({
  /** Days of swaps before the start that are read; 0: nothing is kept. */
  days: usually(days(0), 1),
  /** Days after which swaps and candles are deleted; without it, never. */
  keptDays: Schema.optionalKey(days(1)),
  /** Keeps the state of the market at each block, so that it can be opened as of any of them. */
  states: Schema.optionalKey(
    Schema.Struct({
      /** The whole state is written again after so many blocks. */
      everyBlocks: count(1_000_000),
      /** Only these pools, by address or id of 32 bytes; without it, all. */
      pools: Schema.optionalKey(Schema.NonEmptyArray(PoolName)),
    }),
  ),
}).check(
  Schema.makeFilter(({ days: wanted, keptDays = Number.POSITIVE_INFINITY }) =>
    keptDays < wanted ? [{ path: ["keptDays"], issue: "Expected at least `days`" }] : [],
  ),
);

const Network = Schema.Struct({
  id: Schema.String.check(
    Schema.isPattern(/^[A-Z][A-Z0-9_]{0,31}$/u, {
      expected: "an upper-case id, such as ETH",
    }),
    Schema.makeFilter((id: string) => !isFirstWord(id) || `paths of the service begin with ${id}`),
  ),
  chainId: count(Number.MAX_SAFE_INTEGER),
  name: NonEmptyText,
  source: MarketSourceConfig,
  nativeSymbol: Schema.optionalKey(NonEmptyText),
  nativeName: Schema.optionalKey(NonEmptyText),
  wrappedNative: Schema.optionalKey(HexAddress),
  /** Tokens with a configured price; all other prices derive from them. */
  anchors: Schema.Array(Schema.Struct({ address: HexAddress, priceUsd: PositivePrice })),
  /** Tokens known to transfer exactly what is asked: quotes do not list them as unverified. */
  plainTokens: Schema.Array(HexAddress),
  /** Tokens left out of the market, with all their pools: their transfers are not plain. */
  excludedTokens: Schema.Array(HexAddress),
  /**
   * Tokens that are never in the middle of a route, whatever their verdict; they are quoted where a
   * request names them.
   */
  barredTokens: Schema.Array(HexAddress),
  routers: Routers,
  /** Tokens that refuse a new allowance before the old one is zero: they need two approvals. */
  approvalResetTokens: Schema.Array(HexAddress),
  /** The fee that a transaction pays beside its gas, for its data on layer 1; without it, none. */
  dataFee: Schema.optionalKey(Schema.Literal("op-stack")),
  /** How long the verdict on a token is trusted, in milliseconds. */
  tokenRetestMs: integer(1_000, DAY_MS),
  /** A pool of less depth, in US dollars, sets no price. */
  depthFloorUsd: UsDollars,
  /**
   * Token lists in Uniswap's format, the first takes precedence. They say which tokens are listed,
   * and name those without a name on the chain.
   */
  tokenLists: Schema.Array(FileOrUrl).check(
    Schema.isMaxLength(TOKEN_LISTS_MAX, { expected: `at most ${TOKEN_LISTS_MAX} lists` }),
  ),
  /** A file with the circulating supplies of tokens; without it, the whole supply circulates. */
  supplyFile: Schema.optionalKey(NonEmptyText),
  /** How many trades are kept: the newest, of all pools together. */
  tradesMax: count(1_000_000),
  /** Memory for the candles of all tokens and pools together, in MiB. */
  candleMiB: count(16_384),
  /** Hours of swaps before the start that are read from chains. */
  historyHours: Schema.Number.check(
    Schema.isBetween({ minimum: 0, maximum: 24 }, { expected: "hours, 0 to 24" }),
  ),
  /** What is kept for longer, where there is a folder or a database for it. */
  history: HistoryRules,
  /** The most gas that a transaction may use: no route needs more. */
  gasLimit: integer(200_000, 1_000_000_000_000),
  /** A head older than this is not ready; null for no limit. */
  headAgeLimitMs: Schema.NullOr(Milliseconds),
});

/** Rules of WebSockets; missing ones have defaults. */
const StreamRules = Schema.Struct({
  connectionsPerAddress: usually(count(1_000_000), 8),
  subscriptionsMax: usually(count(100_000), 100),
  operationsPerSecond: usually(count(100_000), 20),
  messageBytesMax: usually(integer(1_024, 1_048_576), 16_384),
  /** Bytes that may wait for a slow reader before its connection is closed. */
  bufferedBytesMax: usually(integer(131_072, 67_108_864), 262_144),
  heartbeatMs: usually(integer(1_000, 3_600_000), 15_000),
});

/** Units of cost: see `limits/costs.ts`. */
const budget = {
  perSecond: count(1_000_000),
  /** Units that may be spent at once after a pause; always enough for a swap. */
  burst: Schema.optionalKey(integer(60, 1_000_000_000)),
};

/** How much each client may ask; what is missing is not limited. */
const LimitRules = Schema.Struct({
  /** The budget of each client address; an IPv6 client is a whole /64. */
  address: Schema.optionalKey(Schema.Struct(budget)),
  /** A client that sends one of these keys has the budget of the key instead. */
  keys: usually(
    Schema.Array(
      Schema.Struct({
        /** A name for people to read. */
        name: NonEmptyText,
        /** SHA-256 of the key, which is stored nowhere itself. */
        sha256: Sha256,
        ...budget,
      }),
    ).check(
      Schema.isMaxLength(API_KEYS_MAX, { expected: `at most ${API_KEYS_MAX} keys` }),
      Schema.makeFilter(
        (keys: ReadonlyArray<{ readonly name: string; readonly sha256: string }>) => [
          ...repeated(keys, "name", "keys"),
          ...repeated(keys, "sha256", "keys"),
        ],
      ),
    ),
    [],
  ),
  /** Whether requests are refused when more come than can be answered. */
  shedding: usually(Schema.Boolean, true),
  /** Milliseconds that requests may wait: while they would wait longer, some are refused. */
  waitMs: usually(
    Schema.Number.check(
      Schema.isBetween({ minimum: 1, maximum: 60_000 }, { expected: "1 to 60000 ms" }),
    ),
    100,
  ),
  /** Proxies whose `X-Forwarded-For` is trusted: addresses, and ranges such as `10.0.0.0/8`. */
  trustedProxies: usually(
    Schema.Array(
      Schema.String.check(
        Schema.makeFilter(
          (text: string) =>
            isAddressRange(text) || "Expected an address, or a range such as 10.0.0.0/8",
        ),
      ),
    ),
    [],
  ),
}).check(
  Schema.makeFilter(({ address, keys }) =>
    address === undefined && keys.length > 0
      ? [{ path: ["address"], issue: "Needed beside keys: who sends none would not be limited" }]
      : [],
  ),
);

/** How servers share the markets of chains. */
const FeedRules = Schema.Struct({
  url: Schema.String.check(
    Schema.isPattern(/^rediss?:\/\/[^\s]+$/u, {
      expected: "a URL that begins with redis:// or rediss://",
    }),
  ),
  /** The feed's name: the same for all its servers, and for no others. */
  name: Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9_.-]{1,64}$/u, {
      expected: "1 to 64 letters, digits, and _ . -",
    }),
  ),
  /**
   * When this server follows the chain itself, to publish it: once no other server does
   * (`whenFree`); always, to take over at once (`standby`); or `never`.
   */
  lead: usually(Schema.Literals(["whenFree", "standby", "never"]), "whenFree"),
  /** How long a silent leader stays the leader. */
  leaseMs: usually(integer(500, 600_000), 2_000),
  /** How long the market is served after the last sign of a leader. */
  silenceMs: usually(integer(1_000, 3_600_000), 15_000),
});

const Port = Schema.Number.check(
  Schema.isBetween({ minimum: 0, maximum: 65_535 }, { expected: "a port, 0 to 65535" }),
  Schema.isInt(),
);

export const ServerConfig = Schema.Struct({
  host: NonEmptyText,
  /** 0 takes a free port. */
  port: Port,
  logLevel: Schema.Literals(["debug", "info", "warn", "error", "none"]),
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  logFormat: Schema.Literals(["auto", "pretty", "json"]),
  /** Origins whose pages may read answers; `*` for all. */
  corsOrigins: Schema.Union([Schema.Literal("*"), Schema.Array(Origin())]),
  /** Time between the end of readiness and the end of listening. */
  readinessDelayMs: Milliseconds,
  /** Time that requests in flight have to finish. */
  gracePeriodMs: Milliseconds,
  /** What WebSockets may do. */
  streams: StreamRules,
  /** What each client may ask, of HTTP and WebSockets together. */
  limits: LimitRules,
  /**
   * Worker threads of each network, for cycles and for quotes that take milliseconds; 0: the event
   * loop does all searches.
   */
  searchWorkers: integer(0, 64),
  /**
   * Threads that serve HTTP and WebSockets. 1: the thread that follows the markets serves, too.
   * `auto`: one for each core but the one of that thread.
   */
  servingThreads: Schema.Union([Schema.Literal("auto"), integer(1, 64)]),
  /**
   * Directory for the snapshots of networks on chains, in one folder per network id; without it,
   * none.
   */
  dataDirectory: Schema.optionalKey(NonEmptyText),
  /** A PostgreSQL database for the history of networks on chains, instead of that directory. */
  historyDatabase: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^postgres(ql)?:\/\/[^\s]+$/u, {
        expected: "a URL that begins with postgres://",
      }),
    ),
  ),
  /** Shares one market among many servers through a log in Redis; without it each has its own. */
  feed: Schema.optionalKey(FeedRules),
  /** The only listener for metrics and health; without it, the main one serves them. */
  operations: Schema.optionalKey(
    Schema.Struct({ host: usually(NonEmptyText, "127.0.0.1"), port: Port }),
  ),
  /** The build of uWebSockets.js that serves; without it, the shipped one. */
  nativeLibrary: Schema.optionalKey(
    Schema.Struct({
      /** Node loads no other file as a library. */
      file: Schema.String.check(
        Schema.isPattern(/\.node$/u, { expected: "the path of a file that ends in .node" }),
      ),
      sha256: Sha256,
    }),
  ),
  /** The first is the primary one. */
  networks: Schema.NonEmptyArray(Network).check(
    Schema.makeFilter(
      (networks: ReadonlyArray<{ readonly id: string; readonly chainId: number }>) => [
        ...repeated(networks, "id", "networks"),
        ...repeated(networks, "chainId", "networks"),
      ],
    ),
  ),
});

function usually<S extends Schema.Top>(setting: S, value: S["Encoded"]) {
  return setting.pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)));
}

function days(minimum: number) {
  const expected = `days, ${minimum} to ${DAYS_MAX}`;
  return Schema.Number.check(Schema.isBetween({ minimum, maximum: DAYS_MAX }, { expected }));
}

function Origin() {
  return Schema.String.check(
    Schema.isPattern(/^https?:\/\/[^\s/]+$/u, {
      expected: "an origin, such as https://app.example",
    }),
  );
}
