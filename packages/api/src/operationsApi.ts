import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { ProblemFailures } from "./middleware.ts";
import {
  asProblem,
  InternalProblem,
  NotReady,
  RateLimited,
  Unauthorized,
  UnknownNetwork,
} from "./problems.ts";

/** State of a network's stored history, which outlasts the service. */
const KeptHistory = Schema.Struct({
  since: Schema.NullOr(Schema.Number).annotateKey({
    description: "Every swap since then is kept; Unix epoch milliseconds. null while none is.",
  }),
  complete: Schema.Boolean.annotateKey({
    description: "Nothing that is wanted of the past is missing.",
  }),
  missingTo: Schema.optionalKey(Schema.Number).annotateKey({
    description: "The newest block that is missing; the past is read from there downwards.",
  }),
  gaps: Schema.Array(
    Schema.Struct({ fromBlock: Schema.Number, toBlock: Schema.Number }),
  ).annotateKey({
    description: "Blocks between others, both inclusive, that are not kept: the newest 100.",
  }),
  behindMs: Schema.Number.annotateKey({
    description: "For how long the oldest swap has waited to be written.",
  }),
  problem: Schema.optionalKey(Schema.String).annotateKey({
    description: "Why nothing can be written now; it is tried again.",
  }),
}).annotate({
  identifier: "KeptHistory",
  examples: [{ since: 1771270043000, complete: true, gaps: [], behindMs: 0 }],
});

/** How far back the windows, trades and candles of a network reach. */
const History = Schema.Struct({
  since: Schema.NullOr(Schema.Number).annotateKey({
    description:
      "Every swap since then is counted; Unix epoch milliseconds. null before the first block.",
  }),
  complete: Schema.Boolean.annotateKey({
    description: "Nothing that is wanted of the past is missing. A network serves before that.",
  }),
  kept: Schema.optionalKey(KeptHistory).annotateKey({
    description: "What is kept on a disk, or in a database, for longer. Absent where nothing is.",
  }),
}).annotate({
  identifier: "History",
  description:
    "How much of the past volumes, trades and candles know. Absent where no past can be read.",
  examples: [{ since: 1773862043000, complete: true }],
});

const DexPoolCounts = Schema.Struct({
  dexId: Schema.String,
  loaded: Schema.Number.annotateKey({ description: "In the market." }),
  waiting: Schema.Number.annotateKey({ description: "To be looked at, or to be read." }),
  tooShallow: Schema.Number.annotateKey({ description: "Not deep enough to be loaded." }),
  refused: Schema.Array(
    Schema.Struct({
      reason: Schema.String.annotateKey({
        description: "One of a few texts.",
        examples: ["a dynamic fee"],
      }),
      pools: Schema.Number,
    }),
  ).annotateKey({ description: "Not loaded for another reason, by reason." }),
}).annotate({
  identifier: "DexPoolCounts",
  description: "How many pools of a DEX are in the market, and why the others are not.",
});
export type DexPoolCounts = typeof DexPoolCounts.Type;

/** Results of comparing quotes with the chain's own answers. */
const QuoteAudit = Schema.Struct({
  compared: Schema.Number.annotateKey({
    description: "Swaps that contracts of the chain were asked for.",
  }),
  poolsLeftOut: Schema.Number.annotateKey({
    description: "Pools that left the market since the chain answered otherwise.",
  }),
}).annotate({
  identifier: "QuoteAudit",
  description: "Since the start. Absent where no chain is followed.",
});

/** A server's state in the feed that shares its market. */
const FeedStanding = Schema.Struct({
  role: Schema.Literals(["starting", "follower", "leader"]).annotateKey({
    description: "`leader`: it follows the chain for all others.",
  }),
  epoch: Schema.Number.annotateKey({
    description: "Grows with every leader; of the newest entry that is applied.",
  }),
  sequence: Schema.Number.annotateKey({ description: "Of that entry, within the epoch." }),
  lagMs: Schema.NullOr(Schema.Number).annotateKey({
    description: "How old it was when it was applied, by two clocks.",
  }),
  silentMs: Schema.NullOr(Schema.Number).annotateKey({
    description: "Since anything was heard of a leader.",
  }),
}).annotate({
  identifier: "FeedStanding",
  description: "Absent where the market is this server's alone.",
  examples: [{ role: "follower", epoch: 1773862043000, sequence: 17, lagMs: 3, silentMs: 400 }],
});

const NetworkEntry = Schema.Struct({
  id: Schema.String.annotateKey({ description: "What paths of the swap interface begin with." }),
  chainId: Schema.Number,
  name: Schema.String,
  primary: Schema.Boolean.annotateKey({ description: "Described by the market-data interface." }),
  ready: Schema.Boolean,
  wrappedNative: Schema.NullOr(Schema.String),
  history: Schema.optionalKey(History),
  pools: Schema.optionalKey(Schema.Array(DexPoolCounts)).annotateKey({
    description: "By DEX. Absent where no chain is followed.",
  }),
  feed: Schema.optionalKey(FeedStanding),
  devnet: Schema.optionalKey(Schema.Literal(true)).annotateKey({
    description: "An embedded chain of the service itself: nothing on it has any worth.",
  }),
  rpcUrl: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "Of a devnet that runs, and of no other network: its JSON-RPC, on the loopback interface of " +
      "the service's machine.",
  }),
}).annotate({ identifier: "NetworkEntry" });

/** The body of `/networks`. */
export const NetworkList = Schema.Struct({ result: Schema.Array(NetworkEntry) }).annotate({
  identifier: "NetworkList",
});

const NetworkReadiness = Schema.Struct({
  id: Schema.String,
  ready: Schema.Boolean,
  reason: Schema.optionalKey(Schema.String).annotateKey({ description: "Why it is not ready." }),
  blockNumber: Schema.NullOr(Schema.String),
  headAgeMs: Schema.NullOr(Schema.Number).annotateKey({
    description: "Age of the newest block's timestamp, the lag of the network.",
  }),
  history: Schema.optionalKey(History),
  quotes: Schema.optionalKey(QuoteAudit),
  feed: Schema.optionalKey(FeedStanding),
}).annotate({ identifier: "NetworkReadiness" });

/** The body of `/health/live`. */
export const Liveness = Schema.Struct({ live: Schema.Literal(true) }).annotate({
  identifier: "Liveness",
});

/** The body of `/health/ready` and of `/health/ready/:network`; with status 503 when not ready. */
export const Readiness = Schema.Struct({
  ready: Schema.Boolean,
  draining: Schema.Boolean.annotateKey({ description: "The service is shutting down." }),
  networks: Schema.Array(NetworkReadiness),
}).annotate({ identifier: "Readiness" });

const readiness = [Readiness, Readiness.pipe(HttpApiSchema.status(503))];

/** Endpoints for operators. */
export class OperationsApi extends HttpApiGroup.make("operations")
  .add(
    HttpApiEndpoint.get("networks", "/networks", {
      success: NetworkList,
      error: [Unauthorized, RateLimited, NotReady, InternalProblem].map(asProblem),
    }).annotateMerge(OpenApi.annotations({ summary: "List networks" })),
    HttpApiEndpoint.get("live", "/health/live", { success: Liveness }).annotateMerge(
      OpenApi.annotations({ summary: "Is the process alive?" }),
    ),
    HttpApiEndpoint.get("ready", "/health/ready", { success: readiness }).annotateMerge(
      OpenApi.annotations({
        summary: "Is every network synchronised?",
        description: "503 until every network is, and again during shutdown.",
      }),
    ),
    HttpApiEndpoint.get("readyNetwork", "/health/ready/:network", {
      params: { network: Schema.String.annotate({ examples: ["ETH"] }) },
      success: readiness,
      error: asProblem(UnknownNetwork),
    }).annotateMerge(OpenApi.annotations({ summary: "Is the network synchronised?" })),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(
        HttpApiSchema.asText({ contentType: "text/plain; version=0.0.4" }),
      ),
    }).annotateMerge(OpenApi.annotations({ summary: "Metrics for Prometheus" })),
    HttpApiEndpoint.get("reference", "/docs", {
      success: Schema.String.pipe(
        HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" }),
      ),
    }).annotateMerge(OpenApi.annotations({ summary: "This reference" })),
  )
  .middleware(ProblemFailures)
  .annotateMerge(
    OpenApi.annotations({ title: "Operations", description: "Health, metrics, documentation." }),
  ) {}
