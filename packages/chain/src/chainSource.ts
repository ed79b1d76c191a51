import type { Address, HistoryStatus, MarketBlock, MarketSource } from "@millrace/core";
import { protocols as allProtocols, type ChainDex, type Hex } from "@millrace/protocols";
import { Effect, Queue, type Scope, Stream } from "effect";
import type { ChainOptions, FollowedProtocol } from "./ChainOptions.ts";
import type { ChainStatus } from "./ChainStatus.ts";
import { Admissions } from "./follow/Admissions.ts";
import { audit } from "./follow/audit.ts";
import { auditQuotes } from "./follow/auditQuotes.ts";
import { makeBlockLogs } from "./follow/BlockLogs.ts";
import { Depths } from "./follow/Depths.ts";
import { Dexes } from "./follow/Dexes.ts";
import { dexStatuses } from "./follow/dexStatuses.ts";
import type { Condition, Following } from "./follow/Following.ts";
import { follow } from "./follow/follow.ts";
import { Mirror } from "./follow/Mirror.ts";
import { Quoters } from "./follow/Quoters.ts";
import { readTotalSupplies } from "./follow/readTotalSupplies.ts";
import { readWaiting } from "./follow/readWaiting.ts";
import { noSnapshots, saveSnapshots } from "./follow/saveSnapshots.ts";
import { type VerifyReport, verifyMarket } from "./follow/verifyMarket.ts";
import { fillHistory } from "./history/fillHistory.ts";
import { type ArchiveProgress, archiveProgress, historyStatus } from "./history/historyStatus.ts";
import { type PublishedSoFar, publishedRanges } from "./history/publishedRanges.ts";
import type { NativeToken } from "./reading/readTokens.ts";
import { anyEndpoint } from "./rpc/anyEndpoint.ts";
import type { EndpointStatus } from "./rpc/Endpoints.ts";
import { httpTransport } from "./rpc/httpTransport.ts";
import { makeEndpoints } from "./rpc/makeEndpoints.ts";
import type { RpcError } from "./rpc/RpcError.ts";
import { makeSnapshotStore } from "./snapshot/SnapshotStore.ts";

/** A market source that follows a chain. */
export interface ChainSource extends MarketSource {
  readonly obstacle: () => string | undefined;
  readonly history: () => HistoryStatus;
  /**
   * What the messages of `blocks` have published so far, including messages that nobody has taken
   * yet.
   */
  readonly published: () => PublishedSoFar;
  /**
   * Number of the newest block of `ChainOptions.knownHistory` that the chain still has. Undefined
   * where it has none of them, and before the first block is published. Later blocks that the
   * reader knows are uncertain: they are published anew.
   */
  readonly confirmedTo: () => number | undefined;
  /** The same for `ArchiveOptions.known`. */
  readonly archiveConfirmedTo: () => number | undefined;
  /** How much of the past that the archive wants has been read; undefined before that is known. */
  readonly archiveProgress: () => ArchiveProgress | undefined;
  /** Publishes the swaps of these blocks, both inclusive, once more, as past swaps. */
  readonly republish: (fromBlock: number, toBlock: number) => void;
  /** Succeeds once there is no obstacle any more. */
  readonly ready: Effect.Effect<void>;
  readonly status: () => ChainStatus;
  /**
   * Builds a market from scratch, at the block of the given snapshot of the followed graph and of
   * the same pools, and compares the two byte for byte.
   */
  readonly verify: (snapshot: Uint8Array) => Effect.Effect<VerifyReport, RpcError>;
  /**
   * The `result` of a JSON-RPC request, unchecked, from the first endpoint that answers. Each
   * endpoint is asked at most once. Following the chain has priority: where an endpoint's rate is
   * limited, this request gets what is left.
   */
  readonly request: (
    method: string,
    params: ReadonlyArray<unknown>,
  ) => Effect.Effect<unknown, RpcError>;
}

/** Multicall3 has the same address on nearly all chains. */
const MULTICALL3: Address = "0xca11bde05977b3631167028862be2a173976ca11";
const ETHER: NativeToken = { symbol: "ETH", name: "Ether" };
const JOURNAL_DEPTH = 64;
const CATCH_UP_BLOCKS = 1_000;
/** Nodes keep the state of about 128 blocks. */
const LOOK_BACK_MAX = 16;
const AUDITED_POOLS = 2;
const AUDITED_QUOTES = 4;
const SNAPSHOT_BLOCKS = 100;
const HISTORY_MS = 86_400_000;
const READY_LOOK_MS = 20;
const HEX = /^0x[0-9a-f]*$/i;

/**
 * The pools of an EVM chain, followed over JSON-RPC. Every block of `blocks` is a block of the
 * chain, whatever nodes do; a reorganisation comes as blocks that undo what was reverted. Endpoints
 * may be down, now or later: the stream waits, and never ends. It can be run once. `protocols`
 * defaults to all protocols.
 */
export const chainSource = Effect.fnUntraced(function* (
  options: ChainOptions,
  protocols: ReadonlyArray<FollowedProtocol> = allProtocols,
): Effect.fn.Return<ChainSource, never, Scope.Scope> {
  const { chainId, blockTimeMs } = options;
  const {
    nativeToken = ETHER,
    journalDepth = JOURNAL_DEPTH,
    catchUpBlocks = CATCH_UP_BLOCKS,
  } = options;
  const { historyMs = HISTORY_MS } = options;
  const configured = options.dexes.map(inLowerCase);
  const transport = options.transport ?? httpTransport();
  const endpoints = yield* makeEndpoints({
    chainId,
    endpoints: options.endpoints,
    transport,
    blockTimeMs,
  });
  const wrappedNative = options.wrappedNative?.toLowerCase() as Address | undefined;
  const dexes = new Dexes(configured, protocols, wrappedNative);
  const admissions = new Admissions(
    options.admission.depthFloorUsd,
    options.admission.pools.map((pool) => pool.toLowerCase() as Address),
  );
  const mirror = new Mirror({ dexes, admissions, journalDepth });
  const quoters = new Quoters();
  const condition: Condition = {
    obstacle: "starting",
    reorganisations: 0,
    resynchronisations: 0,
    auditedPools: 0,
    driftedPools: 0,
    auditedQuotes: 0,
    differingQuotes: 0,
    savedBlock: undefined,
    discovery: undefined,
    confirmedTo: undefined,
    archiveConfirmedTo: undefined,
    wanted: undefined,
    defects: 0,
    failures: 0,
  };
  const blockLogs = makeBlockLogs(
    dexes.topics,
    options.completeness ?? "always",
    options.proof ?? "bloom",
  );
  const multicall = (options.multicall ?? MULTICALL3).toLowerCase() as Address;
  const someEndpoint = anyEndpoint(endpoints);
  const reading = {
    endpoints,
    dexes,
    nativeToken,
    protocols,
    blockLogs,
    readerAt: (blockHash: Hex) => ({ endpoint: someEndpoint, blockHash, multicall }),
    journalDepth,
    lookBack: Math.floor(Math.min(LOOK_BACK_MAX, journalDepth / 2, catchUpBlocks / 2)),
    admission: options.admission,
    onProgress: options.onProgress ?? (() => undefined),
  };
  const loadsAtOnce = (pool: Address) => admissions.loadsAtOnce(pool);
  const dexesText = JSON.stringify([configured, wrappedNative]);

  let messageCount = 0;
  const run = Effect.fnUntraced(function* (queue: Queue.Enqueue<MarketBlock>) {
    const audits = yield* Queue.sliding<void>(1);
    const quoteAudits = yield* Queue.sliding<void>(1);
    const saves = yield* Queue.sliding<void>(1);
    const following: Following = {
      blockTimeMs,
      catchUpBlocks,
      reading,
      fetching: { blockLogs, dexes, multicall, nativeToken, loadsAtOnce },
      mirror,
      admissions,
      depths: new Depths(reading),
      quoters,
      condition,
      historyMs,
      known: options.knownHistory ?? [],
      archive: options.archive,
      emit: (block) => {
        messageCount++;
        Queue.offerUnsafe(queue, block);
      },
      advanced: () => {
        Queue.offerUnsafe(audits, undefined);
        Queue.offerUnsafe(quoteAudits, undefined);
        Queue.offerUnsafe(saves, undefined);
      },
    };
    const { disk } = options;
    const snapshots =
      disk === undefined ? noSnapshots : makeSnapshotStore({ disk, chainId, dexes: dexesText });
    yield* Effect.forkScoped(readWaiting(following));
    yield* Effect.forkScoped(readTotalSupplies(following));
    yield* Effect.forkScoped(audit(following, options.auditedPools ?? AUDITED_POOLS, audits));
    const { auditedQuotes: swapCount = AUDITED_QUOTES, routedSwaps = () => [] } = options;
    yield* Effect.forkScoped(auditQuotes(following, { swapCount, routedSwaps }, quoteAudits));
    if (historyMs > 0 || options.archive !== undefined) {
      yield* Effect.forkScoped(fillHistory(following, dexes.poolTopics));
    }
    if (disk !== undefined) {
      const everyBlocks = options.snapshotBlocks ?? SNAPSHOT_BLOCKS;
      const saving = { snapshots, mirror, condition, chainId, dexes: dexesText, everyBlocks };
      yield* Effect.forkScoped(saveSnapshots({ ...saving, advances: saves }));
    }
    yield* follow(following, snapshots);
  });

  return {
    chainId,
    blocks: Stream.callback<MarketBlock>(run),
    obstacle: () => condition.obstacle,
    diagnosis: () => diagnosisOf(endpoints.status()),
    history: () => historyStatus(mirror, condition, historyMs),
    published: () => ({ messageCount, ranges: publishedRanges(mirror.published) }),
    confirmedTo: () => condition.confirmedTo,
    archiveConfirmedTo: () => condition.archiveConfirmedTo,
    archiveProgress: () => archiveProgress(mirror, condition),
    republish: (fromBlock, toBlock) => mirror.published.republish(fromBlock, toBlock),
    ready: untilReady(condition),
    status: () => ({
      headNumber: mirror.head?.number,
      endpoints: endpoints.status(),
      get dexes() {
        return dexStatuses(dexes, mirror, admissions);
      },
      discoveredPools: mirror.discovered.size,
      loadedPools: mirror.pools.size,
      waitingPools: admissions.waitingCount,
      reorganisations: condition.reorganisations,
      resynchronisations: condition.resynchronisations,
      auditedPools: condition.auditedPools,
      driftedPools: condition.driftedPools + mirror.loaded.driftCount,
      auditedQuotes: condition.auditedQuotes,
      differingQuotes: condition.differingQuotes,
      refusedQuoters: [...quoters.refused],
      savedBlock: condition.savedBlock,
      defects: condition.defects,
    }),
    verify: (snapshot) => verifyMarket(reading, snapshot),
    request: (method, params) =>
      endpoints.withEndpoint((endpoint) => endpoint.request(method, params, "aside")),
  };
});

/** Undefined while any endpoint is healthy. */
function diagnosisOf(endpoints: ReadonlyArray<EndpointStatus>): string | undefined {
  if (endpoints.some(({ healthy }) => healthy)) return undefined;
  return endpoints.map(({ name, problem }) => `${name}: ${problem}`).join("; ");
}

const untilReady = (condition: Condition): Effect.Effect<void> =>
  Effect.suspend(() =>
    condition.obstacle === undefined
      ? Effect.void
      : Effect.andThen(Effect.sleep(READY_LOOK_MS), untilReady(condition)),
  );

/** The DEX with all addresses and hashes in lower case. */
function inLowerCase(dex: ChainDex): ChainDex {
  const entries = Object.entries(dex).map(([key, value]) => [key, lowerCaseOf(value)]);
  return Object.fromEntries(entries) as ChainDex;
}

function lowerCaseOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerCaseOf);
  return typeof value === "string" && HEX.test(value) ? value.toLowerCase() : value;
}
