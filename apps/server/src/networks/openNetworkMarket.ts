import type { ChainSource } from "@millrace/chain";
import { type Address, Engine, type MarketBlock } from "@millrace/core";
import {
  type ChainAccess,
  type GasPriceOptions,
  makeGasPrices,
  makeTokenVerdicts,
  type VerdictOptions,
} from "@millrace/execution";
import { curves } from "@millrace/protocols";
import { Effect, Latch, Stream } from "effect";
import { AddressTexts } from "../caches/AddressTexts.ts";
import { DexPools } from "../caches/DexPools.ts";
import { FoundCycles } from "../caches/FoundCycles.ts";
import { ListTexts } from "../caches/ListTexts.ts";
import { QuoteLabels } from "../caches/QuoteLabels.ts";
import { TokenAnswers } from "../caches/TokenAnswers.ts";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import { attachData, attachedTo } from "../feed/attachData.ts";
import { sharedGasPrices } from "../feed/sharedGasPrices.ts";
import { sharedVerdicts } from "../feed/sharedVerdicts.ts";
import { LongChanges } from "../history/LongChanges.ts";
import { FairPlaces } from "../limits/FairPlaces.ts";
import type { Lists } from "../lists/openLists.ts";
import { GasEstimates } from "../quote/GasEstimates.ts";
import { auditMarket } from "./auditMarket.ts";
import { chainAccess } from "./chainAccess.ts";
import { checkRouters } from "./checkRouters.ts";
import { followHistory } from "./followHistory.ts";
import { keepStates } from "./keepStates.ts";
import { logListProblems } from "./logListProblems.ts";
import type { NetworkMarket } from "./NetworkMarket.ts";
import { NetworkRouters } from "./NetworkRouters.ts";
import type { KeptMarket, NetworkSource } from "./NetworkSource.ts";
import { openData } from "./openData.ts";
import { routerTable } from "./routerTable.ts";
import { saveMarket } from "./saveMarket.ts";
import { addressSet } from "./withoutTokens.ts";

/** The module where the worker threads find `curves`. */
const curvesModule = new URL(import.meta.resolve("@millrace/protocols/curves"));

/** Opens the market of a source with its first block; follows it until the scope closes. */
export const openNetworkMarket = Effect.fnUntraced(function* (
  {
    config,
    market: source,
    chain: follower,
    routedSwaps,
    kept,
    feed,
    history: past,
  }: NetworkSource,
  lists: Lists,
  searchWorkers: number,
  openTimeoutMs = Number.POSITIVE_INFINITY,
) {
  const isOpen = yield* Latch.make(false);
  const engine = yield* Engine.make({
    source: { ...source, blocks: afterFirst(source.blocks, isOpen.await) },
    curves,
    gasLimit: config.gasLimit,
    openTimeoutMs,
    ...(searchWorkers > 0 && { workers: { count: searchWorkers, curvesModule } }),
  });
  const { graph, onPart } = engine;
  yield* lists.firstReading;
  const data = yield* openData(engine, config, lists, {
    ...(feed === undefined ? restoredFrom(kept, follower) : attachedTo(feed)),
    ...(past !== undefined && { archive: past.archive }),
  });
  if (past !== undefined && follower !== undefined) {
    yield* past.follow({ source: follower, data, onApplied: onPart });
  }
  if (past !== undefined) yield* keepStates(engine, past, config);
  const history =
    follower === undefined
      ? undefined
      : yield* followHistory({ source: follower, data, onApplied: onPart });
  const saves =
    kept === undefined ? undefined : yield* saveMarket({ ...kept, data, onApplied: onPart });
  if (feed !== undefined) yield* attachData({ feed, data, onPart });
  const audits = yield* auditMarket(data);
  yield* logListProblems(lists, data);
  lists.onChange(() => data.listsChanged());
  const tokenTexts = new TokenAnswers(data.version);
  const texts = new AddressTexts(graph);
  const plainTokens = addressSet(config.plainTokens);
  const isPlain = (token: Address) =>
    // A generated token is no contract at all: it cannot take a tax.
    config.source.kind === "generated" || plainTokens.has(token);
  const chain = follower === undefined ? undefined : chainAccess(follower);
  const table = routerTable(config);
  const excludedTokens = addressSet(config.barredTokens);
  const routers = table === undefined ? undefined : new NetworkRouters(table);
  const makeVerdicts = (options: VerdictOptions) =>
    feed === undefined ? makeTokenVerdicts(options) : sharedVerdicts(options, feed);
  const verdicts =
    chain === undefined || table === undefined
      ? undefined
      : makeVerdicts({
          engine,
          table,
          chain,
          plainTokens,
          excludedTokens,
          retestMs: config.tokenRetestMs,
          onChange: ({ token, kind }) =>
            data.tokenJudged(graph.findToken(token)!, kind !== "unsellable"),
        });
  // A history has the exclusions of its time, and a feed those of its leader.
  if (config.source.kind !== "history" && feed?.isExcludedKnown() !== true) {
    engine.excludeFromTransit(excludedTokens);
  }
  const routerCheck =
    chain === undefined || routers === undefined
      ? undefined
      : yield* checkRouters(routers, chain, () => graph.stamp.hash);
  if (verdicts !== undefined) yield* Effect.forkScoped(verdicts.run);
  const longChanges =
    past && (yield* LongChanges.open(past.store, data, (token) => texts.token(token)));
  const labels = new QuoteLabels(engine, texts, isPlain, (token) => verdicts?.of(token));
  const dexPools = new DexPools(graph, onPart);
  const searches = new FairPlaces({
    // One search that a thread works on, and one that it can take next.
    placesMax: Math.max(1, 2 * searchWorkers),
    waitingMax: SEARCHES_WAITING_MAX,
    clientMax: SEARCHES_OF_CLIENT_MAX,
  });
  const ownGasPrices =
    chain === undefined ? undefined : makeGasPrices(gasPriceOptions(config, chain));
  const sharedPrices =
    ownGasPrices && feed && sharedGasPrices(ownGasPrices, feed, gasPriceEveryMs(config));
  if (sharedPrices !== undefined) yield* Effect.forkScoped(sharedPrices.run);
  // By now, all that follows the market does so.
  yield* isOpen.open;
  return {
    engine,
    searches,
    data,
    saves,
    audits,
    history,
    past,
    longChanges,
    texts,
    tokenTexts,
    listTexts: new ListTexts(),
    labels,
    dexPools,
    cycles: new FoundCycles({ engine, searches, texts }),
    gasEstimates: new GasEstimates(engine, routers),
    routedSwaps,
    routers,
    routerCheck,
    chain,
    gasPrices: sharedPrices ?? ownGasPrices,
    verdicts,
  } satisfies NetworkMarket;
});

/** The last save, up to the block that the chain still has; the chain emits the rest anew. */
function restoredFrom(kept: KeptMarket | undefined, chain: ChainSource | undefined) {
  const saved = kept?.takeSaved();
  if (saved === undefined) return {};
  return { saved: saved.bytes, savedTo: chain?.confirmedTo() ?? BEFORE_ALL };
}

const gasPriceEveryMs = ({ source }: NetworkConfig): number =>
  source.kind === "chain" ? Math.max(source.blockTimeMs, GAS_PRICE_MS) : GAS_PRICE_MS;

const GAS_PRICE_MS = 1_000;

/** Searches take milliseconds each; one client may have about a second's worth. */
const SEARCHES_WAITING_MAX = 256;
const SEARCHES_OF_CLIENT_MAX = 64;

/** Number below all blocks. */
const BEFORE_ALL = -1;

/**
 * Holds back all blocks but the first until the signal: each swap comes once, and all that counts
 * it must be there.
 */
function afterFirst<E>(
  blocks: Stream.Stream<MarketBlock, E>,
  signal: Effect.Effect<unknown>,
): Stream.Stream<MarketBlock, E> {
  let isFirst = true;
  return blocks.pipe(
    Stream.rechunk(1),
    Stream.mapEffect((block) => {
      if (!isFirst) return Effect.as(signal, block);
      isFirst = false;
      return Effect.succeed(block);
    }),
  );
}

function gasPriceOptions({ source, dataFee }: NetworkConfig, chain: ChainAccess): GasPriceOptions {
  return {
    chain,
    ...(dataFee !== undefined && { dataFee }),
    ...(source.kind === "chain" && { blockTimeMs: source.blockTimeMs }),
  };
}
