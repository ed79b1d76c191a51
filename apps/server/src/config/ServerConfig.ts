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

/** What is configured, whole and checked: see `loadConfig`. */
export type ServerConfig = typeof ServerConfig.Type;
export type NetworkConfig = ServerConfig["networks"][number];
/** A network on a chain of its own configuration. */
export type ChainNetworkConfig = NetworkConfig & {
  readonly source: Extract<NetworkConfig["source"], { readonly kind: "chain" }>;
};

const DAY_MS = 86_400_000;
/** A century. */
const DAYS_MAX = 36_500;
const TOKEN_LISTS_MAX = 32;
/** All are compared, at each request that brings one. */
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
      /** Without it, where it is on nearly all chains. */
      permit2: Schema.optionalKey(HexAddress),
      /** The DEXes of the factories, and of the pool manager, that it was made with. */
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

/** Of swaps and candles that are kept on a disk. */
const HistoryRules = Schema.Struct({
  /** How far back the swaps before the start are read; 0: nothing is kept. */
  days: usually(days(0), 1),
  /** After how long swaps and candles are forgotten; without it they never are. */
  keptDays: Schema.optionalKey(days(1)),
  /** Keeps what the market was at each block, to be opened as of it; not without it. */
  states: Schema.optionalKey(
    Schema.Struct({
      /** All of it is written again when so many blocks have passed. */
      everyBlocks: count(1_000_000),
      /** Only these pools: addresses, or ids of 32 bytes; all without it. */
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
  /** Tokens whose price is given: the ground of all other prices. */
  anchors: Schema.Array(Schema.Struct({ address: HexAddress, priceUsd: PositivePrice })),
  /** Tokens known to transfer exactly what is asked: quotes do not list them as unverified. */
  plainTokens: Schema.Array(HexAddress),
  /** Tokens left out of the market, with all their pools: their transfers are not plain. */
  excludedTokens: Schema.Array(HexAddress),
  /**
   * Tokens that stand in the middle of no route, whatever a node tells of them; they are quoted
   * where a request names them.
   */
  barredTokens: Schema.Array(HexAddress),
  routers: Routers,
  /** Tokens that refuse a new allowance before the old one is zero: their approvals are two. */
  approvalResetTokens: Schema.Array(HexAddress),
  /**
   * What a transaction pays beside its gas, for its data on the chain below; nothing without it.
   */
  dataFee: Schema.optionalKey(Schema.Literal("op-stack")),
  /** How long the verdict of a trial on a token is believed. */
  tokenRetestMs: integer(1_000, DAY_MS),
  /** A pool whose depth is worth less, in US dollars, sets no price. */
  depthFloorUsd: UsDollars,
  /**
   * Token lists in Uniswap's format, the first before the others: which tokens are listed, and
   * names of those that have none on the chain.
   */
  tokenLists: Schema.Array(FileOrUrl).check(
    Schema.isMaxLength(TOKEN_LISTS_MAX, { expected: `at most ${TOKEN_LISTS_MAX} lists` }),
  ),
  /** A file that tells how much of tokens circulates; without it, all of their supply. */
  supplyFile: Schema.optionalKey(NonEmptyText),
  /** How many trades are kept, the newest of all pools together. */
  tradesMax: count(1_000_000),
  /** Memory for the candles of all tokens and pools together, in MiB. */
  candleMiB: count(16_384),
  /** How far back the swaps before the start are read, from chains. */
  historyHours: Schema.Number.check(
    Schema.isBetween({ minimum: 0, maximum: 24 }, { expected: "hours, 0 to 24" }),
  ),
  /** What is kept for longer, where there is a `dataDirectory`. */
  history: HistoryRules,
  /** Gas that one transaction may use: no route needs more. */
  gasLimit: integer(200_000, 1_000_000_000_000),
  /** A head older than this is not ready; null for no limit. */
  headAgeLimitMs: Schema.NullOr(Milliseconds),
});

/** What a WebSocket may do; what is not said is as usual. */
const StreamRules = Schema.Struct({
  connectionsPerAddress: usually(count(1_000_000), 8),
  subscriptionsMax: usually(count(100_000), 100),
  operationsPerSecond: usually(count(100_000), 20),
  messageBytesMax: usually(integer(1_024, 1_048_576), 16_384),
  /** That may wait for a slow reader, before its connection is closed. */
  bufferedBytesMax: usually(integer(131_072, 67_108_864), 262_144),
  heartbeatMs: usually(integer(1_000, 3_600_000), 15_000),
});

/** Units of cost: see `limits/costs.ts`. */
const budget = {
  perSecond: count(1_000_000),
  /** At once, after a pause: enough for a swap. */
  burst: Schema.optionalKey(integer(60, 1_000_000_000)),
};

/** Who may ask how much; what is not said is not limited. */
const LimitRules = Schema.Struct({
  /** Of each client address; an IPv6 client has the whole /64. */
  address: Schema.optionalKey(Schema.Struct(budget)),
  /** Who sends one of them has its budget instead. */
  keys: usually(
    Schema.Array(
      Schema.Struct({
        /** For people. */
        name: NonEmptyText,
        /** Of the key; itself it stands nowhere. */
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
  /** Whose `X-Forwarded-For` is believed: addresses, and ranges such as `10.0.0.0/8`. */
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
  /** The same for all servers of one feed, and for no others. */
  name: Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9_.-]{1,64}$/u, {
      expected: "1 to 64 letters, digits, and _ . -",
    }),
  ),
  /**
   * When this server follows the chain itself, and publishes it: once nobody else does
   * (`whenFree`), always, to take over at once (`standby`), or `never`.
   */
  lead: usually(Schema.Literals(["whenFree", "standby", "never"]), "whenFree"),
  /** How long a leader that is not heard of stays the leader. */
  leaseMs: usually(integer(500, 600_000), 2_000),
  /** How long after the last sign of a leader the market is answered from. */
  silenceMs: usually(integer(1_000, 3_600_000), 15_000),
});

const Port = Schema.Number.check(
  Schema.isBetween({ minimum: 0, maximum: 65_535 }, { expected: "a port, 0 to 65535" }),
  Schema.isInt(),
);

export const ServerConfig = Schema.Struct({
  host: NonEmptyText,
  /** 0 takes a free one. */
  port: Port,
  logLevel: Schema.Literals(["debug", "info", "warn", "error", "none"]),
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  logFormat: Schema.Literals(["auto", "pretty", "json"]),
  /** Pages of which origins may read answers: `*` for all. */
  corsOrigins: Schema.Union([Schema.Literal("*"), Schema.Array(Origin())]),
  /** Between readiness going off and the end of listening. */
  readinessDelayMs: Milliseconds,
  /** That requests in flight get to finish. */
  gracePeriodMs: Milliseconds,
  /** What WebSockets may do. */
  streams: StreamRules,
  /** What each client may ask, of HTTP and WebSockets together. */
  limits: LimitRules,
  /**
   * Threads of each network for cycles, and quotes that take milliseconds; 0: the event loop
   * searches all.
   */
  searchWorkers: integer(0, 64),
  /**
   * Threads that serve HTTP and WebSockets; 1: the one that follows the markets serves, too;
   * `auto`: one for each core but that one's.
   */
  servingThreads: Schema.Union([Schema.Literal("auto"), integer(1, 64)]),
  /** Where networks on chains keep their snapshots, each in a folder of its id; none without it. */
  dataDirectory: Schema.optionalKey(NonEmptyText),
  /** A database of PostgreSQL for the history of networks on chains, instead of that directory. */
  historyDatabase: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^postgres(ql)?:\/\/[^\s]+$/u, {
        expected: "a URL that begins with postgres://",
      }),
    ),
  ),
  /** One market for many servers, through a log in Redis; without it each has its own. */
  feed: Schema.optionalKey(FeedRules),
  /** Where metrics and health are served, and nowhere else; without it, beside all else. */
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
