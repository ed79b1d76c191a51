import { openMarket, type PoolListing, type TokenListing } from "@millrace/core";
import { curves, encodeConcentrated, encodeReserves, FEE_INSIDE } from "@millrace/protocols";
import type { LiveMarket } from "./LiveMarket.ts";
import { readFamilies } from "./readFamilies.ts";
import { type PoolReading, readPools } from "./readPools.ts";
import { feeOf } from "./scene.ts";

/** The native token's listing in a market with Uniswap V4's native pools. */
const NATIVE: TokenListing = {
  ...{ address: `0x${"0".repeat(40)}`, decimals: 18, symbol: "ETH", name: "Ether" },
};

/**
 * The bytes of a graph that is built from scratch at the chain's head: the test itself reads the
 * contracts into an empty market. The chain must stand still.
 */
export async function rebuild({ chain, devnet }: LiveMarket): Promise<Uint8Array> {
  const stamp = await chain.head();
  const pools = [...(await readPools(chain, devnet)).values()];
  const families = await readFamilies(chain, devnet);
  const market = openMarket(devnet.chainId, curves);
  const listings = [
    ...pools.map((pool) => listingOf(pool, devnet.dexes)),
    ...families.map(({ listing }) => listing),
  ];
  const used = new Set(listings.flatMap(({ tokens }) => tokens));
  market.writer.applyBlock({
    stamp,
    dexes: devnet.dexes.map(({ id, name, protocol, factory }) => ({ id, name, protocol, factory })),
    tokens: [...devnet.tokens, NATIVE]
      .filter(({ address }) => used.has(address))
      .map(({ address, decimals, symbol, name }) => ({ address, decimals, symbol, name })),
    pools: listings,
    states: [
      ...pools.map((pool) => ({ pool: pool.address, state: stateOf(pool) })),
      ...families.map(({ listing, state }) => ({ pool: listing.address, state })),
    ],
    ...{ removedPools: [], swaps: [], supplies: [] },
  });
  return market.snapshot();
}

function listingOf(pool: PoolReading, dexes: LiveMarket["devnet"]["dexes"]): PoolListing {
  const { address, tokens, factory, parameter } = pool;
  const dex = dexes.find((deployment) => deployment.factory === factory)!;
  const rule = dex.feePips === undefined ? parameter : FEE_INSIDE;
  return { address, dexId: dex.id, tokens, feePips: dex.feePips ?? feeOf(pool), parameter: rule };
}

function stateOf({ head, parameter, ticks }: PoolReading) {
  if (parameter === 0) return encodeReserves(head);
  const [sqrtPriceX96, tick, liquidity] = head as [bigint, bigint, bigint];
  return encodeConcentrated({ sqrtPriceX96, tick: Number(tick), liquidity, ticks });
}
