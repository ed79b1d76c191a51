import type { Material } from "./kinds.ts";

const TOKENS = 100;
const SIZES = 16;

/** Subscriptions of each channel, by number; each number subscribes to something else. */
export function topicsOf({ trades, tokens, pools }: Material) {
  const quote = (index: number, options: object) => {
    const { tokenIn, tokenOut, amountIn } = trades[index % trades.length]!;
    // Every amount makes a quote of its own, which no subscriptions share.
    const asked = { tokenA: tokenIn, tokenB: tokenOut, amountIn: String(amountIn + BigInt(index)) };
    return { channel: "quote", ...asked, ...options };
  };
  const ladder = (index: number, options: object) => {
    const { amountIn } = trades[index % trades.length]!;
    const amounts = Array.from({ length: SIZES }, (_, size) =>
      String((amountIn * BigInt(1 + size)) / BigInt(SIZES) + BigInt(1 + index)),
    );
    return quote(index, { amountIn: undefined, amounts, ...options });
  };
  return [
    ["price", (index) => ({ channel: "price", token: tokens[index % tokens.length] })],
    [
      "prices",
      (index) => {
        const first = index % (tokens.length - TOKENS);
        return { channel: "price", tokens: tokens.slice(first, first + TOKENS) };
      },
    ],
    ["pool", (index) => ({ channel: "pool", pool: pools[index % pools.length] })],
    ["block", () => ({ channel: "block" })],
    ["quote", (index) => quote(index, {})],
    ["ladder", (index) => ladder(index, {})],
    ["ladder-8-splits", (index) => ladder(index, { maxSplits: 8 })],
  ] satisfies ReadonlyArray<readonly [string, (index: number) => object]>;
}

interface Message {
  readonly op: string;
  readonly id?: number;
  readonly subscription?: string;
  readonly detail?: string;
}

/** Subscribes over a socket of its own. */
export class Subscriber {
  readonly #socket: WebSocket;
  #count = 0;
  /** By id; then by subscription. */
  readonly #waiting = new Map<number | string, (message: Message) => void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.op === "subscribed") {
        const resolve = this.#waiting.get(message.id!)!;
        this.#waiting.delete(message.id!);
        this.#waiting.set(message.subscription!, resolve);
      } else if (message.op === "snapshot") this.#settle(message.subscription!, message);
      else if (message.op === "error") this.#settle(message.id!, message);
    });
  }

  static async open(url: string): Promise<Subscriber> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", reject);
    });
    return new Subscriber(socket);
  }

  /** Subscribes, and unsubscribes once the first value has arrived. */
  async once(topic: object): Promise<void> {
    const id = this.#count++;
    const { op, subscription, detail } = await new Promise<Message>((resolve) => {
      this.#waiting.set(id, resolve);
      const fields = { op: "subscribe", id, network: "ETH", ...topic };
      this.#socket.send(JSON.stringify(fields));
    });
    if (op === "error") throw new Error(`not subscribed: ${detail}`);
    this.#socket.send(JSON.stringify({ op: "unsubscribe", id, subscription }));
  }

  close(): void {
    this.#socket.close();
  }

  #settle(name: number | string, message: Message): void {
    this.#waiting.get(name)?.(message);
    this.#waiting.delete(name);
  }
}
