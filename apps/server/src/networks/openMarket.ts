import type { ChainSource } from "@millrace/chain";
import { type Address, Engine, type HistoryStatus, type MarketBlock } from "@millrace/core";
import {
  type ChainAccess,
  type GasPriceOptions,
  type GasPrices,
  makeGasPrices,
  makeTokenVerdicts,
  type TokenVerdicts,
} from "@millrace/execution";
import type { MarketData } from "@millrace/market";
import { protocols } from "@millrace/protocols";
import { Effect, Latch, Stream } from "effect";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import type { Lists } from "../lists/openLists.ts";
import { GasEstimates } from "../quote/GasEstimates.ts";
import { QuoteLabels } from "../quote/QuoteLabels.ts";
import { TokenAnswers } from "../routes/TokenTexts.ts";
import { AddressTexts } from "./AddressTexts.ts";
import { type AuditStatus, auditMarket } from "./auditMarket.ts";
import { chainAccess } from "./chainAccess.ts";
import { checkRouters } from "./checkRouters.ts";
import { DexPools } from "./DexPools.ts";
import { historyTaken } from "./historyTaken.ts";
import { NetworkRouters } from "./NetworkRouters.ts";
import type { KeptMarket } from "./openChain.ts";
import { openData } from "./openData.ts";
import type { OpenSource } from "./openSource.ts";
import { routerTable } from "./routerTable.ts";
import { type SaveStatus, saveMarket } from "./saveMarket.ts";
import { tellOfLists } from "./tellOfLists.ts";
import { addressSet } from "./withoutTokens.ts";

/** A network's market, open: what requests are answered from. */
export interface NetworkMarket {
  readonly engine: Engine["Service"];
  readonly data: MarketData;
  /** What is told of the saves of `data`; undefined where it is not kept. */
  readonly saves: (() => SaveStatus) | undefined;
  readonly audits: () => AuditStatus;
  /** How far the past is in `data`; undefined where there is none. */
  readonly history: (() => HistoryStatus) | undefined;
  readonly texts: AddressTexts;
  /** Answers to GET /tokens/:address. */
  readonly tokenTexts: TokenAnswers;
  readonly labels: QuoteLabels;
  readonly dexPools: DexPools;
  readonly gasEstimates: GasEstimates;
  /** Undefined without a wrapped native token. */
  readonly routers: NetworkRouters | undefined;
  /** Nodes of the network; undefined where the market comes from elsewhere. */
  readonly chain: ChainAccess | undefined;
  /** The network's own price of gas, where there are nodes. */
  readonly gasPrices: GasPrices | undefined;
  /** What is known of tokens, where there are nodes. */
  readonly verdicts: TokenVerdicts | undefined;
}

/** Where the threads find `protocols`. */
const protocolsModule = new URL(import.meta.resolve("@millrace/protocols"));

/** Opens the market of a source with its first block; follows it until the scope closes. */
export const openNetworkMarket = Effect.fnUntraced(function* (
  { config, market: source, chain: follower, kept }: OpenSource,
  lists: Lists,
  searchWorkers: number,
) {
  const isOpen = yield* Latch.make(false);
  const engine = yield* Engine.make({
    source: { ...source, blocks: afterFirst(source.blocks, isOpen.await) },
    protocols,
    gasLimit: config.gasLimit,
    ...(searchWorkers > 0 && { workers: { count: searchWorkers, protocolsModule } }),
  });
  const { graph, onApplied } = engine;
  yield* lists.firstReading;
  const data = yield* openData(engine, config, lists, restoredFrom(kept, follower));
  const history =
    follower === undefined ? undefined : yield* historyTaken({ source: follower, data, onApplied });
  const saves = kept === undefined ? undefined : yield* saveMarket({ ...kept, data, onApplied });
  const audits = yield* auditMarket(data);
  yield* tellOfLists(lists, data);
  lists.onChange(() => data.listsChanged());
  const tokenTexts = new TokenAnswers(data.version);
  const texts = new AddressTexts(graph);
  const plainTokens = addressSet(config.plainTokens);
  const isPlain = (token: Address) =>
    // A generated token is no contract at all: there is nothing to doubt.
    config.source.kind === "generated" || plainTokens.has(token);
  const chain = follower === undefined ? undefined : chainAccess(follower);
  const table = routerTable(config);
  const barredTokens = addressSet(config.barredTokens);
  const routers = table === undefined ? undefined : new NetworkRouters(table);
  const verdicts =
    chain === undefined || table === undefined
      ? undefined
      : makeTokenVerdicts({
          ...{ engine, table, chain, plainTokens, barredTokens },
          retestMs: config.tokenRetestMs,
        });
  engine.barFromTransit(barredTokens);
  if (chain !== undefined && routers !== undefined) {
    yield* Effect.forkScoped(checkRouters(routers, chain));
  }
  if (verdicts !== undefined) yield* Effect.forkScoped(verdicts.run);
  const labels = new QuoteLabels(
    graph,
    texts,
    isPlain,
    (token) => verdicts?.of(token)?.kind === "plain",
  );
  const dexPools = new DexPools(graph, onApplied);
  // Everybody who follows the market does so by now.
  yield* isOpen.open;
  return {
    ...{ engine, data, saves, audits, history, texts, tokenTexts, labels, dexPools },
    gasEstimates: new GasEstimates(engine, routers),
    routers,
    chain,
    gasPrices: chain === undefined ? undefined : makeGasPrices(gasPriceOptions(config, chain)),
    verdicts,
  } satisfies NetworkMarket;
});

/** What was saved, as far as the chain still has it; the rest it tells anew. */
function restoredFrom(kept: KeptMarket | undefined, chain: ChainSource | undefined) {
  const saved = kept?.takeSaved();
  if (saved === undefined) return {};
  return { saved: saved.bytes, savedTo: chain?.confirmedTo() ?? BEFORE_ALL };
}

/** Number below all blocks. */
const BEFORE_ALL = -1;

/**
 * Holds back all blocks but the first until the signal: swaps are told once, and each must find
 * whoever counts them.
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
