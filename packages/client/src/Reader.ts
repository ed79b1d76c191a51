import type { StateMessage } from "./readMessage.ts";
import type { StreamRefused } from "./streamErrors.ts";

/** Receives the events of one subscription. None of its functions may throw. */
export interface Reader {
  /** A snapshot, also the first one after a reconnection, or an update. */
  readonly received: (message: StateMessage) => void;
  /** The server refused the subscription: nothing follows. */
  readonly refused: (refusal: StreamRefused) => void;
  /**
   * The connection was lost: values received so far may be out of date. The client subscribes again
   * by itself.
   */
  readonly lost: () => void;
  /** The client was closed: nothing follows. */
  readonly closed: () => void;
}

/** A subscription that a reader wants; it outlasts connections. */
export interface Wanted {
  /** The subscribe operation without `op` and `id`. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly reader: Reader;
}
