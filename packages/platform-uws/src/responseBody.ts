import type { HttpServerResponse } from "effect/http/HttpServerResponse";
import * as Stream from "effect/Stream";

/** A response body in one of the two forms that can be written. */
export interface ResponseBody {
  /** The whole body; "" when there is a stream. */
  readonly content: string | Uint8Array;
  /** The body in parts. */
  readonly stream: Stream.Stream<Uint8Array, unknown> | undefined;
  /** Its length, if known. */
  readonly bytesCount: number | undefined;
  /** The body's own content type, if it has one. */
  readonly contentType: string | undefined;
}

/** Reads the body of a response. Throws a `TypeError` at a raw body of an unknown kind. */
export const responseBody = (response: HttpServerResponse): ResponseBody => {
  const { body } = response;
  switch (body._tag) {
    case "Empty":
      return whole("");
    case "Uint8Array":
      return { ...whole(body.text ?? body.body), bytesCount: body.contentLength };
    case "Stream":
      return parts(body.stream, body.contentLength, body.contentType);
    case "FormData": {
      const encoded = new Response(body.formData);
      const contentType = encoded.headers.get("content-type") ?? undefined;
      return encoded.body === null
        ? whole("")
        : parts(iterate(encoded.body), undefined, contentType);
    }
    case "Raw":
      return rawBody(body.body, body.contentLength, body.contentType);
  }
};

const rawBody = (
  body: unknown,
  bytesCount: number | undefined,
  contentType: string | undefined,
): ResponseBody => {
  if (body === null || body === undefined) return whole("");
  if (typeof body === "string" || body instanceof Uint8Array) return whole(body);
  if (body instanceof ArrayBuffer) return whole(new Uint8Array(body));
  if (body instanceof Response) return rawBody(body.body, bytesCount, contentType);
  // Web streams and Node's streams can both be iterated this way.
  if (typeof body === "object" && Symbol.asyncIterator in body) {
    return parts(iterate(body as AsyncIterable<Uint8Array>), bytesCount, contentType);
  }
  throw new TypeError("A raw body must be text, bytes or a stream of bytes");
};

const whole = (content: string | Uint8Array): ResponseBody => ({
  content,
  stream: undefined,
  bytesCount: typeof content === "string" ? Buffer.byteLength(content) : content.length,
  contentType: undefined,
});

const parts = (
  stream: Stream.Stream<Uint8Array, unknown>,
  bytesCount: number | undefined,
  contentType: string | undefined,
): ResponseBody => ({ content: "", stream, bytesCount, contentType });

const iterate = (source: AsyncIterable<Uint8Array>): Stream.Stream<Uint8Array, unknown> =>
  Stream.fromAsyncIterable(source, (cause) => cause);
