import type { Devnet } from "@millrace/devnet";
import { Effect, Schedule } from "effect";

/** How deep the reorganisations of a soak go. */
export const REORGANISED_BLOCKS = 3;

const BLOCK_MS = 1_000;
const ACTIONS_A_BLOCK = 8;
const REORGANISE_EVERY = 15; // blocks

/** What the chain has been through. */
export interface ChainOfSoak {
  blocks: number;
  reorganisations: number;
}

/** A configuration whose one network, ETH, follows the devnet. */
export function configurationOn(devnet: Devnet): object {
  const { anchors, chainId, contracts, dexes, wrappedNative } = devnet;
  const source = {
    kind: "chain",
    endpoints: [{ name: "devnet", url: devnet.rpcUrl, webSocketUrl: devnet.webSocketUrl }],
    blockTimeMs: devnet.blockTimeMs,
    multicall: contracts.multicall3,
    dexes,
    admission: { anchors, depthFloorUsd: 0, pools: [] },
  };
  const prices = anchors
    .filter(({ address }) => address !== wrappedNative)
    .map(({ address, priceUsd }) => ({ address, priceUsd }));
  // The store of swaps is small: it is soon full, so that it does not look like growth.
  const kept = { tradesMax: 1_000, candleMiB: 8 };
  const names = { id: "ETH", name: "Devnet", chainId, wrappedNative, anchors: prices };
  const network = { ...names, ...kept, headAgeLimitMs: null, source };
  const streams = { connectionsPerAddress: 1_000 };
  return { networks: [network], streams };
}

/**
 * Mines a block a second, with a reorganisation now and then; reports each new head, without an
 * end.
 */
export const keepMoving = (devnet: Devnet, seen: ChainOfSoak, tell: (head: number) => void) =>
  Effect.gen(function* () {
    if (seen.blocks++ % REORGANISE_EVERY === 3) {
      yield* devnet.traffic.reorganise(REORGANISED_BLOCKS);
      seen.reorganisations++;
    }
    const done = yield* devnet.traffic.block(ACTIONS_A_BLOCK);
    tell(Math.max(...done.map(({ blockNumber }) => blockNumber)));
  }).pipe(Effect.repeat(Schedule.spaced(BLOCK_MS)));
