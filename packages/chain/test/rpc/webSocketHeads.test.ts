import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber, Stream } from "effect";
import { afterAll, beforeAll } from "vitest";
import { httpTransport } from "../../src/rpc/httpTransport.ts";

const { heads, post } = httpTransport();

describe("heads of a real node", () => {
  let anvil: ChildProcess;
  let address = "";

  beforeAll(async () => {
    const devnet = createRequire(new URL("../../../devnet/package.json", import.meta.url));
    const launcher = createRequire(devnet.resolve("@foundry-rs/anvil/package.json"));
    const cpu = process.arch === "x64" ? "amd64" : process.arch;
    const binary = launcher.resolve(`@foundry-rs/anvil-${process.platform}-${cpu}/bin/anvil`);
    anvil = spawn(binary, ["--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
    address = await new Promise((resolve, reject) => {
      let output = "";
      anvil.on("error", reject).on("exit", () => reject(new Error(output)));
      // Reads the output to its end: a child whose output is not read stops, or fails, when it
      // writes.
      anvil.stdout!.on("data", (chunk) => {
        output += chunk;
        const found = /Listening on (127\.0\.0\.1:\d+)/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
  });

  afterAll(async () => {
    const ended = once(anvil, "exit");
    anvil.kill("SIGKILL");
    await ended;
  });

  const mine = Effect.suspend(() =>
    post(
      `http://${address}`,
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_mine", params: [] }),
    ),
  );

  it.live(
    "arrive one by one, each under its number and hash",
    Effect.fnUntraced(function* () {
      const listening = yield* heads(`ws://${address}`).pipe(
        Stream.take(3),
        Stream.runCollect,
        Effect.forkChild,
      );
      yield* Effect.forkChild(Effect.forever(Effect.andThen(mine, Effect.sleep(20))));
      const found = (yield* Fiber.join(listening)) as ReadonlyArray<Record<string, string>>;
      const numbers = found.map((head) => Number(head["number"]));
      assert.deepStrictEqual(numbers, [numbers[0]!, numbers[0]! + 1, numbers[0]! + 2]);
      assert.strictEqual(found[1]!["parentHash"], found[0]!["hash"]);
    }),
  );
});

const SUBSCRIBED = '{"jsonrpc":"2.0","id":1,"result":"0xab"}';
const announcement = (subscription: string, result: unknown) =>
  JSON.stringify({ method: "eth_subscription", params: { subscription, result } });

/**
 * A node that upgrades to a WebSocket, answers the subscription with `texts`, and ignores close
 * frames.
 */
const deafNode = (texts: ReadonlyArray<string>, andThen: (socket: Socket) => void = () => {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const closed = Promise.withResolvers<void>();
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => closed.resolve());
        socket.once("data", (request) => {
          const key = /sec-websocket-key: (.*)\r/i.exec(request.toString())![1];
          const accept = createHash("sha1")
            .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
            .digest("base64");
          socket.write(
            `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
          );
          socket.once("data", () => {
            for (const text of texts) socket.write(frame(text));
            andThen(socket);
          });
        });
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return { server, sockets, url, closed: closed.promise };
    }),
    ({ server, sockets }) =>
      Effect.promise(async () => {
        for (const socket of sockets) socket.destroy();
        server.close();
        await once(server, "close");
      }),
  );

/** An unmasked text frame. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(10);
  head[0] = 0x81;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

describe("heads of a strange node", () => {
  it.live(
    "are only those of the subscription",
    Effect.fnUntraced(function* () {
      const { url } = yield* deafNode([
        announcement("0xab", "too early"),
        SUBSCRIBED,
        announcement("0xcd", "of another"),
        '{"id":1,"result":"0xcd"}',
        "{}",
        announcement("0xab", "a head"),
      ]);
      assert.deepStrictEqual(yield* heads(url).pipe(Stream.take(1), Stream.runCollect), ["a head"]);
    }),
  );

  it.live(
    "end in a failure, and the connection with them, when it talks nonsense or refuses",
    Effect.fnUntraced(function* () {
      const nonsense = [
        "<html>",
        "[]",
        '{"id":1,"error":{"code":-32601,"message":"notifications not supported"}}',
        announcement("0xab", "a".repeat(2 ** 20)),
      ];
      for (const text of nonsense) {
        const { url, closed } = yield* deafNode([text]);
        const error = yield* heads(url).pipe(Stream.runDrain, Effect.flip);
        assert.strictEqual(error.reason, text.length > 2 ** 20 ? "TooLarge" : "Closed");
        yield* Effect.promise(() => closed);
      }
    }),
  );

  it.live(
    "end in a failure when the connection ends, and when none can be made",
    Effect.fnUntraced(function* () {
      const { url } = yield* deafNode([SUBSCRIBED, announcement("0xab", "a head")], (socket) =>
        socket.end(),
      );
      const heard: Array<unknown> = [];
      yield* heads(url).pipe(
        Stream.runForEach((head) => Effect.sync(() => heard.push(head))),
        Effect.flip,
      );
      assert.deepStrictEqual(heard, ["a head"]);
      const { url: gone } = yield* Effect.scoped(deafNode([]));
      for (const bad of [gone, "no URL", "ftp://example"]) {
        const error = yield* heads(bad).pipe(Stream.runDrain, Effect.flip);
        assert.strictEqual(error.reason, "Unreachable");
      }
    }),
  );

  it.live(
    "leave no connection behind when the listener goes, though the node does not say good-bye",
    Effect.fnUntraced(function* () {
      const { promise: subscribed, resolve } = Promise.withResolvers<void>();
      const { url, closed } = yield* deafNode([SUBSCRIBED], () => resolve());
      const listening = yield* heads(url).pipe(Stream.runDrain, Effect.forkChild);
      yield* Effect.promise(() => subscribed);
      yield* Fiber.interrupt(listening);
      yield* Effect.promise(() => closed);
    }),
  );
});
