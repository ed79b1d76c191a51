/**
 * A market with a family that the engine does not ship, and a route through it:
 *
 *     node apps/examples/src/addedFamily.ts
 */
import { type Address, FEE_IN_STATE, NO_HASH, openMarket } from "@millrace/core";
import { curves, encodeReserves, FEE_INSIDE } from "@millrace/protocols";
import { dodo } from "./families/dodo/index.ts";
import { dodoState } from "./families/dodo/pool.ts";

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const [usdc, weth, dai] = [address("1"), address("2"), address("3")];
const E18 = 10n ** 18n;
/** A price of 3,000 USDC for a WETH, as units of both: 3 × 10⁻⁹; a tenth of x·y = k's slippage. */
const constants = BigUint64Array.of(3_000_000_000n, 0n, E18 / 10n);
const reserves = { base: 900n * E18, quote: 320_000n * 10n ** 6n };
const rates = { lpRate: E18 / 1_000n, mtRate: 0n };

// The one line: a curve more.
const { writer, graph, router } = openMarket(1, [...curves, ...dodo.curves]);
writer.applyBlock({
  stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
  dexes: [
    { id: "DODO", name: "DODO", protocol: dodo.name, factory: address("d") },
    { id: "UNISWAP_V2", name: "Uniswap V2", protocol: "constant-product", factory: address("e") },
  ],
  tokens: [
    { address: usdc, decimals: 6, symbol: "USDC", name: "USD Coin" },
    { address: weth, decimals: 18, symbol: "WETH", name: "Wrapped Ether" },
    { address: dai, decimals: 18, symbol: "DAI", name: "Dai" },
  ],
  pools: [
    {
      ...{ address: address("a"), dexId: "DODO", tokens: [weth, usdc], parameter: 0 },
      ...{ feePips: FEE_IN_STATE, constants },
    },
    {
      ...{ address: address("b"), dexId: "UNISWAP_V2", tokens: [usdc, dai], feePips: 3_000 },
      parameter: FEE_INSIDE,
    },
  ],
  removedPools: [],
  states: [
    { pool: address("a"), state: dodoState({ ...reserves, ...rates }) },
    { pool: address("b"), state: encodeReserves([10n ** 12n, 10n ** 24n]) },
  ],
  ...{ swaps: [], supplies: [] },
});

const [tokenIn, tokenOut] = [graph.findToken(weth)!, graph.findToken(dai)!];
const answer = router.quote({ tokenIn, tokenOut, kind: "exactIn", amount: E18, maxHops: 2 });
console.log(answer);
