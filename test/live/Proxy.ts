import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * Kinds of outage: the endpoint refuses connections; or it holds all data until it is back; or it
 * loses all data under way.
 */
export type Outage = "refused" | "held" | "lost";

/** A proxy of a node, for HTTP and WebSockets, which can stop all traffic. */
export class Proxy {
  readonly #target: number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #server: Server | undefined;
  #outage: Outage | undefined;
  #port = 0;

  constructor(target: number) {
    this.#target = target;
  }

  async open(): Promise<number> {
    this.#server = createServer((client) => this.#accept(client));
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.#port;
  }

  async breakDown(outage: Outage): Promise<void> {
    this.#outage = outage;
    if (outage === "refused") return this.close();
    for (const [client, node] of this.#pairs) {
      client.unpipe(node).pause();
      node.unpipe(client).pause();
    }
  }

  async comeBack(): Promise<void> {
    const outage = this.#outage;
    this.#outage = undefined;
    if (outage === "refused") await this.open();
    // A lost connection stays silent for ever, and is not even closed.
    if (outage === "lost") return;
    for (const [client, node] of this.#pairs) join(client, node);
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const sockets of this.#pairs) for (const socket of sockets) socket.destroy();
    if (server === undefined) return;
    server.close();
    await once(server, "close");
  }

  #accept(client: Socket): void {
    const node = connect(this.#target, "127.0.0.1");
    const pair = [client, node] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#pairs.delete(pair);
        client.destroy();
        node.destroy();
      });
    }
    if (this.#outage === undefined) join(client, node);
    else client.pause();
  }
}

function join(client: Socket, node: Socket): void {
  client.pipe(node);
  node.pipe(client);
}
