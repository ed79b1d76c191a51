import type { CDPSession, Page, WebSocket } from "playwright-core";

/** What a page holds on to, after a full collection of its heap. */
export interface PageReading {
  readonly heapBytes: number;
  /** Of all documents, those that only scripts still hold among them. */
  readonly nodes: number;
  readonly listeners: number;
  readonly sockets: number;
  readonly subscriptions: number;
}

/** Reads what a page holds on to. To be opened before the page goes anywhere. */
export class PageGauges {
  readonly #session: CDPSession;
  /** How many subscriptions each open socket holds. */
  readonly #held = new Map<WebSocket, number>();

  private constructor(session: CDPSession, page: Page) {
    this.#session = session;
    page.on("websocket", (socket) => {
      let count = 0;
      this.#held.set(socket, count);
      socket.on("close", () => this.#held.delete(socket));
      socket.on("framereceived", ({ payload }) => {
        const [, op] = OPERATION.exec(String(payload)) ?? [];
        if (op === "subscribed") this.#held.set(socket, ++count);
        if (op === "unsubscribed") this.#held.set(socket, --count);
      });
    });
  }

  static async open(page: Page): Promise<PageGauges> {
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.enable");
    await session.send("Performance.enable");
    return new PageGauges(session, page);
  }

  /** That the service has confirmed, and not taken back. */
  get subscriptions(): number {
    return [...this.#held.values()].reduce((sum, held) => sum + held, 0);
  }

  async read(): Promise<PageReading> {
    // What finalizers let go of is gone with the second.
    await this.#session.send("HeapProfiler.collectGarbage");
    await this.#session.send("HeapProfiler.collectGarbage");
    const { metrics } = await this.#session.send("Performance.getMetrics");
    const of = (wanted: string) => metrics.find(({ name }) => name === wanted)!.value;
    return {
      heapBytes: of("JSHeapUsedSize"),
      nodes: of("Nodes"),
      listeners: of("JSEventListeners"),
      sockets: this.#held.size,
      subscriptions: this.subscriptions,
    };
  }
}

const OPERATION = /^\{"op":"(\w+)"/u;
