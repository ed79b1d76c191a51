import type { TopicRequest } from "@millrace/api";
import { family } from "./family.ts";
import { Histogram } from "./Histogram.ts";

type Channel = TopicRequest["channel"];

/** Counts of the streams. */
export class StreamMetrics {
  connections = 0;
  /** Connections that get nothing new until their readers have caught up. */
  readersBehind = 0;
  /** Messages of all kinds. */
  messages = 0;
  /** Values that readers never got, since newer ones replaced them. */
  sparedUpdates = 0;
  /** Connections closed because too much waited for their readers. */
  slowReaders = 0;
  readonly #subscriptions: Record<Channel, number> = {
    ...{ price: 0, quote: 0, pool: 0, block: 0 },
    ...{ trades: 0, candles: 0, networks: 0 },
  };
  readonly #published = new Histogram(
    "millrace_stream_told_seconds",
    "Time from a block's being applied to the last of what it changed being written.",
    [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000, 4_000],
  );

  get subscriptionCount(): number {
    return Object.values(this.#subscriptions).reduce((sum, count) => sum + count, 0);
  }

  subscribed(channel: Channel): void {
    this.#subscriptions[channel]++;
  }

  unsubscribed(channel: Channel): void {
    this.#subscriptions[channel]--;
  }

  /** Everything of a block was published. */
  published(durationMs: number): void {
    this.#published.observe(durationMs);
  }

  /** In the text format of Prometheus. */
  lines(): ReadonlyArray<string> {
    const one = (name: string, type: "counter" | "gauge", help: string, value: number) => [
      ...family(name, type, help),
      `${name} ${value}`,
    ];
    return [
      ...one("millrace_stream_connections", "gauge", "Open WebSockets.", this.connections),
      ...one(
        "millrace_stream_readers_behind",
        "gauge",
        "Connections that are told nothing until their readers have caught up.",
        this.readersBehind,
      ),
      ...family("millrace_stream_subscriptions", "gauge", "What they subscribe to, by channel."),
      ...Object.entries(this.#subscriptions).map(
        ([channel, count]) => `millrace_stream_subscriptions{channel="${channel}"} ${count}`,
      ),
      ...one("millrace_stream_messages_total", "counter", "Messages sent.", this.messages),
      ...one(
        "millrace_stream_spared_updates_total",
        "counter",
        "Updates that slow readers were spared, since newer ones came.",
        this.sparedUpdates,
      ),
      ...one(
        "millrace_stream_slow_readers_closed_total",
        "counter",
        "Connections closed since their readers were too slow.",
        this.slowReaders,
      ),
      ...this.#published.lines(),
    ];
  }
}
