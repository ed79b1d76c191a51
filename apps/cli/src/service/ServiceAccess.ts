import type { NetworkList } from "@millrace/api";
import { Client, type HttpEndpoints, type Updates } from "@millrace/client";
import type { OpenedService } from "@millrace/server";
import { Effect, type Scope, Stream } from "effect";
import { type CommandError, commandRefused, wrongUsage } from "../CommandError.ts";
import { Output } from "../output/Output.ts";
import { type MarketFlags, ownMarketFlags } from "./MarketFlags.ts";
import type { OwnOptions } from "./openOwn.ts";
import type { PastBlocks } from "./pastSettings.ts";
import { serviceFailure } from "./serviceFailure.ts";
import { didYouMean } from "./similarNames.ts";

const DEFAULT_URL = "http://127.0.0.1:8080";
const ANSWER_TIMEOUT = "30 seconds";

/** A running service, or one in this process, and the network that a command is about. */
export class ServiceAccess {
  readonly output: Output;
  /** The service, if it runs in this process. */
  readonly own: OpenedService | undefined;
  readonly #client: Client;
  readonly #url: string;
  #network: ServedNetwork | undefined;

  private constructor(url: string, client: Client, output: Output, own?: OpenedService) {
    this.output = output;
    this.own = own;
    this.#url = url;
    this.#client = client;
  }

  /**
   * Opens the market that the flags name, or connects to a service, and finds the network. The API
   * key comes from the environment, since process lists show flags.
   */
  static readonly open = Effect.fnUntraced(function* (
    flags: MarketFlags,
    options: OwnOptions & Replayed = {},
  ): Effect.fn.Return<ServiceAccess, CommandError, Scope.Scope> {
    const output = yield* Output.open(flags.json);
    const own = yield* openedOwn(flags, options);
    const url = own?.url ?? (flags.url || process.env["MILLRACE_URL"] || DEFAULT_URL);
    const apiKey = own === undefined ? process.env["MILLRACE_API_KEY"] || undefined : undefined;
    const client = yield* Effect.try({
      try: () => new Client(url, apiKey === undefined ? {} : { apiKey }),
      catch: () => wrongUsage("--url has to be a URL of http or https"),
    });
    const access = new ServiceAccess(url, client, output, own);
    const { result } = yield* access.ask((http) => http.operations.networks());
    const wanted = flags.network.toUpperCase();
    const found = result.find(({ id, chainId, primary }) =>
      wanted === "" ? primary : id.toUpperCase() === wanted || String(chainId) === wanted,
    );
    if (found === undefined) {
      const ids = result.map(({ id }) => id);
      return yield* commandRefused(`no network ${flags.network}${didYouMean(wanted, ids)}`);
    }
    access.#network = found;
    return access;
  });

  get network(): ServedNetwork {
    return this.#network!;
  }

  /** Path parameters of the swap interface. */
  get params(): { readonly network: string } {
    return { network: this.network.id };
  }

  /** Query parameters that select the network in market data. */
  get query(): { readonly chainId: number } {
    return { chainId: this.network.chainId };
  }

  /** Sends one request; the error's message is for people. */
  ask<A, E>(use: (http: HttpEndpoints) => Effect.Effect<A, E>): Effect.Effect<A, CommandError> {
    return use(this.#client.http).pipe(
      Effect.timeout(ANSWER_TIMEOUT),
      Effect.mapError((failure) => serviceFailure(this.#url, failure)),
    );
  }

  /** Reads a stream until it ends, `count` updates are read, or a signal comes. */
  watch<A>(
    subscribe: (client: Client, network: string) => Updates<A>,
    count: number,
    show: (update: Update<A>) => void,
  ): Effect.Effect<void, CommandError> {
    let shown = 0;
    return this.watchUntil(subscribe, (update) => {
      show(update);
      shown++;
      return Effect.succeed(shown < count);
    });
  }

  /** Reads a stream until it ends, `wantsMore` is false, or a signal comes. */
  watchUntil<A>(
    subscribe: (client: Client, network: string) => Updates<A>,
    wantsMore: (update: Update<A>) => Effect.Effect<boolean, CommandError>,
  ): Effect.Effect<void, CommandError> {
    return Effect.suspend(() => {
      const unsubscribe = this.#client.onState((state, reason) => {
        if (state === "lost") this.output.note(`the connection was lost: ${reason}`);
      });
      return subscribe(this.#client, this.network.id).stream.pipe(
        Stream.takeWhileEffect(wantsMore),
        Stream.runDrain,
        Effect.mapError((failure) => serviceFailure(this.#url, failure)),
        Effect.ensuring(
          Effect.sync(() => {
            unsubscribe();
            this.#client.close();
          }),
        ),
      );
    });
  }
}

/** Loads an engine only where flags ask for one: it is large. */
const openedOwn = Effect.fnUntraced(function* (
  flags: MarketFlags,
  { replayMs, past, ...options }: OwnOptions & Replayed,
) {
  if (past !== undefined) {
    const [{ pastSettings }, { openOwn }] = yield* Effect.promise(() =>
      Promise.all([import("./pastSettings.ts"), import("./openOwn.ts")]),
    );
    return yield* openOwn(flags, yield* pastSettings(past), options);
  }
  if (ownMarketFlags(flags).length === 0) return undefined;
  const [{ ownSettings }, { openOwn }] = yield* Effect.promise(() =>
    Promise.all([import("./ownSettings.ts"), import("./openOwn.ts")]),
  );
  const settings = yield* ownSettings(flags, { replayMs });
  return settings && (yield* openOwn(flags, settings, options));
});

/** What to replay: a recorded market every `replayMs`, or a history. */
interface Replayed {
  readonly replayMs?: number;
  readonly past?: PastBlocks;
}

type ServedNetwork = (typeof NetworkList.Type)["result"][number];
type Update<A> = Updates<A> extends AsyncIterable<infer Item> ? Item : never;
