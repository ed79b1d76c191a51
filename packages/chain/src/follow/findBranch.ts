import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, type RpcError } from "../rpc/RpcError.ts";
import { type Header, headerByHash } from "./Header.ts";
import { prefetch } from "./headersBack.ts";
import type { Journal } from "./Journal.ts";

/** How a block connects to the followed chain. */
export type Branch =
  | {
      readonly kind: "joined";
      /** The newest block that both share. */
      readonly ancestor: Hex;
      /** From the child of the ancestor up to the block, oldest first. */
      readonly headers: ReadonlyArray<Header>;
    }
  /** The block is on the followed chain already. */
  | { readonly kind: "known" }
  /** They part before the oldest block of the journal, or the block is too far ahead. */
  | { readonly kind: "apart" };

/** Walks back from a block by parent hashes until it meets a block of the journal. */
export const findBranch = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  journal: Journal,
  target: Header,
  gapMax: number,
): Effect.fn.Return<Branch, RpcError> {
  if (journal.indexOf(target.hash) !== undefined) return { kind: "known" };
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
    const index = journal.indexOf(oldest.parentHash);
    if (index !== undefined) {
      const ancestor = journal.blocks[index]?.header ?? base;
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

/** A block's number is not one more than its parent's. */
function misnumbered(endpoint: Endpoint, { number, hash }: Header): RpcError {
  const detail = `block ${number} ${hash} and its parent, or child, have numbers that do not follow`;
  return badData(endpoint, "eth_getBlockByHash", detail);
}
