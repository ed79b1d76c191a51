import { Schema } from "effect";

/** What is configured, whole and checked: see `loadConfig`. */
export type ServerConfig = typeof ServerConfig.Type;
export type NetworkConfig = ServerConfig["networks"][number];

const Address = Schema.String.check(
  Schema.isPattern(/^0x[a-fA-F0-9]{40}$/u, { expected: "an address: 0x and 40 hex digits" }),
);

const Milliseconds = Schema.Number.check(
  Schema.isBetween(
    { minimum: 0, maximum: 86_400_000 },
    { expected: "milliseconds, 0 to 86400000" },
  ),
  Schema.isInt(),
);

const NonEmptyText = Schema.String.check(Schema.isMinLength(1, { expected: "a text" }));

/** Where the market of a network comes from. */
const Source = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("generated"),
    seed: Schema.Number.check(Schema.isInt()),
    poolCount: count(1_000_000),
    /** A block of swaps every so often; without it the market stands still. */
    blockEveryMs: Schema.optionalKey(count(86_400_000)),
  }),
  Schema.Struct({
    kind: Schema.Literal("marketFile"),
    path: NonEmptyText,
    /** Applies one recorded block every so often; without it all of them at once. */
    replayMs: Schema.optionalKey(count(86_400_000)),
  }),
]);

const Network = Schema.Struct({
  id: Schema.String.check(
    Schema.isPattern(/^[A-Z][A-Z0-9_]{0,31}$/u, {
      expected: "an upper-case id, such as ETH",
    }),
  ),
  chainId: count(Number.MAX_SAFE_INTEGER),
  name: NonEmptyText,
  source: Source,
  nativeSymbol: Schema.optionalKey(NonEmptyText),
  nativeName: Schema.optionalKey(NonEmptyText),
  wrappedNative: Schema.optionalKey(Address),
  /** Tokens whose price is given: the ground of all other prices. */
  anchors: Schema.Array(
    Schema.Struct({
      address: Address,
      priceUsd: Schema.Number.check(
        Schema.isGreaterThan(0, { expected: "a price above 0" }),
        Schema.isFinite(),
      ),
    }),
  ),
  /** Tokens known to transfer exactly what is asked: quotes do not list them as unverified. */
  plainTokens: Schema.Array(Address),
  /** Tokens left out of the market, with all their pools: their transfers are not plain. */
  excludedTokens: Schema.Array(Address),
  /** A pool whose depth is worth less, in US dollars, sets no price. */
  depthFloorUsd: Schema.Number.check(
    Schema.isBetween({ minimum: 0, maximum: 1e12 }, { expected: "US dollars, 0 to 1000000000000" }),
  ),
  /** A head older than this is not ready; null for no limit. */
  headAgeLimitMs: Schema.NullOr(Milliseconds),
});

export const ServerConfig = Schema.Struct({
  host: NonEmptyText,
  /** 0 takes a free one. */
  port: Schema.Number.check(
    Schema.isBetween({ minimum: 0, maximum: 65_535 }, { expected: "a port, 0 to 65535" }),
    Schema.isInt(),
  ),
  logLevel: Schema.Literals(["debug", "info", "warn", "error", "none"]),
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  logFormat: Schema.Literals(["auto", "pretty", "json"]),
  /** Pages of which origins may read answers: `*` for all. */
  corsOrigins: Schema.Union([Schema.Literal("*"), Schema.Array(Origin())]),
  /** Between readiness going off and the end of listening. */
  readinessDelayMs: Milliseconds,
  /** That requests in flight get to finish. */
  gracePeriodMs: Milliseconds,
  /** The first is the primary one. */
  networks: Schema.NonEmptyArray(Network).check(
    Schema.makeFilter(
      (networks: ReadonlyArray<{ readonly id: string; readonly chainId: number }>) => [
        ...repeated(networks, "id"),
        ...repeated(networks, "chainId"),
      ],
    ),
  ),
});

/** One problem for each network that takes what an earlier one has. */
function repeated<Key extends "id" | "chainId">(
  networks: ReadonlyArray<Readonly<Record<Key, string | number>>>,
  key: Key,
) {
  return networks.flatMap((network, index) => {
    const first = networks.findIndex((other) => other[key] === network[key]);
    if (first === index) return [];
    return [{ path: [index, key], issue: `${network[key]} is taken by networks[${first}]` }];
  });
}

function Origin() {
  return Schema.String.check(
    Schema.isPattern(/^https?:\/\/[^\s/]+$/u, {
      expected: "an origin, such as https://app.example",
    }),
  );
}

function count(maximum: number) {
  return Schema.Number.check(
    Schema.isBetween({ minimum: 1, maximum }, { expected: `an integer from 1 to ${maximum}` }),
    Schema.isInt(),
  );
}
