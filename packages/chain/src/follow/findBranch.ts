import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import { badData } from "../reading/badData.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import { type Header, headerByHash, headerByNumber } from "./Header.ts";
import type { Journal } from "./Journal.ts";

/** How a block joins the chain that is followed. */
export type Branch =
  | {
      readonly kind: "joined";
      /** The newest block that both have. */
      readonly ancestor: Hex;
      /** From the one after the ancestor up to the block, oldest first. */
      readonly headers: ReadonlyArray<Header>;
    }
  /** It is on the followed chain already. */
  | { readonly kind: "known" }
  /** The two part before the oldest block that the journal holds, or too far ahead. */
  | { readonly kind: "apart" };

/** With fewer missing headers than this, one after the other is as fast. */
const PREFETCH_MIN = 4;
const CONCURRENT_HEADERS = 8;

/** Walks back from a block by parent hashes until a block of the journal. */
export const findBranch = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  journal: Journal,
  target: Header,
  gapMax: number,
): Effect.fn.Return<Branch, RpcError> {
  if (journal.placeOf(target.hash) !== undefined) return { kind: "known" };
  const { head, base } = journal;
  if (head === undefined || base === undefined) return { kind: "apart" };
  if (target.number - head.number > gapMax) return { kind: "apart" };
  if (target.number <= base.number) {
    const isPast = journal.history().some(({ hash }) => hash === target.hash);
    return { kind: isPast ? "known" : "apart" };
  }
  const fetched = yield* prefetch(endpoint, head.number + 1, target.number - 1);
  const headers = [target];
  for (let oldest = target; ; ) {
    const place = journal.placeOf(oldest.parentHash);
    if (place !== undefined) {
      const ancestor = journal.blocks[place]?.header ?? base;
      if (ancestor.number !== oldest.number - 1) return yield* misnumbered(endpoint, oldest);
      return { kind: "joined", ancestor: ancestor.hash, headers: headers.reverse() };
    }
    if (oldest.number - 1 <= base.number) return { kind: "apart" };
    const parent =
      fetched.get(oldest.parentHash) ?? (yield* headerByHash(endpoint, oldest.parentHash));
    if (parent.number !== oldest.number - 1) return yield* misnumbered(endpoint, oldest);
    headers.push(parent);
    oldest = parent;
  }
});

/**
 * Headers by number, many at once, to be found by hash: whether they belong to the branch, the walk
 * tells. What the endpoint has not got the walk asks for by hash.
 */
export const prefetch = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  fromNumber: number,
  toNumber: number,
) {
  const count = toNumber - fromNumber + 1;
  if (count < PREFETCH_MIN) return new Map<Hex, Header>();
  const numbers = Array.from({ length: count }, (_, index) => fromNumber + index);
  const headers = yield* Effect.forEach(
    numbers,
    (number) =>
      headerByNumber(endpoint, number).pipe(
        Effect.catchIf(
          ({ reason }) => reason === "Refused",
          () => Effect.succeed(undefined),
        ),
      ),
    { concurrency: CONCURRENT_HEADERS },
  );
  return new Map(headers.flatMap((header) => (header ? [[header.hash, header] as const] : [])));
});

/** A block's number is not one more than its parent's. */
function misnumbered(endpoint: Endpoint, { number, hash }: Header): RpcError {
  const detail = `block ${number} ${hash} and its parent, or child, have numbers that do not follow`;
  return badData(endpoint, "eth_getBlockByHash", detail);
}
