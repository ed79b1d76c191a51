import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import * as Headers from "effect/http/Headers";
import type { HeaderLines } from "./headerBlock.ts";
import { type HeaderFault, inspectAndCollectHeaders, inspected } from "./headerInspection.ts";
import type { Lifecycle } from "./Lifecycle.ts";
import type { IncomingRequest } from "./options.ts";
import { dropConnection } from "./refusal.ts";
import { requestIdentifier } from "./requestIdentifier.ts";
import type { ServerState } from "./ServerState.ts";
import { peerAddress } from "./webSocket/peerAddress.ts";

/**
 * One request and its answer, for code that may outlive the native handler. The native request is
 * invalid after the first await, and the native response after an abort or an answer. So the
 * request is copied, and the response is only used through `write`.
 */
export class Exchange {
  /** As sent. */
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without the `?`. */
  readonly query: string;
  readonly requestId: string;
  /** With our `x-request-id` in place of the client's. */
  readonly headers: Headers.Headers;
  readonly headerFault: HeaderFault;
  /** As declared; 0 when absent. */
  readonly contentLengthBytes: number;
  readonly hasBody: boolean;
  readonly hasLength: boolean;
  /** Whether the client announced that it sends nothing more. */
  readonly closes: boolean;
  readonly origin: string;
  readonly crossOriginLines: HeaderLines;
  /** The peer's address, as `peerAddress` writes it. */
  readonly remoteAddress: string;
  /** The whole body; this object owns it. */
  body: Uint8Array<ArrayBuffer> = noBytes;
  /** True until the answer is complete or the client has left. */
  isOpen = true;
  /** True once part of an answer has gone out. */
  hasBegun = false;
  /** Called once if the client leaves before the answer is complete. */
  onAborted: () => void = doNothing;
  /** Called when the client has taken what was written. */
  onWritable: () => void = doNothing;
  private readonly response: HttpResponse;
  private readonly lifecycle: Lifecycle;

  /** Copies the request. `onAborted` of the response must be registered, and call `abort`. */
  constructor(response: HttpResponse, request: HttpRequest, state: ServerState) {
    this.response = response;
    this.lifecycle = state.lifecycle;
    const headers: Record<string, string> = Object.create(null);
    this.headerFault = inspectAndCollectHeaders(request, headers);
    this.requestId = requestIdentifier(inspected.requestId);
    headers["x-request-id"] = this.requestId;
    this.headers = Headers.fromRecordUnsafe(headers);
    this.contentLengthBytes = Number(inspected.contentLength);
    this.hasBody = this.contentLengthBytes > 0;
    this.hasLength = inspected.contentLengthCount > 0;
    this.closes = inspected.closes;
    this.origin = inspected.origin;
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? "";
    this.crossOriginLines = state.crossOrigin.lines(this.origin, this.method, () => this.path);
    this.remoteAddress = peerAddress(response.getRemoteAddress());
  }

  /** Whether the answer must end the connection. */
  get isLast(): boolean {
    return this.closes || this.lifecycle.refusing;
  }

  /** The request, for `identify`. */
  get source(): IncomingRequest {
    return {
      peerAddress: () => this.remoteAddress,
      header: (name) => this.headers[name] ?? "",
    };
  }

  /**
   * Runs `writing` on the response in one system call. Returns false without running it once the
   * response is closed.
   */
  write(writing: (response: HttpResponse) => void): boolean {
    if (!this.isOpen) return false;
    this.hasBegun = true;
    this.response.cork(() => writing(this.response));
    return true;
  }

  /** To be called when the answer is complete. */
  readonly answered = (): void => {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.lifecycle.requestEnded();
  };

  /** To be called by the response's `onAborted`. */
  readonly abort = (): void => {
    if (!this.isOpen) return;
    this.answered();
    this.onAborted();
    this.onWritable();
  };

  /** Drops the connection; `abort` runs at once. */
  close(): void {
    if (this.isOpen) dropConnection(this.response);
  }

  /** Registers for back-pressure; needed once, before the first part of a streamed answer. */
  watchWritable(): void {
    this.response.onWritable(() => {
      this.onWritable();
      // True: the library need not call again.
      return true;
    });
  }
}

const noBytes = new Uint8Array(0);
const doNothing = (): void => {};
