import { Schema } from "effect";
import {
  count,
  HexAddress,
  integer,
  NonEmptyText,
  PositivePrice,
  repeated,
  UsDollars,
} from "./checks.ts";
import { DexConfig } from "./DexConfig.ts";

const DAY_MS = 86_400_000;
const PORT_MAX = 65_535;

/** Where the market of a network comes from. */
export const MarketSourceConfig = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("generated"),
    seed: Schema.Number.check(Schema.isInt()),
    poolCount: count(1_000_000),
    /** Milliseconds between blocks of swaps; without it the market stands still. */
    blockEveryMs: Schema.optionalKey(count(DAY_MS)),
    /** New pools in each such block, 4,096 in all; without it, none. */
    newPoolsPerBlock: Schema.optionalKey(count(4_096)),
  }),
  Schema.Struct({
    kind: Schema.Literal("marketFile"),
    path: NonEmptyText,
    /** Milliseconds between recorded blocks; without it all are applied at once. */
    replayMs: Schema.optionalKey(count(DAY_MS)),
  }),
  Schema.Struct({
    kind: Schema.Literal("history"),
    /** The history file of a service that kept states; it is only read. */
    path: NonEmptyText,
    /** The market starts as this block left it, and goes on block by block. */
    asOf: integer(0, Number.MAX_SAFE_INTEGER),
    /** The last block; without it, the newest that is kept. */
    toBlock: Schema.optionalKey(integer(0, Number.MAX_SAFE_INTEGER)),
  }),
  /** An embedded chain of this process, with real contracts and traffic. */
  Schema.Struct({
    kind: Schema.Literal("devnet"),
    /** Which of the two markets is on it. */
    market: Schema.Literals(["ETH", "BASE"]),
    /** Milliseconds between transactions, about; each makes a block. */
    trafficEveryMs: count(DAY_MS),
    /** Port of its JSON-RPC on the loopback interface; without it, a free one. */
    port: Schema.optionalKey(integer(1, PORT_MAX)),
  }),
  Schema.Struct({
    kind: Schema.Literal("chain"),
    /** In no order: the healthiest is asked first. */
    endpoints: Schema.NonEmptyArray(
      Schema.Struct({
        /** For logs and metrics, which never show a URL; without it `endpoint 1`, … */
        name: Schema.optionalKey(
          Schema.String.check(
            Schema.isPattern(/^(?!.*:\/\/).+$/u, { expected: "a name, and no URL: it is logged" }),
          ),
        ),
        url: Url("http"),
        /** Announces new blocks as they come; without it they are polled for. */
        webSocketUrl: Schema.optionalKey(Url("ws")),
        callsPerSecond: Schema.optionalKey(count(1_000_000)),
      }),
    ).check(
      Schema.makeFilter((endpoints: ReadonlyArray<{ readonly name?: string }>) =>
        repeated(endpoints, "name", "endpoints"),
      ),
    ),
    /** How often the chain makes a block. */
    blockTimeMs: count(DAY_MS),
    /** Address of Multicall3; without it, the one that nearly all chains have. */
    multicall: Schema.optionalKey(HexAddress),
    dexes: Schema.NonEmptyArray(DexConfig).check(
      Schema.makeFilter((dexes: ReadonlyArray<{ readonly id: string }>) =>
        repeated(dexes, "id", "dexes"),
      ),
    ),
    /** Which of all pools are loaded. */
    admission: Schema.Struct({
      /**
       * Tokens in which depth is measured. Their prices serve only that: no answer shows them, and
       * the right order of magnitude is enough.
       */
      anchors: Schema.Array(
        Schema.Struct({ address: HexAddress, decimals: integer(0, 255), priceUsd: PositivePrice }),
      ),
      /** A pool is loaded when moving its price by 2 % takes this much; 0 loads every pool. */
      depthFloorUsd: UsDollars,
      /** Pools that are loaded whatever their depth. */
      pools: Schema.Array(HexAddress),
    }),
    /** Blocks that can be reverted without reading the market anew. */
    journalDepth: Schema.optionalKey(count(100_000)),
    /** After a gap of more blocks the market is read anew. */
    catchUpBlocks: Schema.optionalKey(count(10_000_000)),
    /** Which blocks' logs are proved complete. */
    completeness: Schema.optionalKey(Schema.Literals(["always", "sampled", "suspicion", "never"])),
    /** What proves it: the bloom of all logs, or the root of all receipts. */
    proof: Schema.optionalKey(Schema.Literals(["bloom", "receipts"])),
    /** Pools compared with the chain after each block. */
    auditedPools: Schema.optionalKey(integer(0, 10_000)),
    /** Swaps that the chain is asked for after each block, to compare quotes. */
    auditedQuotes: Schema.optionalKey(integer(0, 1_000)),
    /** Used instead of the network's folder in `dataDirectory`. */
    snapshotDirectory: Schema.optionalKey(NonEmptyText),
    /** A snapshot is written when so many blocks have passed since the last. */
    snapshotBlocks: Schema.optionalKey(count(1_000_000)),
  }),
]);

/** No message of the schema shows the refused text: a URL may hold a key. */
function Url(scheme: "http" | "ws") {
  const expected = `a URL that begins with ${scheme}:// or ${scheme}s://, without user and password`;
  return Schema.String.check(
    Schema.makeFilter((text: string) => isUrl(text, scheme) || `Expected ${expected}`),
  );
}

/** True for URLs of the scheme and its secure form; fetch takes none with a password. */
export function isUrl(text: string, scheme: "http" | "ws"): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  return protocol === `${scheme}:` || protocol === `${scheme}s:`;
}
