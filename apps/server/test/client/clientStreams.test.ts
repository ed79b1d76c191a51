import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import {
  Client,
  isProblem,
  StreamRefused,
  type Update,
  type WebSocketLike,
} from "@millrace/client";
import { eventually } from "@millrace/testing";
import { Effect, Stream } from "effect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { networkOn } from "../kit/networkOn.ts";
import { type Service, startConfigured } from "../kit/service.ts";
import { startTradedChain, type TradedChain, trade } from "../kit/tradedChain.ts";

const NETWORK = "LOCAL";

let traded: TradedChain;
let service: Service;
let wire: Wire;
let client: Client;

beforeAll(async () => {
  traded = await startTradedChain();
  await trade(traded, 2);
  const networks = [networkOn(traded.chain.devnet)];
  const streams = { connectionsPerAddress: 100, heartbeatMs: 1_000 };
  service = await startConfigured({ networks, streams });
  wire = await openWire(Number(new URL(service.url).port));
});
beforeEach(() => {
  client?.close();
  client = new Client(wire.url, { reconnectMs: 20 });
});
afterAll(async () => {
  client?.close();
  wire?.close();
  await service?.stop();
  await traded?.stop();
});

const tokens = () => traded.chain.devnet.tokens.map(({ address }) => address);
const head = () => service.networks.primary.market!.engine.graph.stamp;

async function take<A>(reading: AsyncIterator<Update<A>, undefined>): Promise<Update<A>> {
  const result = await reading.next();
  if (result.done === true) throw new Error("it has ended");
  return result.value;
}

/** Trades, and waits until the service is at the chain's head. */
async function tradeOn(blocks = 1): Promise<void> {
  await trade(traded, blocks);
  const { hash } = (await traded.chain.call("eth_getBlockByNumber", "latest", false)) as {
    readonly hash: string;
  };
  await eventually(() => head().hash === hash);
}

describe("a client of the service", () => {
  it("reads every channel, and every value is one of the channel", async () => {
    const [tokenA, tokenB] = tokens() as [string, string];
    const { pools } = traded.chain.devnet;
    const request = { tokenA, tokenB, amountIn: "1000000000000000" };
    const readings = {
      price: client.price(NETWORK, tokenA)[Symbol.asyncIterator](),
      prices: client.prices(NETWORK, tokens().slice(0, 5))[Symbol.asyncIterator](),
      quote: client.quotes(NETWORK, request)[Symbol.asyncIterator](),
      ladder: client.ladder(NETWORK, { tokenA, tokenB }, ["1", "100000", "10000000000000000"]),
      pool: client.pool(NETWORK, pools[0]!.address)[Symbol.asyncIterator](),
      block: client.blocks(NETWORK)[Symbol.asyncIterator](),
    };
    const ladder = readings.ladder[Symbol.asyncIterator]();
    const price = await take(readings.price);
    expect(price.data).toMatchObject({ token: tokenA });
    expect(price.blockHash).toBe(head().hash);
    expect((await take(readings.prices)).data.map(({ token }) => token)).toEqual(
      tokens().slice(0, 5),
    );
    const quote = (await take(readings.quote)).data;
    if (isProblem(quote)) throw new Error(quote.detail);
    expect(BigInt(quote.amountOut)).toBeGreaterThan(0n);
    const { quotes } = (await take(ladder)).data;
    expect(quotes.map(isProblem)).toEqual([true, expect.any(Boolean), false]);
    const pool = (await take(readings.pool)).data;
    if (isProblem(pool)) throw new Error(pool.detail);
    expect(pool.poolAddress.toLowerCase()).toBe(pools[0]!.address);
    const block = await take(readings.block);
    await tradeOn();
    const next = await take(readings.block);
    expect(Number(next.blockNumber)).toBeGreaterThan(Number(block.blockNumber));
    expect(next.data.blockHash).toBe(next.blockHash);
  });

  it("gives the streamed quote as HTTP would, and the same after every block", async () => {
    const [tokenA, tokenB] = tokens() as [string, string];
    const request = { tokenA, tokenB, amountIn: "7000000000000000" };
    const reading = client.quotes(NETWORK, request)[Symbol.asyncIterator]();
    await take(reading);
    const other = new Client(service.url);
    for (let block = 0; block < 5; block++) {
      await tradeOn();
      const {
        blockNumber: _,
        blockHash: __,
        timestamp: ___,
        ...asked
      } = await other.quote(NETWORK, request);
      await eventually(async () => {
        const streamed = await client.quote(NETWORK, request);
        return streamed.amountOut === asked.amountOut;
      });
      expect(await client.quote(NETWORK, request)).toMatchObject(asked);
    }
  });

  it("tells of a reorganisation", async () => {
    const reading = client.blocks(NETWORK)[Symbol.asyncIterator]();
    await take(reading);
    await tradeOn(2);
    expect((await take(reading)).reorg).toBe(false);
    await Effect.runPromise(traded.chain.devnet.traffic.reorganise(2));
    await tradeOn(2);
    let update = await take(reading);
    while (update.reorg === false) update = await take(reading);
    expect(update.reorg).toBe(true);
  });

  it("comes back by itself when the wire is cut, and tells what it can of what it missed", async () => {
    const reading = client.blocks(NETWORK)[Symbol.asyncIterator]();
    const states: string[] = [];
    client.onState((state) => states.push(state));
    const before = await take(reading);
    wire.cut();
    const same = await take(reading);
    expect(same).toMatchObject({ blockHash: before.blockHash, reorg: false, missed: "unknown" });
    wire.isOpen = false;
    wire.cut();
    await tradeOn(2);
    wire.isOpen = true;
    const later = await take(reading);
    expect(later).toMatchObject({ blockHash: head().hash, reorg: "unknown", missed: "unknown" });
    await tradeOn();
    expect(await take(reading)).toMatchObject({ reorg: false, missed: 0 });
    expect(states.filter((state) => state === "open").length).toBeGreaterThanOrEqual(2);
  });

  it("knows of a reorganisation that came while it was away, where a block of the height shows it", async () => {
    const reading = client.blocks(NETWORK)[Symbol.asyncIterator]();
    await tradeOn();
    const before = await take(reading);
    wire.isOpen = false;
    wire.cut();
    await Effect.runPromise(traded.chain.devnet.traffic.reorganise(1));
    await eventually(() => head().hash !== before.blockHash);
    wire.isOpen = true;
    const after = await take(reading);
    expect(after.blockHash).not.toBe(before.blockHash);
    expect(after.reorg).toBe(after.blockNumber === before.blockNumber ? true : "unknown");
  });

  it("notices when the server is there and says nothing", { timeout: 60_000 }, async () => {
    const reading = client.blocks(NETWORK)[Symbol.asyncIterator]();
    await take(reading);
    wire.hold();
    const reasons: unknown[] = [];
    client.onState((_, reason) => reasons.push(reason));
    await eventually(() => reasons.includes("the server is silent"));
    await take(reading);
    expect(client.state).toBe("open");
  });

  it("is told why a subscription is refused, and reads on", async () => {
    const blocks = client.blocks(NETWORK)[Symbol.asyncIterator]();
    const unknown = `0x${"1".repeat(40)}`;
    const cases = [
      [client.price(NETWORK, unknown), "UNKNOWN_TOKEN"],
      [client.price("NOWHERE", unknown), "UNKNOWN_NETWORK"],
      [client.price(NETWORK, "nonsense"), "INVALID_REQUEST"],
      [client.pool(NETWORK, unknown), "UNKNOWN_POOL"],
    ] as const;
    for (const [updates, code] of cases) {
      const failure = await Effect.runPromise(
        Effect.flip(Stream.runDrain<unknown, Error, never>(updates.stream)),
      );
      expect(failure).toBeInstanceOf(StreamRefused);
      expect(failure).toMatchObject({ code });
    }
    expect((await take(blocks)).blockHash).toBe(head().hash);
  });

  it("leaves no subscription behind, however fast readings come and go", async () => {
    const messages: string[] = [];
    const watched = new Client(service.url, {
      openSocket: (url) => {
        const socket = new WebSocket(url);
        socket.addEventListener("message", ({ data }) => messages.push(String(data)));
        sockets.push(socket);
        return socket;
      },
    });
    const sockets: WebSocketLike[] = [];
    const reasons: unknown[] = [];
    watched.onState((_, reason) => reason !== undefined && reasons.push(reason));
    const blocks = watched.blocks(NETWORK)[Symbol.asyncIterator]();
    await take(blocks);
    for (let round = 0; round < 200; round++) {
      const reading = watched.price(NETWORK, tokens()[round % 5]!)[Symbol.asyncIterator]();
      const next = reading.next();
      if (round % 20 === 0) await next;
      else if (round % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      await reading.return!();
    }
    const held = await eventually(async () => {
      messages.length = 0;
      // The newest socket: if nothing ran for seconds, the client took the server for silent and
      // reconnected.
      sockets.at(-1)!.send(JSON.stringify({ op: "list", id: "list" }));
      // More than one a second, beside the client's own, is more than a connection may send.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const answer = messages.find((text) => text.includes('"id":"list"'));
      if (answer === undefined) return false;
      const { op, subscriptions } = JSON.parse(answer) as {
        readonly op: string;
        readonly subscriptions: ReadonlyArray<{ readonly channel: string }>;
      };
      return op === "subscriptions" && subscriptions.length === 1 && subscriptions;
    });
    expect(held).toMatchObject([{ channel: "block" }]);
    expect(reasons.filter((reason) => reason !== "the server is silent")).toEqual([]);
    watched.close();
  });
});

describe("a process with a client", () => {
  const READ_ONE = `for await (const { data } of client.blocks("${NETWORK}")) {
    console.log(data.blockHash);
    break;
  }`;
  it.each([
    ["the client is closed", `${READ_ONE} client.close();`, () => `${head().hash}\n`],
    ["nothing is read any more", READ_ONE, () => `${head().hash}\n`],
    [
      "the client is closed while it connects",
      `const reading = client.blocks("${NETWORK}")[Symbol.asyncIterator]().next();
      client.close();
      console.log((await reading).done);`,
      () => "true\n",
    ],
  ])("ends by itself when %s", async (_, body, expected) => {
    const program = `
      import { Client } from ${JSON.stringify(import.meta.resolve("@millrace/client"))};
      const client = new Client(${JSON.stringify(service.url)});
      ${body}`;
    const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (data: Buffer) => {
      output += data;
    });
    expect(await once(child, "close")).toEqual([0, null]);
    expect(output).toBe(expected());
  });

  it("in Node sends its key with the handshake, and nowhere else", async () => {
    wire.sent.length = 0;
    const keyed = new Client(wire.url, { apiKey: "not-to-be-told" });
    await take(keyed.blocks(NETWORK)[Symbol.asyncIterator]());
    keyed.close();
    const [handshake] = wire.sent;
    expect(handshake).toMatch(/^GET \/ws HTTP\/1\.1\r\n/);
    expect(handshake!.toLowerCase()).toContain("\r\nauthorization: bearer not-to-be-told\r\n");
    expect(handshake!.split("not-to-be-told")).toHaveLength(2);
  });
});

/** A proxy between the client and the service. */
interface Wire {
  readonly url: string;
  /** The first message of a client over each connection. */
  readonly sent: string[];
  /** Whether it accepts connections. */
  isOpen: boolean;
  /** Breaks every connection. */
  readonly cut: () => void;
  /** Passes nothing more over the existing connections, without closing them. */
  readonly hold: () => void;
  readonly close: () => void;
}

async function openWire(port: number): Promise<Wire> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server: Server = createServer((near) => {
    if (!wire.isOpen) {
      near.destroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
    const pair = [near, far] as const;
    near.once("data", (data: Buffer) => wire.sent.push(data.toString("latin1")));
    pairs.add(pair);
    near.pipe(far).pipe(near);
    for (const end of pair) {
      end.on("error", () => {});
      end.on("close", () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    for (const pair of pairs) for (const end of pair) end.destroy();
  };
  const wire: Wire = {
    url: `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`,
    sent: [],
    isOpen: true,
    cut,
    hold: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        // Later data is read and dropped.
        near.resume();
        far.resume();
      }
    },
    close: () => {
      cut();
      server.close();
    },
  };
  return wire;
}
