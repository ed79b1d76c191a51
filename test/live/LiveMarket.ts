import { type ChainOptions, type ChainSource, chainSource } from "@millrace/chain";
import { Engine, type MarketBlock } from "@millrace/core";
import { type Devnet, type DevnetOptions, startDevnet } from "@millrace/devnet";
import { curves } from "@millrace/protocols";
import { TestScope, until } from "@millrace/testing";
import { chainOptionsOf } from "@millrace/testing/devnet";
import { Effect, Stream } from "effect";
import { Chain, type Head } from "./Chain.ts";

/** A devnet that stands still until the test acts, and an engine that follows it. */
export interface LiveMarket {
  readonly devnet: Devnet;
  readonly chain: Chain;
  readonly source: ChainSource;
  readonly engine: Engine["Service"];
  /** Every block that the source has published. */
  readonly told: ReadonlyArray<MarketBlock>;
  /** Parts of blocks that the graph rejected, in words. */
  readonly rejected: ReadonlyArray<string>;
  readonly run: TestScope["run"];
  /** Waits until the engine is at the chain's head without an obstacle. */
  readonly caughtUp: () => Promise<Head>;
  /** Ends everything that was started. */
  readonly close: () => Promise<void>;
}

export const openLiveMarket = (
  network: "ETH" | "BASE",
  seed: number,
  options: (devnet: Devnet) => Promise<Partial<ChainOptions>> = async () => ({}),
  devnetOptions: Omit<DevnetOptions, "network" | "seed"> = {},
): Promise<LiveMarket> =>
  TestScope.open(async ({ run, close }) => {
    const devnet = await run(startDevnet({ network, seed, ...devnetOptions }));
    const source = await run(
      // Without audits of quotes, so that errors of the follower persist and the test finds them.
      chainSource({ ...chainOptionsOf(devnet), auditedQuotes: 0, ...(await options(devnet)) }),
    );
    const told: MarketBlock[] = [];
    const rejected: string[] = [];
    const blocks = Stream.tap(source.blocks, (block) => Effect.sync(() => told.push(block)));
    const engine = await run(Engine.make({ source: { ...source, blocks }, curves }));
    engine.onPart((applied) => {
      for (const { what, address, reason } of applied.rejected)
        rejected.push(`${what} ${address}: ${reason}`);
    });
    const chain = new Chain(devnet.rpcUrl, devnet.contracts.multicall3);
    const caughtUp = async () => {
      const head = await chain.head();
      await until(
        () => engine.graph.stamp.hash === head.hash && source.obstacle() === undefined,
        () => `${source.obstacle()}, at ${engine.graph.stamp.number} instead of ${head.number}`,
      );
      return head;
    };
    return { devnet, chain, source, engine, told, rejected, run, caughtUp, close };
  });
