import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A link to a port of this machine that can be cut: data is then lost without a notice. */
export class TcpLink {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  #isCut = false;

  private constructor(server: Server, sockets: Set<Socket>, port: number) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = port;
  }

  static async open(target: number): Promise<TcpLink> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(target, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.on("data", (data) => void (link.#isCut || to.write(data)));
        from.on("error", () => to.destroy());
        from.on("close", () => {
          sockets.delete(from);
          to.destroy();
        });
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { readonly port: number };
    const link = new TcpLink(server, sockets, port);
    return link;
  }

  cut(): void {
    this.#isCut = true;
  }

  /** Lost data is not resent, so the old connections are useless and are closed. */
  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.mend();
    this.#server.close();
  }
}
