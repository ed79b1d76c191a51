import {
  Api,
  type DexPoolCounts,
  Liveness,
  NetworkList,
  Readiness,
  UnknownNetwork,
} from "@millrace/api";
import type { HistoryError } from "@millrace/history";
import { Drain } from "@millrace/platform-uws";
import { Clock, Effect } from "effect";
import { HttpServerResponse } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { NO_STORE, respondFresh } from "../answers/responses.ts";
import type { HistoryStanding } from "../history/NetworkHistory.ts";
import { Metrics } from "../Metrics.ts";
import type { Network } from "../networks/Network.ts";
import { Networks } from "../networks/Networks.ts";
import { keptReference, REFERENCE_HEADERS } from "./keptReference.ts";
import { respondKept } from "./respondKept.ts";

/** The operations interface (section 5 of the contract). */
export const operationsRoutes = HttpApiBuilder.group(
  Api,
  "operations",
  Effect.fnUntraced(function* (handlers) {
    const networks = yield* Networks;
    const metrics = yield* Metrics;
    const drain = yield* Drain;
    const page = keptReference(networks.primary);
    const readiness = Effect.fnUntraced(function* (asked: ReadonlyArray<Network>) {
      const nowMs = yield* Clock.currentTimeMillis;
      const draining = yield* drain.isDraining;
      const states = asked.map((network) => readinessOf(network, nowMs));
      const ready = !draining && states.every((state) => state.ready);
      const response = respondFresh(Readiness, { ready, draining, networks: states });
      return HttpServerResponse.setStatus(response, ready ? 200 : 503);
    });
    return handlers.handleAll({
      networks: Effect.fnUntraced(function* () {
        const nowMs = yield* Clock.currentTimeMillis;
        const result = networks.all.map((network) => networkEntry(networks, network, nowMs));
        return respondFresh(NetworkList, { result });
      }),
      live: () => Effect.succeed(respondFresh(Liveness, { live: true })),
      ready: () => readiness(networks.all),
      readyNetwork: Effect.fnUntraced(function* ({ params }) {
        const network = networks.byId(params.network);
        if (network === undefined) {
          return yield* new UnknownNetwork({ detail: "The service has no such network" });
        }
        return yield* readiness([network]);
      }),
      metrics: Effect.fnUntraced(function* () {
        const text = metrics.render(yield* Clock.currentTimeMillis);
        const contentType = "text/plain; version=0.0.4";
        return HttpServerResponse.text(text, { contentType, headers: NO_STORE });
      }),
      reference: ({ request }) => respondKept(request, page(), HTML, REFERENCE_HEADERS),
    });
  }),
);

const HTML = "text/html; charset=utf-8";

function readinessOf(network: Network, nowMs: number) {
  const reason = network.obstacle(nowMs);
  const stamp = network.market?.engine.graph.stamp;
  return {
    id: network.config.id,
    ready: reason === undefined,
    ...(reason === undefined ? undefined : { reason }),
    blockNumber: stamp === undefined ? null : String(stamp.number),
    headAgeMs: network.headAgeMs(nowMs) ?? null,
    ...historyOf(network, nowMs),
    ...quotesOf(network),
    ...feedOf(network),
  };
}

function feedOf({ feedStatus }: Network) {
  if (feedStatus === undefined) return undefined;
  const { role, position, lagMs = null, silentMs = null } = feedStatus;
  return { feed: { role, ...position, lagMs, silentMs } };
}

/** The audits of quotes by the chain. */
function quotesOf({ chainStatus }: Network) {
  if (chainStatus === undefined) return undefined;
  const { auditedQuotes, differingQuotes } = chainStatus;
  return { quotes: { compared: auditedQuotes, poolsLeftOut: differingQuotes } };
}

/** Serving does not wait for the past: clients that chart it see here how much there is. */
function historyOf({ history, market }: Network, nowMs: number) {
  if (history === undefined) return undefined;
  const kept = market?.past && keptHistory(market.past.standing(nowMs));
  const since = history.sinceMs ?? null;
  return {
    history: { since, complete: history.isComplete, ...(kept !== undefined && { kept }) },
  };
}

function keptHistory({ sinceMs, progress, gaps, behindMs, problem }: HistoryStanding) {
  return {
    since: sinceMs ?? null,
    complete: progress !== undefined && progress.missingTo === undefined,
    ...(progress?.missingTo !== undefined && { missingTo: progress.missingTo }),
    gaps: gaps.slice(-GAPS_SHOWN),
    behindMs,
    ...(problem !== undefined && { problem: PROBLEM_WORDS[problem.reason] }),
  };
}

/** An unreliable database may have left thousands. */
const GAPS_SHOWN = 100;

/** What a client may know of a problem; the log has the rest. */
const PROBLEM_WORDS: Readonly<Record<HistoryError["reason"], string>> = {
  Full: "no room is left",
  ReadOnly: "nothing may be written",
  Unavailable: "the database does not answer",
  Damaged: "what is kept is damaged",
  Foreign: "what is kept is of another version, or another chain",
  Invalid: "something cannot be kept",
};

function poolsOf(network: Network, nowMs: number) {
  const statuses = network.dexStatuses(nowMs);
  if (statuses === undefined) return undefined;
  const pools = statuses.map(
    ({ dexId, loadedPools, waitingPools, shallowPools, refused }): DexPoolCounts => ({
      ...{ dexId, loaded: loadedPools, waiting: waitingPools, tooShallow: shallowPools },
      refused: refused.map(({ reason, count }) => ({ reason, pools: count })),
    }),
  );
  return { pools };
}

function networkEntry(networks: Networks["Service"], network: Network, nowMs: number) {
  const { id, chainId, name, wrappedNative } = network.config;
  return {
    id,
    chainId,
    name,
    primary: network === networks.primary,
    ready: network.obstacle(nowMs) === undefined,
    wrappedNative: wrappedNative?.toLowerCase() ?? null,
    ...historyOf(network, nowMs),
    ...poolsOf(network, nowMs),
    ...feedOf(network),
    ...(network.isDevnet ? { devnet: true as const } : undefined),
    ...(network.devnet === undefined ? undefined : { rpcUrl: network.devnet.rpcUrl }),
  };
}
