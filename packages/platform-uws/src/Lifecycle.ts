/**
 * The server's life cycle, shared by its handlers: requests in flight, and the progress of the
 * shutdown. Plain fields, since direct routes use them on every request.
 */
export class Lifecycle {
  /** Requests that have arrived and are neither answered nor given up by their client. */
  inFlight = 0;
  /** Readiness is off; requests are still served. */
  draining = false;
  /** No longer listening; requests on connections kept alive get 503. */
  refusing = false;
  private whenIdle: (() => void) | undefined = undefined;
  private whenDraining: Array<() => void> = [];

  readonly requestBegan = (): void => {
    this.inFlight += 1;
  };

  readonly requestEnded = (): void => {
    this.inFlight -= 1;
    if (this.inFlight === 0) this.whenIdle?.();
  };

  beginDraining(): void {
    if (this.draining) return;
    this.draining = true;
    for (const notify of this.whenDraining) notify();
    this.whenDraining = [];
  }

  /** Calls `notify` when draining begins, or now if it has begun. */
  onDraining(notify: () => void): void {
    if (this.draining) notify();
    else this.whenDraining.push(notify);
  }

  /**
   * Calls `notify` when nothing is in flight, in a later turn of the event loop. The last request
   * may have ended inside a native callback whose answer is not flushed yet, and closing
   * connections there would lose it. One listener at a time.
   */
  onIdle(notify: () => void): void {
    this.whenIdle = () =>
      setImmediate(() => {
        if (this.inFlight === 0) notify();
      });
    if (this.inFlight === 0) this.whenIdle();
  }
}
