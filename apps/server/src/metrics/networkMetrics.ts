import type { ChainStatus, DexStatus } from "@millrace/chain";
import type { SearchCounts } from "@millrace/core";
import type { TokenVerdicts } from "@millrace/execution";
import type { AuditStatus } from "../networks/auditMarket.ts";
import type { Network } from "../networks/Network.ts";
import type { SaveStatus } from "../networks/saveMarket.ts";
import { family } from "./family.ts";
import { FEED_METRICS } from "./feedMetrics.ts";
import { KEPT_HISTORY_METRICS } from "./keptHistoryMetrics.ts";
import type { NetworkMetric, NetworkSample } from "./NetworkMetric.ts";

/** Metrics of each network, and of the chain that it follows, if it does. */
export function networkMetrics(networks: ReadonlyArray<Network>, nowMs: number): string[] {
  return METRICS.flatMap(({ name, type, help, read }) => {
    const samples = networks.flatMap((network) =>
      read(network, nowMs).flatMap(({ labels = "", value }) =>
        value === undefined ? [] : [`${name}{network="${network.config.id}"${labels}} ${value}`],
      ),
    );
    return samples.length === 0 ? [] : [...family(name, type, help), ...samples];
  });
}

export const METRICS: ReadonlyArray<NetworkMetric> = [
  gauge("millrace_network_ready", "1 when the network answers.", (network, nowMs) =>
    network.obstacle(nowMs) === undefined ? 1 : 0,
  ),
  gauge(
    "millrace_head_block",
    "Number of the newest block.",
    ({ market }) => market?.engine.graph.stamp.number,
  ),
  gauge("millrace_head_age_seconds", "Age of the newest block's timestamp.", (network, nowMs) => {
    const ageMs = network.headAgeMs(nowMs);
    return ageMs === undefined ? undefined : ageMs / 1_000;
  }),
  gauge(
    "millrace_pools",
    "Pools in the market.",
    ({ market }) => market?.engine.graph.livePoolCount,
  ),
  gauge(
    "millrace_tokens",
    "Tokens in the market.",
    ({ market }) => market?.engine.graph.tokenCount,
  ),
  gauge(
    "millrace_waiting_searches",
    "Quotes, and searches for cycles, that no worker thread has taken yet.",
    ({ market }) =>
      market?.engine.workers && market.engine.workers.waitingCount() + market.searches.waitingCount,
  ),
  {
    name: "millrace_token_verdicts",
    type: "gauge",
    help: "Tokens by what trials told of them.",
    read: ({ market }) => verdictCounts(market?.verdicts),
  },
  {
    name: "millrace_router_usable",
    type: "gauge",
    help: "1 when transactions are built for the router; 0 while its code is unchecked or wrong.",
    read: ({ market }) =>
      (market?.routers?.names ?? []).map((name) => ({
        labels: `,router="${name}"`,
        value: market?.routers?.obstacle(name) === undefined ? 1 : 0,
      })),
  },
  gauge(
    "millrace_history_complete",
    "1 when volumes, trades and candles have all of the past that they want.",
    ({ history }) => (history === undefined ? undefined : Number(history.isComplete)),
  ),
  gauge("millrace_history_since_seconds", "Unix time since which every swap is counted.", since),
  gauge("millrace_history_seconds", "How long that is before the newest block.", (network) => {
    const sinceSeconds = since(network);
    const { market } = network;
    if (sinceSeconds === undefined || market === undefined) return undefined;
    return market.engine.graph.stamp.timestampMs / 1_000 - sinceSeconds;
  }),
  ...KEPT_HISTORY_METRICS,
  ...FEED_METRICS,
  gauge("millrace_market_candle_bytes", "Memory that candles use of their budget.", ({ market }) =>
    market?.data.candleBytes(),
  ),
  gauge(
    "millrace_market_saved_bytes",
    "Size of the newest save of windows, trades and candles.",
    ({ market }) => market?.saves?.().bytes,
  ),
  gauge("millrace_market_saved_age_seconds", "Age of that save.", ({ market }, nowMs) => {
    const atMs = market?.saves?.().atMs;
    return atMs === undefined ? undefined : (nowMs - atMs) / 1_000;
  }),
  saves("millrace_market_save_failures_total", "Saves that failed.", ({ failures }) => failures),
  audits("audited_prices_total", "Prices worked out once more.", (found) => found.auditedPrices),
  audits(
    "wrong_prices_total",
    "Of these, those that were not what was told; anything above 0 is a bug.",
    (found) => found.wrongPrices,
  ),
  audits("audited_windows_total", "Windows counted once more.", (found) => found.auditedWindows),
  audits(
    "wrong_windows_total",
    "Of these, those that were not what was told; anything above 0 is a bug.",
    (found) => found.wrongWindows,
  ),
  searches(
    "answers_total",
    "Quotes, and searches for cycles, that worker threads answered.",
    ({ answered }) => answered,
  ),
  searches("torn_total", "Searches begun anew, since a block came meanwhile.", ({ torn }) => torn),
  searches(
    "fallbacks_total",
    "Quotes that the event loop searched after all.",
    ({ searchedHere }) => searchedHere,
  ),
  searches("losses_total", "Worker threads that ended, and were replaced.", ({ lost }) => lost),
  chain(
    "discovered_pools",
    "gauge",
    "Pools that factories told of.",
    (status) => status.discoveredPools,
  ),
  chain(
    "waiting_pools",
    "gauge",
    "Pools that are deep enough and not yet read.",
    (status) => status.waitingPools,
  ),
  chain(
    "reorganisations_total",
    "counter",
    "Reorganisations followed.",
    (status) => status.reorganisations,
  ),
  chain(
    "resynchronisations_total",
    "counter",
    "Times that the market was read anew.",
    (status) => status.resynchronisations,
  ),
  chain(
    "audited_pools_total",
    "counter",
    "Pools compared with the chain.",
    (status) => status.auditedPools,
  ),
  chain(
    "drifted_pools_total",
    "counter",
    "Pools that were not as the chain had them.",
    (status) => status.driftedPools,
  ),
  chain(
    "audited_quotes_total",
    "counter",
    "Swaps that the chain was asked for, to compare quotes.",
    (status) => status.auditedQuotes,
  ),
  chain(
    "differing_quotes_total",
    "counter",
    "Pools left out since the chain's own answer was another one.",
    (status) => status.differingQuotes,
  ),
  chain(
    "refused_quoters",
    "gauge",
    "DEXes whose quotes are not compared: the chain's differed of all pools asked about.",
    (status) => status.refusedQuoters.length,
  ),
  {
    name: "millrace_chain_dex_pools",
    type: "gauge",
    help: "Pools that a DEX's factory told of, by what became of them.",
    read: (network, nowMs) => (network.dexStatuses(nowMs) ?? []).flatMap(dexPools),
  },
  {
    name: "millrace_chain_refused_pools",
    type: "gauge",
    help: "Pools of a DEX that are not loaded whatever their depth, by reason.",
    read: (network, nowMs) => (network.dexStatuses(nowMs) ?? []).flatMap(refusedPools),
  },
  chain(
    "faults_total",
    "counter",
    "Faults of the service's own while following, each in the log; anything above 0 is a bug.",
    (status) => status.defects,
  ),
  chain(
    "snapshot_block",
    "gauge",
    "Block of the newest snapshot written.",
    (status) => status.savedBlock,
  ),
  chain(
    "snapshot_age_blocks",
    "gauge",
    "Blocks since the newest snapshot written.",
    ({ headNumber, savedBlock }) =>
      headNumber === undefined || savedBlock === undefined ? undefined : headNumber - savedBlock,
  ),
  endpoints("up", "gauge", "1 when the endpoint is healthy.", ({ healthy }) => (healthy ? 1 : 0)),
  endpoints("requests_total", "counter", "Requests to the endpoint.", ({ requests }) => requests),
  endpoints("failures_total", "counter", "Requests that failed.", ({ failures }) => failures),
];

function dexPools(status: DexStatus): ReadonlyArray<NetworkSample> {
  const { dexId, loadedPools, waitingPools, shallowPools } = status;
  return Object.entries({ loaded: loadedPools, waiting: waitingPools, shallow: shallowPools }).map(
    ([state, value]) => ({ labels: `,dex="${dexId}",state="${state}"`, value }),
  );
}

function refusedPools({ dexId, refused }: DexStatus): ReadonlyArray<NetworkSample> {
  return refused.map(({ reason, count }) => ({
    labels: `,dex="${dexId}",reason="${labelText(reason)}"`,
    value: count,
  }));
}

function verdictCounts(verdicts: TokenVerdicts | undefined): ReadonlyArray<NetworkSample> {
  const counts = new Map<string, number>();
  for (const { kind } of verdicts?.all() ?? []) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, value]) => ({ labels: `,kind="${kind}"`, value }));
}

function gauge(
  name: string,
  help: string,
  read: (network: Network, nowMs: number) => number | undefined,
): NetworkMetric {
  return { name, type: "gauge", help, read: (...from) => [{ value: read(...from) }] };
}

function since({ history }: Network): number | undefined {
  return history?.sinceMs === undefined ? undefined : history.sinceMs / 1_000;
}

function saves(name: string, help: string, read: (status: SaveStatus) => number): NetworkMetric {
  const sample = (status: SaveStatus | undefined) =>
    status === undefined ? [] : [{ value: read(status) }];
  return { name, type: "counter", help, read: ({ market }) => sample(market?.saves?.()) };
}

function audits(name: string, help: string, read: (status: AuditStatus) => number): NetworkMetric {
  return {
    name: `millrace_market_${name}`,
    type: "counter",
    help,
    read: ({ market }) => (market === undefined ? [] : [{ value: read(market.audits()) }]),
  };
}

function searches(
  name: string,
  help: string,
  read: (counts: SearchCounts) => number,
): NetworkMetric {
  return {
    name: `millrace_search_workers_${name}`,
    type: "counter",
    help,
    read: ({ market }) => {
      const counts = market?.engine.workers?.counts();
      return counts === undefined ? [] : [{ value: read(counts) }];
    },
  };
}

function chain(
  name: string,
  type: NetworkMetric["type"],
  help: string,
  read: (status: ChainStatus) => number | undefined,
): NetworkMetric {
  return {
    name: `millrace_chain_${name}`,
    type,
    help,
    read: ({ chainStatus }) => (chainStatus === undefined ? [] : [{ value: read(chainStatus) }]),
  };
}

function endpoints(
  name: string,
  type: NetworkMetric["type"],
  help: string,
  read: (endpoint: ChainStatus["endpoints"][number]) => number,
): NetworkMetric {
  return {
    name: `millrace_endpoint_${name}`,
    type,
    help,
    read: ({ chainStatus }) =>
      (chainStatus?.endpoints ?? []).map((endpoint) => ({
        labels: `,endpoint="${labelText(endpoint.name)}"`,
        value: read(endpoint),
      })),
  };
}

/** A configured name as a label's value. */
const labelText = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
