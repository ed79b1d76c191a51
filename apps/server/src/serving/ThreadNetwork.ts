import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { QuoteRequestJson } from "@millrace/api";
import { type Address, type GraphUpdate, isHeavy, MarketReader } from "@millrace/core";
import type { TokenVerdict } from "@millrace/execution";
import { curves } from "@millrace/protocols/curves";
import type { Effect } from "effect";
import type { Answer } from "../answers/Answer.ts";
import { AddressTexts } from "../caches/AddressTexts.ts";
import { QuoteLabels } from "../caches/QuoteLabels.ts";
import { NetworkRouters } from "../networks/NetworkRouters.ts";
import { obstacleOf } from "../networks/obstacleOf.ts";
import { routerTable } from "../networks/routerTable.ts";
import { addressSet } from "../networks/withoutTokens.ts";
import { GasEstimates } from "../quote/GasEstimates.ts";
import type { QuoteNetwork, SharedMarket, SharedReading } from "../quote/QuoteMarket.ts";
import { RoutedSwaps } from "../quote/RoutedSwaps.ts";
import type { NetworkState } from "./messages.ts";

/** How often a quote is tried, while blocks come in between, before another thread answers it. */
const TRIES_MAX = 4;
/** How long to wait for the end of a write: laying out a large market takes about that. */
const PATIENCE_MS = 50;
const LOOK_MS = 0.2;

export interface ThreadNetworkHost {
  readonly elsewhere: (
    network: string,
    request: QuoteRequestJson,
    client: string,
  ) => Effect.Effect<Answer>;
  /** A quote is tried again, since a block came meanwhile. */
  readonly torn: () => void;
}

/** A network that another thread follows, with the parts that quotes need. */
export class ThreadNetwork implements QuoteNetwork {
  readonly routedSwaps = new RoutedSwaps();
  readonly #host: ThreadNetworkHost;
  readonly #verdicts = new Map<Address, TokenVerdict>();
  #state: NetworkState;
  #market: ThreadMarket | undefined;

  constructor(state: NetworkState, host: ThreadNetworkHost) {
    this.#state = state;
    this.#host = host;
  }

  get config(): NetworkState["config"] {
    return this.#state.config;
  }

  get market(): SharedMarket | undefined {
    return this.#market;
  }

  obstacle(nowMs: number): string | undefined {
    const graph = this.#market?.engine.graph;
    const ageMs = graph && Math.max(0, nowMs - graph.stamp.timestampMs);
    return obstacleOf(this.#state, ageMs, this.config.headAgeLimitMs);
  }

  /** Takes the network's new state. */
  update(state: NetworkState): void {
    this.#state = state;
    this.#market?.update(state);
  }

  judged(verdicts: ReadonlyArray<TokenVerdict>): void {
    this.#verdicts.clear();
    for (const verdict of verdicts) this.#verdicts.set(verdict.token, verdict);
  }

  /** The network's market is open: writes are announced at the port. */
  opened(port: MessagePort): void {
    this.#market = new ThreadMarket(this.#state, port, this.#host, {
      routedSwaps: this.routedSwaps,
      verdictOf: (token) => this.#verdicts.get(token),
    });
  }
}

interface ThreadMarketParts {
  readonly routedSwaps: RoutedSwaps;
  readonly verdictOf: (token: Address) => TokenVerdict | undefined;
}

/** Caches made from reads; after a torn read all of it may be wrong. */
type Made = Pick<SharedMarket, "gasEstimates" | "labels" | "texts">;

class ThreadMarket implements SharedMarket {
  readonly engine: SharedMarket["engine"];
  readonly routers: NetworkRouters | undefined;
  readonly routedSwaps: RoutedSwaps | undefined;
  readonly chain: true | undefined;
  /** The writing thread asks nodes. */
  readonly gasPrices = undefined;
  readonly shared: SharedReading;
  readonly #reader: MarketReader;
  readonly #port: MessagePort;
  readonly #make: () => Made;
  readonly #torn: () => void;
  #made: Made | undefined;
  /** The topology version of a torn read, until it is known what was written. */
  #tornAt: number | undefined;

  constructor(
    { config, hasNodes, hasSearchThreads, isGenerated, routerObstacles }: NetworkState,
    port: MessagePort,
    host: ThreadNetworkHost,
    { routedSwaps, verdictOf }: ThreadMarketParts,
  ) {
    const { chainId, gasLimit, id, plainTokens } = config;
    const reader = new MarketReader({ chainId, curves, gasLimit });
    const { graph } = reader;
    const engine = {
      graph,
      familyOf: reader.familyOf.bind(reader),
      quoteUnsafe: reader.quoteUnsafe.bind(reader),
      explain: reader.explain.bind(reader),
      overlay: reader.overlay.bind(reader),
      isHeavy: hasSearchThreads ? isHeavy.bind(undefined, graph) : () => false,
      workers: hasSearchThreads ? true : undefined,
    };
    const table = routerTable(config);
    const routers = table === undefined ? undefined : new NetworkRouters(table);
    const plain = addressSet(plainTokens);
    this.engine = engine;
    this.routers = routers;
    this.routedSwaps = hasNodes ? routedSwaps : undefined;
    this.chain = hasNodes ? true : undefined;
    this.#reader = reader;
    this.#port = port;
    this.#torn = host.torn;
    this.#make = () => {
      const texts = new AddressTexts(graph);
      const isPlain = (token: Address) => isGenerated || plain.has(token);
      return {
        texts,
        labels: new QuoteLabels(engine, texts, isPlain, verdictOf),
        gasEstimates: new GasEstimates(engine, routers),
      };
    };
    this.shared = {
      read: (compute) => this.#read(compute),
      elsewhere: (request, client) => host.elsewhere(id, request, client),
    };
    this.#judge(routerObstacles);
    // Also while no quotes come: updates must not pile up.
    port.on("message", (update: GraphUpdate) => reader.take(update));
    this.#catchUp();
  }

  update({ routerObstacles }: NetworkState): void {
    this.#judge(routerObstacles);
  }

  get texts(): Made["texts"] {
    return this.#parts.texts;
  }

  get labels(): Made["labels"] {
    return this.#parts.labels;
  }

  get gasEstimates(): Made["gasEstimates"] {
    return this.#parts.gasEstimates;
  }

  get #parts(): Made {
    this.#made ??= this.#make();
    return this.#made;
  }

  #judge(obstacles: NetworkState["routerObstacles"]): void {
    for (const [name, obstacle] of obstacles) this.routers?.judge(name, obstacle);
  }

  #read<A extends {}>(compute: () => A): A | undefined {
    const { graph } = this.#reader;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (!this.#reader.isCurrent && !this.#catchUp()) return undefined;
      this.#dropTorn(graph.topologyVersion);
      const { tornCount } = this.#reader;
      const value = this.#reader.read(compute);
      if (value !== undefined) return value;
      if (this.#reader.tornCount === tornCount) continue;
      this.#tornAt ??= graph.topologyVersion;
      this.#torn();
    }
    return undefined;
  }

  /** Drops the caches after a torn read if the topology changed: they depend on nothing else. */
  #dropTorn(topologyVersion: number): void {
    if (this.#tornAt === undefined) return;
    if (this.#tornAt !== topologyVersion) this.#made = undefined;
    this.#tornAt = undefined;
  }

  /**
   * Takes the posted updates, and waits for the end of a write; false where that takes too long.
   */
  #catchUp(): boolean {
    const endMs = performance.now() + PATIENCE_MS;
    for (;;) {
      let posted = receiveMessageOnPort(this.#port);
      while (posted !== undefined) {
        this.#reader.take(posted.message as GraphUpdate);
        posted = receiveMessageOnPort(this.#port);
      }
      if (this.#reader.isCurrent) return true;
      if (performance.now() > endMs) return false;
      const { writeSequence } = this.#reader.graph;
      Atomics.wait(writeSequence, 0, Atomics.load(writeSequence, 0), LOOK_MS);
    }
  }
}
