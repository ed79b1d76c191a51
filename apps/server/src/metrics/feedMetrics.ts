import type { FeedStatus } from "@millrace/feed";
import type { NetworkMetric } from "./NetworkMetric.ts";

/** Metrics of the feeds of networks. */
export const FEED_METRICS: ReadonlyArray<NetworkMetric> = [
  feed("leader", "gauge", "1 while this server publishes the market.", ({ role }) =>
    role === "leader" ? 1 : 0,
  ),
  feed("epoch", "gauge", "Epoch of the newest entry.", ({ position }) => position.epoch),
  feed(
    "sequence",
    "gauge",
    "Number of the newest entry in it.",
    ({ position }) => position.sequence,
  ),
  feed("lag_seconds", "gauge", "Age of the newest entry when it was applied.", ({ lagMs }) =>
    seconds(lagMs),
  ),
  feed("silence_seconds", "gauge", "Time since anything was heard of a leader.", ({ silentMs }) =>
    seconds(silentMs),
  ),
  feed(
    "leases_total",
    "counter",
    "Times that this server became the leader.",
    (status) => status.leases,
  ),
  feed(
    "published_entries_total",
    "counter",
    "Entries that this server published.",
    (status) => status.publishedEntries,
  ),
  feed(
    "refused_entries_total",
    "counter",
    "Entries that did not go on from the market that was here.",
    (status) => status.refusedEntries,
  ),
  feed(
    "resyncs_total",
    "counter",
    "Times that the market was taken from a snapshot after the first.",
    (status) => status.resyncs,
  ),
  feed(
    "snapshots_total",
    "counter",
    "Snapshots that this server wrote.",
    (status) => status.savedSnapshots,
  ),
  feed(
    "log_failures_total",
    "counter",
    "Requests that the log did not answer.",
    (status) => status.logFailures,
  ),
];

function feed(
  name: string,
  type: NetworkMetric["type"],
  help: string,
  read: (status: FeedStatus) => number | undefined,
): NetworkMetric {
  return {
    name: `millrace_feed_${name}`,
    type,
    help,
    read: ({ feedStatus }) => (feedStatus === undefined ? [] : [{ value: read(feedStatus) }]),
  };
}

const seconds = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : ms / 1_000;
