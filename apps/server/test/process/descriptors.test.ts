import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { killProcesses, ServiceProcess } from "@millrace/testing";
import { afterEach, describe, expect, it } from "vitest";
import { UNIVERSE_A } from "../kit/service.ts";

const DESCRIPTORS = 256;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await killProcesses();
});

describe("more connections than the process may have descriptors", () => {
  it("neither stop it nor keep it busy", async () => {
    const service = new ServiceProcess({
      environment: { MILLRACE_MARKET_FILE: UNIVERSE_A },
      shell: `ulimit -n ${DESCRIPTORS}`,
    });
    const url = new URL(await service.ready());
    const port = Number(url.port);
    for (let count = 0; count < 2 * DESCRIPTORS; count++) {
      const socket = connect({ port, host: "127.0.0.1" });
      socket.on("error", () => {});
      sockets.push(socket);
      await once(socket, "connect");
    }
    const cpuSeconds = async () => {
      const text = await read(port, "/metrics");
      return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)![1]);
    };
    // Makes room for one connection by closing one.
    const open = () => sockets.filter(({ closed }) => !closed).length;
    while (open() > 0.75 * DESCRIPTORS) await new Promise((resolve) => setTimeout(resolve, 20));
    sockets.find(({ closed }) => !closed)!.destroy();
    const [before, beganMs] = [await cpuSeconds(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const busy = (await cpuSeconds()) - before;
    expect(busy).toBeLessThan((0.5 * (performance.now() - beganMs)) / 1_000);
    expect(await read(port, "/metrics")).toMatch(/^millrace_connections_refused_total [1-9]\d\d$/m);
    expect(service.output.err).toContain("Connections are refused");
  });
});

/** Reads over a connection of its own, and waits until it gets one. */
async function read(port: number, path: string): Promise<string> {
  for (;;) {
    const socket = connect({ port, host: "127.0.0.1" });
    let text = "";
    socket.on("data", (data: Buffer) => {
      text += data;
    });
    socket.on("error", () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const closed = once(socket, "close");
    while (!text.endsWith("\n") && !socket.closed) {
      await Promise.race([once(socket, "data"), closed]);
    }
    socket.destroy();
    await closed;
    if (text !== "") return text;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
