import { Effect } from "effect";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { RpcError } from "../rpc/RpcError.ts";
import { type BlockId, type Header, headerByNumber } from "./Header.ts";
import { headersBack } from "./headersBack.ts";

/** Lets an endpoint answer; another one where it cannot. */
export type Ask = <A>(
  use: (endpoint: Endpoint) => Effect.Effect<A, RpcError>,
) => Effect.Effect<A, RpcError>;

/**
 * The chain that ends in a header. Nodes may disagree about the numbers of its last `journalDepth`
 * blocks, so those are found by their parent hashes. All before them are asked for by number, which
 * is a guess until `confirm` succeeds: a deep reorganisation may have replaced them meanwhile.
 */
export class Ancestry {
  readonly #ask: Ask;
  /** All blocks up to this number are asked for by number. */
  readonly #settled: number;
  /** Each the parent of the one before, without a gap; the first is the end of the chain. */
  readonly #recent: Header[];
  #isGuessed = false;

  constructor(ask: Ask, end: Header, journalDepth: number) {
    this.#ask = ask;
    this.#recent = [end];
    this.#settled = end.number - journalDepth;
  }

  /** The header of the block with a number, at most that of the chain's end. */
  readonly headerAt = Effect.fnUntraced(
    { self: this },
    function* (number: number): Effect.fn.Return<Header, RpcError> {
      if (number > this.#settled) return yield* this.#recentHeader(number);
      this.#isGuessed = true;
      return yield* this.#ask((endpoint) => headerByNumber(endpoint, number));
    },
  );

  /**
   * How many of some blocks are of this chain: ascending, each before the next, and none after the
   * chain's end.
   */
  readonly countShared = Effect.fnUntraced(
    { self: this },
    function* (blocks: ReadonlyArray<BlockId>): Effect.fn.Return<number, RpcError> {
      // Of those before `shared` the chain has all, of those from `lost` on none.
      let shared = 0;
      let lost = blocks.length;
      // Most often it has the newest, too.
      for (let index = lost - 1; shared < lost; index = (shared + lost) >> 1) {
        if (yield* this.#has(blocks[index]!)) shared = index + 1;
        else lost = index;
      }
      return shared;
    },
  );

  /** Fails when what was asked for by number may be of another chain. */
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

/** True when the chain has the block (still) at its number. */
export const isCanonical = (
  ask: Ask,
  { number, hash }: BlockId,
): Effect.Effect<boolean, RpcError> =>
  ask((endpoint) => headerByNumber(endpoint, number)).pipe(
    Effect.map((header) => header.hash === hash),
    // The chain is not so long.
    Effect.catchIf(
      ({ reason }) => reason === "Refused",
      () => Effect.succeed(false),
    ),
  );
