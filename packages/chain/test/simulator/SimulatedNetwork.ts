import type { RandomSource, VirtualTime } from "@millrace/testing";
import { Effect } from "effect";
import { type HttpReply, type Transport, TransportError } from "../../src/rpc/Transport.ts";
import { failure, type NodeAnswer } from "./answers.ts";
import { CHAIN_ID } from "./contracts.ts";
import type { Faults } from "./Faults.ts";
import { lieAbout } from "./lies.ts";
import { ancestorOf, type SimulatedBlock, SimulatedChain } from "./SimulatedChain.ts";
import { drawTraits, SimulatedNode } from "./SimulatedNode.ts";
import { SimulatedSockets } from "./SimulatedSockets.ts";

interface SimulatedEndpoint {
  readonly url: string;
  readonly webSocketUrl: string | undefined;
  /** One node, or several behind a balancer. */
  readonly nodes: ReadonlyArray<SimulatedNode>;
  /** True while its URL leads to a node of another chain. */
  isForeign: boolean;
}

export interface NetworkOptions {
  readonly chain: SimulatedChain;
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly dice: RandomSource;
  readonly journalDepth: number;
  /** False where the reader does not compare blooms; then no node hides logs. */
  readonly isProved: boolean;
  readonly trace: (event: string) => void;
}

/** A Transport of endpoints, the nodes behind them, and faults on the way. */
export class SimulatedNetwork {
  readonly endpoints: ReadonlyArray<SimulatedEndpoint>;
  /** Requests answered or not, and virtual bytes of their answers. */
  requests = 0;
  readonly #options: NetworkOptions;
  readonly #sockets: SimulatedSockets;
  readonly #foreign: SimulatedNode;
  readonly #history: SimulatedBlock[] = [];
  #downUntil = 0;
  #isHealed = false;

  constructor(options: NetworkOptions) {
    const { dice, chain, faults, journalDepth, isProved, time } = options;
    this.#options = options;
    this.#sockets = new SimulatedSockets(faults, dice);
    const other = new SimulatedChain(dice, time.now, chain.blockTimeMs);
    for (let made = 0; made < 3; made++) other.mine(time.now);
    this.#foreign = new SimulatedNode(1, other.head, drawTraits(dice, 100), dice);
    if (!isProved) faults.never("missingLogs");
    this.endpoints = Array.from({ length: dice.between(1, 3) }, (_, index) => ({
      url: `http://node${index}`,
      webSocketUrl: dice.chance(0.6) ? `ws://node${index}` : undefined,
      nodes: Array.from({ length: dice.pick([1, 1, 2, 3]) }, () => {
        const traits = drawTraits(dice, 2 * journalDepth + 8);
        const logsOfUnknown = isProved ? traits.logsOfUnknown : "error";
        return new SimulatedNode(CHAIN_ID, chain.head, { ...traits, logsOfUnknown }, dice);
      }),
      isForeign: false,
    }));
  }

  readonly transport: Transport = {
    post: (url, body) => this.#post(url, body),
    heads: (url) =>
      this.#sockets.heads(url, () => {
        const endpoint = this.endpoints.find(({ webSocketUrl }) => webSocketUrl === url);
        return endpoint !== undefined && !this.#isDown() && !endpoint.isForeign;
      }),
  };

  /** True when a node has ever had the block in its canonical chain. */
  wasCanonical(block: SimulatedBlock): boolean {
    return this.endpoints.some(({ nodes }) => nodes.some((node) => node.hasHad(block)));
  }

  /** Lets all nodes follow the chain, as far as their faults allow, and announces heads. */
  follow(): void {
    const { chain, faults, dice } = this.#options;
    this.#history.push(chain.head);
    this.#sockets.flush();
    for (const { nodes, webSocketUrl } of this.endpoints) {
      for (const node of nodes) {
        const before = node.head;
        node.setHead(this.#headFor(node));
        if (webSocketUrl === undefined || node.head === before || this.#isDown()) continue;
        if (dice.chance(0.3) && node.head.parent)
          this.#sockets.announce(webSocketUrl, node.head.parent);
        this.#sockets.announce(webSocketUrl, node.head);
      }
    }
    this.#keepClose();
    if (faults.strikes("outage")) this.goDown(chain.blockTimeMs * dice.between(1, 8));
  }

  /** No endpoint answers for `ms`. */
  goDown(ms: number): void {
    this.#downUntil = this.#options.time.now + ms;
    for (const { webSocketUrl } of this.endpoints) {
      if (webSocketUrl !== undefined) this.#sockets.cut(webSocketUrl);
    }
  }

  /** Before a source starts: one of several URLs may lead to another chain. */
  misconfigure(): void {
    const [first] = this.endpoints;
    if (first === undefined || this.endpoints.length === 1) return;
    first.isForeign = this.#options.faults.strikes("wrongChain");
  }

  heal(): void {
    this.#isHealed = true;
    this.#downUntil = 0;
    for (const endpoint of this.endpoints) {
      endpoint.isForeign = false;
      for (const node of endpoint.nodes) node.setHead(this.#options.chain.head);
    }
  }

  #isDown(): boolean {
    return this.#options.time.now < this.#downUntil;
  }

  #headFor(node: SimulatedNode): SimulatedBlock {
    const { chain, faults, dice, journalDepth, time } = this.#options;
    if (this.#isHealed) return chain.head;
    if (faults.strikes("lag")) {
      return this.#history.at(-1 - dice.between(1, Math.max(1, journalDepth - 2))) ?? chain.head;
    }
    if (faults.strikes("fork")) {
      let tip = ancestorOf(chain.head, dice.between(1, 2));
      for (let made = dice.between(1, 2); made > 0; made--) tip = chain.child(tip, time.now);
      return tip;
    }
    return dice.chance(0.1) ? node.head : chain.head;
  }

  /**
   * Blocks `journalDepth` below the highest head that a reader may have seen are settled for it.
   * They must be the same on all nodes, so no node may lag further behind, or be on an older fork.
   */
  #keepClose(): void {
    const { chain, journalDepth } = this.#options;
    const nodes = this.endpoints.flatMap((endpoint) => endpoint.nodes);
    const highest = Math.max(chain.head.number, ...nodes.map(({ head }) => head.number));
    const truth = new Set<SimulatedBlock>();
    for (let depth = 0; depth <= 2 * journalDepth; depth++)
      truth.add(ancestorOf(chain.head, depth));
    for (const node of nodes) {
      let shared: SimulatedBlock | undefined = node.head;
      while (shared !== undefined && !truth.has(shared)) shared = shared.parent;
      if (shared === undefined || shared.number <= highest - journalDepth + 1) {
        node.setHead(chain.head);
      }
    }
  }

  #post(url: string, body: string): Effect.Effect<HttpReply, TransportError> {
    const { time, faults, dice, trace } = this.#options;
    return Effect.gen({ self: this }, function* () {
      this.requests++;
      trace(`${time.now} ${url} ${body}`);
      yield* Effect.sleep(dice.between(1, 20));
      const unreachable = new TransportError({ reason: "Unreachable", detail: "refused" });
      if (this.#isDown()) {
        return yield* dice.chance(0.2) ? Effect.never : Effect.fail(unreachable);
      }
      if (faults.strikes("refused")) return yield* Effect.fail(unreachable);
      if (faults.strikes("hangs")) return yield* Effect.never;
      if (faults.strikes("tooLarge")) {
        return yield* Effect.fail(new TransportError({ reason: "TooLarge", detail: "> 200 MB" }));
      }
      const reply = this.#reply(url, body);
      // An answer may no longer be true when it arrives.
      if (faults.strikes("slow")) yield* Effect.sleep(dice.between(200, 8_000));
      return reply;
    });
  }

  #reply(url: string, body: string): HttpReply {
    const { faults, dice, time } = this.#options;
    const ok = { status: 200, retryAfter: undefined };
    if (faults.strikes("tooManyRequests")) {
      const date = new Date(time.now + 2_000).toUTCString();
      const retryAfter = dice.pick([undefined, "0", "1", "3", date, "soon", "-5"]);
      return { status: 429, retryAfter, body: "Too Many Requests" };
    }
    if (faults.strikes("serverError")) {
      const retryAfter = dice.pick([undefined, undefined, "1"]);
      return { status: dice.pick([500, 502, 503, 504]), retryAfter, body: "upstream failed" };
    }
    if (faults.strikes("html")) return { ...ok, body: "<!doctype html><title>Welcome</title>" };
    const endpoint = this.endpoints.find((one) => one.url === url)!;
    const request = JSON.parse(body) as Request | ReadonlyArray<Request>;
    const answers = Array.isArray(request)
      ? (request as ReadonlyArray<Request>).map((one) => this.#answer(endpoint, one))
      : this.#answer(endpoint, request as Request);
    const text = JSON.stringify(answers);
    if (faults.strikes("truncated"))
      return { ...ok, body: text.slice(0, dice.integer(text.length)) };
    return { ...ok, body: text };
  }

  #answer(endpoint: SimulatedEndpoint, request: Request): Record<string, unknown> {
    const { faults, dice, chain } = this.#options;
    const { id, method, params = [] } = request;
    const node = endpoint.isForeign ? this.#foreign : dice.pick(endpoint.nodes);
    const limited = failure(dice.pick([-32005, -32603, -32016, -32097]), "try again later");
    const answered: NodeAnswer = faults.strikes("rpcError")
      ? limited
      : lieAbout(node.answer(method, params, chain.blocks), method, params, faults, dice, (hash) =>
          chain.blocks.get(hash as never),
        );
    if (method.startsWith("eth_getBlock") && faults.strikes("reorganisedBetween")) {
      const { time, journalDepth } = this.#options;
      chain.reorganise(dice.between(1, 2), time.now, journalDepth);
      for (const one of endpoint.nodes) one.setHead(chain.head);
      this.#keepClose();
    }
    return { jsonrpc: "2.0", id: faults.strikes("wrongId") ? 424_242 : id, ...answered };
  }
}

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params?: ReadonlyArray<unknown>;
}
