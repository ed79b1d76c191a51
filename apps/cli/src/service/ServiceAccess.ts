import type { NetworkList } from "@millrace/api";
import { Client, type HttpEndpoints, type Updates } from "@millrace/client";
import { Effect, Stream } from "effect";
import { type CommandError, commandRefused, wrongUsage } from "../CommandError.ts";
import { Output } from "../output/Output.ts";
import { serviceFailure } from "./serviceFailure.ts";
import { didYouMean } from "./similarNames.ts";

/** Where a command asks; flags that all commands have. */
export interface ServiceFlags {
  readonly url: string;
  /** An id or a chain id; empty for the service's primary network. */
  readonly network: string;
  readonly json: boolean;
}

const ANSWER_TIMEOUT = "30 seconds";

/** A running service, and the network of it that a command is about. */
export class ServiceAccess {
  readonly output: Output;
  readonly #client: Client;
  readonly #url: string;
  #network: ServedNetwork | undefined;

  private constructor({ url, json }: ServiceFlags, client: Client) {
    this.output = new Output(json);
    this.#url = url;
    this.#client = client;
  }

  /** Finds the network. The key is of the environment: a list of processes shows none of that. */
  static readonly open = Effect.fnUntraced(function* (
    flags: ServiceFlags,
  ): Effect.fn.Return<ServiceAccess, CommandError> {
    const apiKey = process.env["MILLRACE_API_KEY"] || undefined;
    const client = yield* Effect.try({
      try: () => new Client(flags.url, apiKey === undefined ? {} : { apiKey }),
      catch: () => wrongUsage("--url has to be a URL of http or https"),
    });
    const access = new ServiceAccess(flags, client);
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

  /** What paths of the swap interface begin with. */
  get params(): { readonly network: string } {
    return { network: this.network.id };
  }

  /** What selects the network in market data. */
  get query(): { readonly chainId: number } {
    return { chainId: this.network.chainId };
  }

  /** Asks once, and tells what went wrong as a person would want it. */
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
    return Effect.suspend(() => {
      const unsubscribe = this.#client.onState((state, reason) => {
        if (state === "lost") Output.note(`the connection was lost: ${reason}`);
      });
      return subscribe(this.#client, this.network.id).stream.pipe(
        Stream.take(count),
        Stream.runForEach((update) => Effect.sync(() => show(update))),
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

type ServedNetwork = (typeof NetworkList.Type)["result"][number];
type Update<A> = Updates<A> extends AsyncIterable<infer Item> ? Item : never;
