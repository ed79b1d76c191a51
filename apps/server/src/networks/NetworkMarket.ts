import type { Engine, HistoryStatus } from "@millrace/core";
import type { ChainAccess, GasPrices, TokenVerdicts } from "@millrace/execution";
import type { MarketData } from "@millrace/market";
import type { Effect } from "effect";
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
 * The open market of a network, from which requests are answered. It owns the caches of the market
 * (`texts`, `tokenTexts`, `listTexts`, `labels`, `dexPools`, `cycles`): `openNetworkMarket` makes
 * one of each with the market, and each notices by itself when its content is outdated.
 */
export interface NetworkMarket {
  readonly engine: Engine["Service"];
  /** Where requests wait for its search threads. */
  readonly searches: FairPlaces;
  readonly data: MarketData;
  /** The status of the saves of `data`; undefined where it is not saved. */
  readonly saves: (() => SaveStatus) | undefined;
  readonly audits: () => AuditStatus;
  /** How much of the past `data` has; undefined where no chain is followed. */
  readonly history: (() => HistoryStatus) | undefined;
  /** The stored history, which goes further back than `data`. */
  readonly past: NetworkHistory | undefined;
  /** Price changes over days; undefined where no history is kept. */
  readonly longChanges: LongChanges | undefined;
  readonly texts: AddressTexts;
  /** Answers to GET /tokens/:address. */
  readonly tokenTexts: TokenAnswers;
  /** Texts of lists. */
  readonly listTexts: ListTexts;
  readonly labels: QuoteLabels;
  readonly dexPools: DexPools;
  readonly cycles: FoundCycles;
  readonly gasEstimates: GasEstimates;
  /** Gets every quote; undefined where no chain could be asked about one. */
  readonly routedSwaps: RoutedSwaps | undefined;
  /** Undefined without a wrapped native token. */
  readonly routers: NetworkRouters | undefined;
  /** Checks `routers` again, at most once a block: see `checkRouters`. */
  readonly routerCheck: Effect.Effect<void> | undefined;
  /** Nodes of the network; undefined where the market comes from elsewhere. */
  readonly chain: ChainAccess | undefined;
  /** The network's own price of gas, where there are nodes. */
  readonly gasPrices: GasPrices | undefined;
  /** Verdicts on tokens, where there are nodes. */
  readonly verdicts: TokenVerdicts | undefined;
}
