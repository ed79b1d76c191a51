import { type ChainOptions, type ChainSource, chainSource } from "@millrace/chain";
import { Engine, type MarketBlock } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import { type MarketData, type MarketDataOptions, makeMarketData } from "@millrace/market";
import { curves } from "@millrace/protocols";
import { TestScope, until } from "@millrace/testing";
import { chainOptionsOf } from "@millrace/testing/devnet";
import { Effect, Latch, Stream } from "effect";
import type { Chain, Head } from "./Chain.ts";

/** A follower of a devnet with market data, as in the server; tests start and end it at will. */
export interface MarketService {
  readonly source: ChainSource;
  readonly engine: Engine["Service"];
  readonly data: MarketData;
  readonly told: ReadonlyArray<MarketBlock>;
  /** Waits until the market is at the chain's head and settled. */
  readonly caughtUp: () => Promise<Head>;
  /** Waits until all of the wanted past has been published, too. */
  readonly complete: () => Promise<Head>;
  /** The state to continue from in another life; see `ToldSoFar`. */
  readonly save: () => Promise<SavedService>;
  /** Ends it at once; unwritten data is lost. */
  readonly kill: () => Promise<void>;
}

export interface SavedService {
  readonly bytes: Uint8Array;
  readonly ranges: NonNullable<ChainOptions["knownHistory"]>;
}

export interface MarketServiceOptions {
  readonly saved?: SavedService | undefined;
  readonly chain?: (run: TestScope["run"]) => Promise<Partial<ChainOptions>>;
  readonly market?: Partial<MarketDataOptions>;
  /** Called when a block is in, the market settled. */
  readonly onBlock?: (service: Pick<MarketService, "engine" | "data">, block: MarketBlock) => void;
}

export const openMarketService = (
  devnet: Devnet,
  chain: Chain,
  options: MarketServiceOptions = {},
): Promise<MarketService> =>
  TestScope.open(async ({ run, close: kill }) => {
    const { saved } = options;
    const restored = saved === undefined ? {} : { knownHistory: saved.ranges };
    const more = await options.chain?.(run);
    const source = await run(chainSource({ ...chainOptionsOf(devnet), ...restored, ...more }));
    const told: MarketBlock[] = [];
    const isOpen = await run(Latch.make(false));
    // Blocks after the first wait until their swaps are counted.
    const blocks = source.blocks.pipe(
      Stream.rechunk(1),
      Stream.tap(() => (told.length === 0 ? Effect.void : isOpen.await)),
      Stream.tap((block) => Effect.sync(() => told.push(block))),
    );
    const engine = await run(Engine.make({ source: { ...source, blocks }, curves }));
    const { graph, familyOf, onPart, tokenListing, totalSupply } = engine;
    const anchors = devnet.anchors.map(({ address, priceUsd }) => ({ address, priceUsd }));
    const given = {
      graph,
      familyOf,
      onApplied: onPart,
      tokenListing,
      supply: totalSupply,
      anchors,
    };
    const data = await run(
      Effect.acquireRelease(
        Effect.sync(() =>
          makeMarketData({
            ...given,
            ...options.market,
            ...(saved && { saved: saved.bytes, savedTo: source.confirmedTo() ?? -1 }),
          }),
        ),
        (market) => Effect.sync(() => market.close()),
      ),
    );
    // The first block was applied before.
    let takenCount = 1;
    onPart(({ block }) => {
      takenCount++;
      data.settle();
      options.onBlock?.({ engine, data }, block);
    });
    await run(isOpen.open);
    // Published blocks are in the market a little later.
    const taken = (messageCount: number) =>
      until(
        () => takenCount >= messageCount,
        () => `${takenCount} of ${messageCount} messages`,
      );
    const stands = async (isSo: (head: Head) => boolean) => {
      const head = await chain.head();
      const at = () => `at ${graph.stamp.number} instead of ${head.number}`;
      const { isComplete, sinceMs } = source.history?.() ?? { isComplete: false, sinceMs: 0 };
      await until(
        () => graph.stamp.hash === head.hash && source.obstacle() === undefined && isSo(head),
        () => `${source.obstacle()}, ${at()}, history ${isComplete}, since ${sinceMs}`,
      );
      await taken(source.published().messageCount);
      data.settle();
      return head;
    };
    const save = async () => {
      const { messageCount, ranges } = source.published();
      await taken(messageCount);
      return { bytes: data.save(), ranges };
    };
    return {
      ...{ source, engine, data, told, save, kill },
      caughtUp: () => stands(() => true),
      complete: () => stands(() => source.history?.()?.isComplete === true),
    };
  });
