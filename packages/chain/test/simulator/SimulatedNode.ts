import type { Hex } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import { call, failure, filterLogs, type NodeAnswer } from "./answers.ts";
import { blockAt, headerOf, type SimulatedBlock } from "./SimulatedChain.ts";
import { quantity } from "./words.ts";

/** Traits of a node, which no healing changes. */
interface NodeTraits {
  /** The answer to a request for logs of an unknown block hash. */
  readonly logsOfUnknown: "error" | "empty";
  /** True when blocks that left its canonical chain are forgotten at once. */
  readonly forgetsOrphans: boolean;
  /** Blocks that one `eth_getLogs` may span. */
  readonly rangeLimit: number;
  /** Blocks below the head whose state it has. */
  readonly stateDepth: number;
  /** Whether a range that starts above its head is an error; else the answer is empty. */
  readonly refusesFutureRanges: boolean;
}

/** Errors of providers for a range that is too long. */
const RANGE_REFUSALS: ReadonlyArray<NodeAnswer> = [
  failure(-32005, "query returned more than 10000 results"),
  failure(
    -32602,
    "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range",
  ),
  failure(-32000, "query timeout exceeded"),
  failure(-32614, "eth_getLogs is limited to a 10,000 range"),
  failure(-32600, "block range too large"),
  failure(-32701, "Please specify an address in your request or reduce the range"),
  failure(35, "ranges over 10000 blocks are not supported on freetier"),
];

export function drawTraits(dice: RandomSource, depthOfStates: number): NodeTraits {
  return {
    logsOfUnknown: dice.chance(0.25) ? "empty" : "error",
    forgetsOrphans: dice.chance(0.3),
    rangeLimit: dice.pick([1, 3, 10, 100, 2_000, 100_000]),
    stateDepth: dice.chance(0.4) ? depthOfStates : Number.POSITIVE_INFINITY,
    refusesFutureRanges: dice.chance(0.5),
  };
}

/** One node: a head of its own, and all blocks that it has ever had in its canonical chain. */
export class SimulatedNode {
  readonly #traits: NodeTraits;
  readonly #dice: RandomSource;
  readonly #known = new Set<SimulatedBlock>();
  readonly #chainId: number;
  #head: SimulatedBlock;

  constructor(chainId: number, head: SimulatedBlock, traits: NodeTraits, dice: RandomSource) {
    this.#chainId = chainId;
    this.#traits = traits;
    this.#dice = dice;
    this.#head = head;
    this.setHead(head);
  }

  get head(): SimulatedBlock {
    return this.#head;
  }

  setHead(head: SimulatedBlock): void {
    this.#head = head;
    let block: SimulatedBlock | undefined = head;
    while (block !== undefined && !this.#known.has(block)) {
      this.#known.add(block);
      block = block.parent;
    }
  }

  /** True when the node has ever had the block in its canonical chain. */
  hasHad(block: SimulatedBlock): boolean {
    return this.#known.has(block);
  }

  answer(method: string, params: ReadonlyArray<unknown>, blocks: Blocks): NodeAnswer {
    switch (method) {
      case "eth_chainId":
        return { result: quantity(this.#chainId) };
      case "net_version":
        return { result: String(this.#chainId) };
      case "eth_blockNumber":
        return { result: quantity(this.#head.number) };
      case "eth_getBlockByNumber": {
        const found = this.#byTag(params[0]);
        if (found === "unsupported") return failure(-32000, "finalized block not found");
        return { result: found === undefined ? null : bodyOf(found) };
      }
      case "eth_getBlockByHash": {
        const found = this.#byHash(params[0], blocks);
        return { result: found === undefined ? null : bodyOf(found) };
      }
      case "eth_getLogs":
        return this.#logs(params[0] as Readonly<Record<string, unknown>>, blocks);
      case "eth_call":
        return this.#call(params, blocks);
      default:
        return failure(-32601, `the method ${method} does not exist/is not available`);
    }
  }

  #byTag(tag: unknown): SimulatedBlock | "unsupported" | undefined {
    if (tag === "latest" || tag === "pending" || tag === undefined) return this.#head;
    if (tag === "finalized" || tag === "safe") return "unsupported";
    if (tag === "earliest") return blockAt(this.#head, 0);
    return blockAt(this.#head, Number(tag));
  }

  #byHash(hash: unknown, blocks: Blocks): SimulatedBlock | undefined {
    const block = blocks.get(hash as Hex);
    if (block === undefined || !this.#known.has(block)) return undefined;
    if (!this.#traits.forgetsOrphans) return block;
    return blockAt(this.#head, block.number) === block ? block : undefined;
  }

  #logs(filter: Readonly<Record<string, unknown>>, blocks: Blocks): NodeAnswer {
    if (filter["blockHash"] !== undefined) {
      const block = this.#byHash(filter["blockHash"], blocks);
      if (block !== undefined) return { result: filterLogs([block], filter) };
      return this.#traits.logsOfUnknown === "empty"
        ? { result: [] }
        : failure(-32000, "unknown block");
    }
    const from = this.#byTag(filter["fromBlock"]);
    if (from === "unsupported") return failure(-32000, "finalized block not found");
    const first = from === undefined ? Number(filter["fromBlock"]) : from.number;
    const to = this.#byTag(filter["toBlock"]);
    if (to === "unsupported") return failure(-32000, "finalized block not found");
    const last = to === undefined ? Number(filter["toBlock"]) : to.number;
    if (last - first + 1 > this.#traits.rangeLimit) return this.#dice.pick(RANGE_REFUSALS);
    if (first > last) return failure(-32602, "invalid block range params");
    if (first > this.#head.number && this.#traits.refusesFutureRanges) {
      return failure(-32602, "block range extends beyond current head block");
    }
    const asked: SimulatedBlock[] = [];
    for (let number = first; number <= Math.min(last, this.#head.number); number++) {
      asked.push(blockAt(this.#head, number)!);
    }
    return { result: filterLogs(asked, filter) };
  }

  #call(params: ReadonlyArray<unknown>, blocks: Blocks): NodeAnswer {
    const { to = "", data, input } = params[0] as { to?: string; data?: string; input?: string };
    const at = params[1];
    const byHash =
      typeof at === "object" && at !== null
        ? (at as { blockHash?: unknown; blockNumber?: unknown })
        : undefined;
    const block =
      byHash?.blockHash === undefined
        ? this.#byTag(byHash?.blockNumber ?? at)
        : this.#byHash(byHash.blockHash, blocks);
    if (block === undefined || block === "unsupported") return failure(-32000, "header not found");
    if (this.#head.number - block.number > this.#traits.stateDepth) {
      return failure(-32000, "missing trie node");
    }
    const result = call(block, to.toLowerCase(), (data ?? input ?? "0x").toLowerCase());
    return result === undefined ? failure(3, "execution reverted") : { result };
  }
}

type Blocks = ReadonlyMap<Hex, SimulatedBlock>;

function bodyOf(block: SimulatedBlock): Record<string, unknown> {
  return { ...headerOf(block), transactions: [], uncles: [], size: "0x220" };
}
