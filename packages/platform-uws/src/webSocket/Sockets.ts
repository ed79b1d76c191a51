import type { UwsSocket } from "./UwsSocket.ts";

/** The open WebSockets of one server. */
export class Sockets {
  readonly #open = new Set<UwsSocket>();

  get count(): number {
    return this.#open.size;
  }

  add(socket: UwsSocket): void {
    this.#open.add(socket);
  }

  delete(socket: UwsSocket): void {
    this.#open.delete(socket);
  }

  /** Lets each connection send its last messages, and closes it with 1012. */
  restart(): void {
    for (const socket of this.#open) socket.restart();
  }
}
