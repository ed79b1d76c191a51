import { Effect } from "effect";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { RpcError } from "../rpc/RpcError.ts";
import { type BlockId, type Header, headerByNumber } from "./Header.ts";
import { headersBack } from "./headersBack.ts";

/** Asks an endpoint; another one where that fails. */
export type Ask = <A>(
  use: (endpoint: Endpoint) => Effect.Effect<A, RpcError>,
) => Effect.Effect<A, RpcError>;

/**
 * The chain that ends in a given header. Nodes may disagree about the numbers of its last
 * `journalDepth` blocks, so these are found by parent hash. Earlier blocks are asked for by number,
 * which is a guess until `confirm` succeeds: a deep reorganisation may have replaced them
 * meanwhile.
 */
export class Ancestry {
  readonly #ask: Ask;
  /** All blocks up to this number are asked for by number. */
  readonly #settled: number;
  /**
   * The newest headers, each the parent of the one before, without a gap; the first ends the chain.
   */
  readonly #recent: Header[];
  #isGuessed = false;

  constructor(ask: Ask, end: Header, journalDepth: number) {
    this.#ask = ask;
    this.#recent = [end];
    this.#settled = end.number - journalDepth;
  }

  /** The header of the block with a number, which is at most that of the chain's end. */
  readonly headerAt = Effect.fnUntraced(
    { self: this },
    function* (number: number): Effect.fn.Return<Header, RpcError> {
      if (number > this.#settled) return yield* this.#recentHeader(number);
      this.#isGuessed = true;
      return yield* this.#ask((endpoint) => headerByNumber(endpoint, number));
    },
  );

  /**
   * How many of the first of these blocks are in this chain. The blocks ascend, and none is after
   * the chain's end.
   */
  readonly countShared = Effect.fnUntraced(
    { self: this },
    function* (blocks: ReadonlyArray<BlockId>): Effect.fn.Return<number, RpcError> {
      // The chain has all blocks before `shared`, and none from `lost` on.
      let shared = 0;
      let lost = blocks.length;
      // Most often the chain has the newest block, too.
      for (let index = lost - 1; shared < lost; index = (shared + lost) >> 1) {
        if (yield* this.#has(blocks[index]!)) shared = index + 1;
        else lost = index;
      }
      return shared;
    },
  );

  /** Fails when blocks asked for by number may be of another chain. */
  readonly confirm: Effect.Effect<void, RpcError> = Effect.gen({ self: this }, function* () {
    if (!this.#isGuessed) return;
    const { parentHash } = yield* this.#recentHeader(this.#settled + 1);
    if (yield* isCanonical(this.#ask, { number: this.#settled, hash: parentHash })) return;
    return yield* new RpcError({
      endpoint: "all",
      method: "eth_getBlockByNumber",
      reason: "Refused",
      detail: `block ${this.#settled} ${parentHash} was replaced meanwhile`,
    });
  });

  #has({ number, hash }: BlockId): Effect.Effect<boolean, RpcError> {
    if (number > this.#settled) {
      return Effect.map(this.#recentHeader(number), (header) => header.hash === hash);
    }
    this.#isGuessed = true;
    return isCanonical(this.#ask, { number, hash });
  }

  readonly #recentHeader = Effect.fnUntraced(
    { self: this },
    function* (number: number): Effect.fn.Return<Header, RpcError> {
      const [end] = this.#recent as [Header];
      const oldest = this.#recent.at(-1)!;
      if (number < oldest.number) {
        const parent = { number: oldest.number - 1, hash: oldest.parentHash };
        this.#recent.push(
          ...(yield* this.#ask((endpoint) => headersBack(endpoint, number, parent))),
        );
      }
      return this.#recent[end.number - number]!;
    },
  );
}

/** True when the chain (still) has the block at its number. */
export const isCanonical = (
  ask: Ask,
  { number, hash }: BlockId,
): Effect.Effect<boolean, RpcError> =>
  ask((endpoint) => headerByNumber(endpoint, number)).pipe(
    Effect.map((header) => header.hash === hash),
    // The chain is not that long.
    Effect.catchIf(
      ({ reason }) => reason === "Refused",
      () => Effect.succeed(false),
    ),
  );
