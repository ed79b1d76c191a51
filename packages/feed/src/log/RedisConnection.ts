import { Effect, type Scope } from "effect";
import { FeedLogError } from "./FeedLog.ts";

type Client = Awaited<ReturnType<typeof makeClient>>;
export type RedisArgument = string | Uint8Array;
/** A reply of the server; texts are bytes. */
export type RedisReply = Buffer | number | null | undefined | ReadonlyArray<RedisReply>;

const CONNECT_MS = 1_000;

/**
 * One connection, opened when needed. After any failure the next command opens a new one: a client
 * that has timed out once never recovers, and its outstanding replies would come first.
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
      (connection) => Effect.sync(() => connection.#drop(connection.#opening)),
    );

  /** The reply to a command, within so many ms. */
  readonly send = (
    command: ReadonlyArray<RedisArgument>,
    timeoutMs: number,
  ): Effect.Effect<RedisReply, FeedLogError> =>
    Effect.suspend(() => {
      this.#opening ??= new Opening(this.#url);
      const opening = this.#opening;
      const drop = Effect.sync(() => this.#drop(opening));
      return Effect.tryPromise({
        try: async () => {
          const words = command.map((word) => (typeof word === "string" ? word : asBuffer(word)));
          return (await opening.client).sendCommand<RedisReply>(words);
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
        Effect.tapError(() => drop),
        // The abandoned reply would go to the next command.
        Effect.onInterrupt(() => drop),
      );
    });

  /** A later connection, opened after this one failed, stays. */
  #drop(opening: Opening | undefined): void {
    opening?.destroy();
    if (this.#opening === opening) this.#opening = undefined;
  }
}

/** A client that is connecting or connected. */
class Opening {
  readonly client: Promise<Client>;
  #isConnected = false;
  #isDestroyed = false;
  #made: Client | undefined;

  constructor(url: string) {
    this.client = this.#open(url);
    this.client.catch(() => {});
  }

  /** Destroys the client, whether or not it has connected. */
  destroy(): void {
    this.#isDestroyed = true;
    // Destroying a client that is still connecting would leave its connection open.
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
  // Errors appear as failures of commands.
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
  // Never contains the URL, which may hold a password.
  return new FeedLogError({ reason: "Unavailable", detail: code ?? message ?? "no connection" });
}
