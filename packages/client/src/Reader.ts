import type { StateMessage } from "./readMessage.ts";
import type { StreamRefused } from "./streamErrors.ts";

/** What one subscription receives. None of it may throw. */
export interface Reader {
  /** A snapshot, also after the connection was lost and found again, or an update. */
  readonly received: (message: StateMessage) => void;
  /** The server will not have it: nothing follows. */
  readonly refused: (refusal: StreamRefused) => void;
  /** The connection was lost: what was received may be old. It is subscribed again by itself. */
  readonly lost: () => void;
  /** The client was closed: nothing follows. */
  readonly closed: () => void;
}

/** A subscription that somebody wants, whatever becomes of connections. */
export interface Wanted {
  /** Without `op` and `id`. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly reader: Reader;
}
