import * as Effect from "effect/Effect";
import type * as FileSystem from "effect/FileSystem";
import * as Cookies from "effect/http/Cookies";
import type * as Headers from "effect/http/Headers";
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage";
import { HttpServerError, RequestParseError } from "effect/http/HttpServerError";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as Multipart from "effect/http/Multipart";
import * as UrlParams from "effect/http/UrlParams";
import * as Inspectable from "effect/Inspectable";
import * as Option from "effect/Option";
import type * as Path from "effect/Path";
import type * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";

/** The parts of a request. */
export interface ReadRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without the `?`. */
  readonly query: string;
  readonly headers: Headers.Headers;
  readonly remoteAddress: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

type Modification = Parameters<HttpServerRequest.HttpServerRequest["modify"]>[0];

/** A read request as Effect's `HttpServerRequest`. Its body is already in memory, and bounded. */
export class UwsServerRequest
  extends Inspectable.Class
  implements HttpServerRequest.HttpServerRequest
{
  readonly [HttpServerRequest.TypeId]: typeof HttpServerRequest.TypeId = HttpServerRequest.TypeId;
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId =
    HttpIncomingMessage.TypeId;
  readonly source: ReadRequest;
  readonly url: string;
  readonly headers: Headers.Headers;
  readonly remoteAddress: Option.Option<string>;
  readonly peerAddress: Option.Option<string>;
  readonly protocol: "http" | "https" | undefined;

  /** `changes`: the argument of `modify`, on top of `earlier`. */
  constructor(source: ReadRequest, changes: Modification = {}, earlier?: UwsServerRequest) {
    super();
    const { path, query } = source;
    const remoteAddress = earlier?.remoteAddress ?? Option.some(source.remoteAddress);
    this.source = source;
    this.url = changes.url ?? earlier?.url ?? (query === "" ? path : `${path}?${query}`);
    this.headers = changes.headers ?? earlier?.headers ?? source.headers;
    this.remoteAddress = changes.remoteAddress ?? remoteAddress;
    this.peerAddress = changes.peerAddress ?? earlier?.peerAddress ?? remoteAddress;
    this.protocol = changes.protocol ?? earlier?.protocol;
  }

  get method(): string {
    return this.source.method;
  }

  get originalUrl(): string {
    const { headers, path, query } = this.source;
    return `http://${headers["host"] ?? ""}${query === "" ? path : `${path}?${query}`}`;
  }

  get cookies() {
    return Cookies.parseHeader(this.headers["cookie"] ?? "");
  }

  modify(options: Modification): HttpServerRequest.HttpServerRequest {
    return new UwsServerRequest(this.source, options, this);
  }

  private get bytes(): Effect.Effect<Uint8Array<ArrayBuffer>, HttpServerError> {
    return Effect.flatMap(HttpIncomingMessage.MaxBodySize, (limit) => {
      const { body } = this.source;
      return limit === undefined || body.length <= Number(limit)
        ? Effect.succeed(body)
        : Effect.fail(this.parseError("BodyTooLarge", undefined));
    });
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpServerError> {
    return Effect.map(this.bytes, (bytes) => bytes.buffer);
  }

  get stream(): Stream.Stream<Uint8Array, HttpServerError> {
    return Stream.unwrap(
      Effect.map(this.bytes, (bytes) => (bytes.length === 0 ? Stream.empty : Stream.make(bytes))),
    );
  }

  get text(): Effect.Effect<string, HttpServerError> {
    return Effect.map(this.bytes, (bytes) => textDecoder.decode(bytes));
  }

  /** An empty body reads as null, as it does on Node. */
  get json(): Effect.Effect<Schema.Json, HttpServerError> {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({
        try: (): Schema.Json => (text === "" ? null : JSON.parse(text)),
        catch: (cause) => this.parseError("Parse", cause),
      }),
    );
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpServerError> {
    return Effect.map(this.text, (text) =>
      // A leading "?" is data here; URLSearchParams would drop it.
      UrlParams.fromInput(new URLSearchParams(text.replace(/^\?/, "%3F"))),
    );
  }

  get multipart(): Effect.Effect<
    Multipart.Persisted,
    Multipart.MultipartError,
    Scope.Scope | FileSystem.FileSystem | Path.Path
  > {
    return Multipart.toPersisted(this.multipartStream);
  }

  get multipartStream(): Stream.Stream<Multipart.Part, Multipart.MultipartError> {
    return Stream.pipeThroughChannel(
      Stream.mapError(this.stream, (cause) =>
        Multipart.MultipartError.fromReason("InternalError", cause),
      ),
      Multipart.makeChannel(this.headers),
    );
  }

  /**
   * Fails: WebSockets have native routes of their own, as the library upgrades only inside its
   * handler.
   */
  get upgrade(): Effect.Effect<never, HttpServerError> {
    return Effect.fail(this.parseError("Parse", new Error("Not an upgradeable request")));
  }

  upgradeWith(): Effect.Effect<never, HttpServerError> {
    return this.upgrade;
  }

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, {
      _id: "HttpServerRequest",
      method: this.method,
      url: UrlParams.redactUrl(this.originalUrl),
    });
  }

  private parseError(reason: "Parse" | "BodyTooLarge", cause: unknown): HttpServerError {
    return new HttpServerError({ reason: new RequestParseError({ request: this, reason, cause }) });
  }
}

const textDecoder = new TextDecoder();
