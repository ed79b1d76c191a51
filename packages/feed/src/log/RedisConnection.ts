import { Effect, type Scope } from "effect";
import { FeedLogError } from "./FeedLog.ts";

type Client = Awaited<ReturnType<typeof makeClient>>;
export type RedisArgument = string | Uint8Array;
/** What the server answers; texts are bytes. */
export type RedisReply = Buffer | number | null | undefined | ReadonlyArray<RedisReply>;

const CONNECT_MS = 1_000;

/**
 * One connection, made when it is needed. After any failure the next command makes a new one: a
 * client that has timed out once never comes back by itself, and what it still waits for would come
 * first.
 */
export class RedisConnection {
  readonly #url: string;
  #opening: Opening | undefined;

  private constructor(url: string) {
    this.#url = url;
  }

  static readonly make = (url: string): Effect.Effect<RedisConnection, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => new RedisConnection(url)),
      (connection) => Effect.sync(() => connection.#drop()),
    );

  /** The answer to a command, within so many ms. */
  readonly send = (
    command: ReadonlyArray<RedisArgument>,
    timeoutMs: number,
  ): Effect.Effect<RedisReply, FeedLogError> =>
    Effect.tryPromise({
      try: async () => {
        this.#opening ??= new Opening(this.#url);
        const words = command.map((word) => (typeof word === "string" ? word : asBuffer(word)));
        return (await this.#opening.client).sendCommand<RedisReply>(words);
      },
      catch: unavailable,
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () =>
          Effect.fail(
            new FeedLogError({ reason: "TimedOut", detail: `no answer in ${timeoutMs} ms` }),
          ),
      }),
      Effect.tapError(() => Effect.sync(() => this.#drop())),
      // The answer to what was left off would come to who asks next.
      Effect.onInterrupt(() => Effect.sync(() => this.#drop())),
    );

  #drop(): void {
    this.#opening?.destroy();
    this.#opening = undefined;
  }
}

/** A client that connects, or has. */
class Opening {
  readonly client: Promise<Client>;
  #isConnected = false;
  #isDestroyed = false;
  #made: Client | undefined;

  constructor(url: string) {
    this.client = this.#open(url);
    this.client.catch(() => {});
  }

  /** Whether the server has answered or not. */
  destroy(): void {
    this.#isDestroyed = true;
    // Before there is a connection, destroying the client would leave the one that comes.
    if (this.#isConnected && this.#made!.isOpen) this.#made!.destroy();
  }

  async #open(url: string): Promise<Client> {
    const client = await makeClient(url);
    this.#made = client;
    client.on("connect", () => {
      this.#isConnected = true;
      if (this.#isDestroyed) this.destroy();
    });
    return await client.connect();
  }
}

async function makeClient(url: string) {
  const { createClient, RESP_TYPES } = await import("@redis/client");
  const client = createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false, connectTimeout: CONNECT_MS },
    commandOptions: {
      typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.SIMPLE_STRING]: Buffer },
    },
  });
  // What it is about comes as the failure of a command.
  client.on("error", () => {});
  return client;
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

function unavailable(cause: unknown): FeedLogError {
  const { code, message } = cause as { readonly code?: string; readonly message?: string };
  if (code === "ERR_MODULE_NOT_FOUND") {
    const detail = "a feed in Redis needs the package @redis/client";
    return new FeedLogError({ reason: "Misconfigured", detail });
  }
  // A URL is never in it: it may hold a password.
  return new FeedLogError({ reason: "Unavailable", detail: code ?? message ?? "no connection" });
}
