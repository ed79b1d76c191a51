import { Client, type ConnectionState, type Update, type Updates } from "@millrace/client";
import { Effect } from "effect";
import { useEffect, useRef, useState } from "preact/hooks";

/** The service that serves the page, over its public interface. */
export const client = new Client(location.origin, { reconnectMs: 250, reconnectMaxMs: 5_000 });

/**
 * A hidden page keeps its subscriptions this long, so that a reader who comes back soon sees no
 * gap.
 */
const HIDDEN_MS = 10_000;

/** The delay before a passing failure is retried. */
export const AGAIN_MS = 2_000;

/** The longest wait for an idle browser. */
const IDLE_MS = 200;

/** The state of a request: the data so far, and why there is no more. */
export interface Loaded<A> {
  readonly data?: A;
  readonly failure?: string;
}

/** Runs a request of `client.http`, anew with every change of `key`; no request without a key. */
export function useRequest<A, E>(
  key: string | undefined,
  request: () => Effect.Effect<A, E>,
  everyMs = 0,
): Loaded<A> {
  const [loaded, setLoaded] = useState<Loaded<A> & { readonly key?: string | undefined }>({});
  useEffect(() => {
    if (key === undefined) return;
    const aborting = new AbortController();
    const { signal } = aborting;
    let again: ReturnType<typeof setTimeout> | undefined;
    const ask = () => {
      clearTimeout(again);
      if (document.hidden && everyMs > 0) return;
      Effect.runPromise(request(), { signal }).then(
        (data) => !signal.aborted && setLoaded({ key, data }),
        (cause) => {
          if (signal.aborted) return;
          setLoaded(({ data }) => kept(key, data, failureText(cause)));
          if (isPassing(cause)) again = setTimeout(ask, AGAIN_MS);
        },
      );
    };
    ask();
    const asking = everyMs > 0 ? setInterval(ask, everyMs) : undefined;
    return () => {
      aborting.abort();
      clearInterval(asking);
      clearTimeout(again);
    };
  }, [key, everyMs]);
  return loaded.key === key ? loaded : {};
}

const kept = <A>(key: string, data: A | undefined, failure: string) => ({
  key,
  failure,
  ...(data !== undefined && { data }),
});

/**
 * Reads updates of `client` while the page is visible, anew with every change of `key`; none
 * without a key. `onData` gets each update. Gives the failure, if any.
 */
export function useUpdates<A>(
  key: string | undefined,
  open: () => Updates<A>,
  onData: (data: A, update: Update<A>) => void,
): string | undefined {
  const [failure, setFailure] = useState<string>();
  const isSeen = useIsSeen();
  const latest = useRef(onData);
  latest.current = onData;
  useEffect(() => {
    setFailure(undefined);
    if (key === undefined || !isSeen) return;
    const reading = open()[Symbol.asyncIterator]();
    let isOver = false;
    const read = async () => {
      for (;;) {
        const { done, value } = await reading.next();
        if (done || isOver) return;
        latest.current(value.data, value);
      }
    };
    read().catch((cause) => !isOver && setFailure(failureText(cause)));
    return () => {
      isOver = true;
      void reading.return?.();
    };
  }, [key, isSeen]);
  return failure;
}

/** The value of the last idle moment, for large parts that can wait. */
export function useIdleValue<A>(value: A): A {
  const [shown, setShown] = useState(value);
  useEffect(() => {
    const show = () => setShown(() => value);
    // Not every browser reports when it is idle.
    if (globalThis.requestIdleCallback === undefined) {
      const waiting = setTimeout(show);
      return () => clearTimeout(waiting);
    }
    const waiting = requestIdleCallback(show, { timeout: IDLE_MS });
    return () => cancelIdleCallback(waiting);
  }, [value]);
  return shown;
}

/** Whether the page is visible, or was a moment ago. */
function useIsSeen(): boolean {
  const [isSeen, setIsSeen] = useState(!document.hidden);
  useEffect(() => {
    let hiding: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(hiding);
      if (!document.hidden) setIsSeen(true);
      else hiding = setTimeout(() => setIsSeen(false), HIDDEN_MS);
    };
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(hiding);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return isSeen;
}

/** The state of the streaming connection. */
export function useConnection(): ConnectionState {
  const [state, setState] = useState(client.state);
  useEffect(() => client.onState(setState), []);
  return state;
}

interface Failure {
  readonly code?: string;
  readonly detail?: string;
  readonly title?: string;
  readonly error?: ReadonlyArray<{ readonly code?: string; readonly message: string }>;
  readonly message?: string;
  readonly cause?: unknown;
}

/** Whether a retry may help: the service was unreachable, not ready, or overloaded. */
export function isPassing(cause: unknown): boolean {
  const { code, error, cause: inner } = Object(cause) as Failure;
  const told = code ?? error?.[0]?.code?.toUpperCase();
  if (told !== undefined) return PASSING.includes(told);
  return inner === undefined || inner === null || isPassing(inner);
}

const PASSING = ["NOT_READY", "RATE_LIMITED", "INTERNAL"];

/** The reason of a failure, in words for the reader. */
export function failureText(cause: unknown): string {
  const failure = Object(cause) as Failure;
  if (failure.detail !== undefined) return failure.detail;
  const [issue] = failure.error ?? [];
  if (issue !== undefined) return issue.message;
  if (failure.title !== undefined) return failure.title;
  if (failure.cause !== undefined && failure.cause !== null) return failureText(failure.cause);
  return failure.message ?? "The service did not answer";
}
