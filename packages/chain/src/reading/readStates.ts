import type { PoolListing } from "@millrace/core";
import type { FollowedDex } from "@millrace/protocols";
import { Effect } from "effect";
import type { Progress } from "../ChainOptions.ts";
import { askAll } from "./askAll.ts";
import type { BlockReader } from "./callAll.ts";

/** A pool, and how it is read. */
export interface ReadablePool {
  readonly listing: PoolListing;
  readonly dex: FollowedDex;
}

/**
 * The whole states of pools at the reader's block, in their order; undefined where a contract's
 * answer fits no pool of its DEX.
 */
export const readStates = (
  reader: BlockReader,
  pools: ReadonlyArray<ReadablePool>,
  onProgress?: (progress: Progress) => void,
) =>
  Effect.suspend(() =>
    askAll(
      reader,
      pools.map(
        ({ dex, listing }) =>
          () =>
            dex.read(listing),
      ),
      (done) => onProgress?.({ step: "states", done, total: pools.length }),
    ),
  );
