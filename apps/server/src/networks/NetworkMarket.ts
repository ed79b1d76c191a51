import type { Engine, HistoryStatus } from "@millrace/core";
import type { ChainAccess, GasPrices, TokenVerdicts } from "@millrace/execution";
import type { MarketData } from "@millrace/market";
import type { AddressTexts } from "../caches/AddressTexts.ts";
import type { DexPools } from "../caches/DexPools.ts";
import type { FoundCycles } from "../caches/FoundCycles.ts";
import type { ListTexts } from "../caches/ListTexts.ts";
import type { QuoteLabels } from "../caches/QuoteLabels.ts";
import type { TokenAnswers } from "../caches/TokenAnswers.ts";
import type { LongChanges } from "../history/LongChanges.ts";
import type { NetworkHistory } from "../history/NetworkHistory.ts";
import type { FairPlaces } from "../limits/FairPlaces.ts";
import type { GasEstimates } from "../quote/GasEstimates.ts";
import type { RoutedSwaps } from "../quote/RoutedSwaps.ts";
import type { AuditStatus } from "./auditMarket.ts";
import type { NetworkRouters } from "./NetworkRouters.ts";
import type { SaveStatus } from "./saveMarket.ts";

/**
 * A network's market, open: what requests are answered from. It owns the caches that are made of it
 * (`texts`, `tokenTexts`, `listTexts`, `labels`, `dexPools`, `cycles`): there is one of each, made
 * with the market by `openNetworkMarket`, and each sees by itself when what it holds is outdated.
 */
export interface NetworkMarket {
  readonly engine: Engine["Service"];
  /** Where requests wait for its search threads. */
  readonly searches: FairPlaces;
  readonly data: MarketData;
  /** How the saves of `data` go; undefined where it is not kept. */
  readonly saves: (() => SaveStatus) | undefined;
  readonly audits: () => AuditStatus;
  /** How far the past is in `data`; undefined where there is none. */
  readonly history: (() => HistoryStatus) | undefined;
  /** What is kept for longer than `data` does. */
  readonly past: NetworkHistory | undefined;
  /** How prices have changed since days ago; undefined where no history is kept. */
  readonly longChanges: LongChanges | undefined;
  readonly texts: AddressTexts;
  /** Answers to GET /tokens/:address. */
  readonly tokenTexts: TokenAnswers;
  /** Answers that list many. */
  readonly listTexts: ListTexts;
  readonly labels: QuoteLabels;
  readonly dexPools: DexPools;
  readonly cycles: FoundCycles;
  readonly gasEstimates: GasEstimates;
  /** Hears of every quote; undefined where no chain could be asked for one. */
  readonly routedSwaps: RoutedSwaps | undefined;
  /** Undefined without a wrapped native token. */
  readonly routers: NetworkRouters | undefined;
  /** Nodes of the network; undefined where the market comes from elsewhere. */
  readonly chain: ChainAccess | undefined;
  /** The network's own price of gas, where there are nodes. */
  readonly gasPrices: GasPrices | undefined;
  /** What is known of tokens, where there are nodes. */
  readonly verdicts: TokenVerdicts | undefined;
}
