import { Effect } from "effect";
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbiParameters,
} from "viem";
import { universalRouterAbi } from "../contracts/abis.ts";
import { poolKeyParameter } from "../contracts/familyAbis.ts";
import { NATIVE_CURRENCY } from "../contracts/uniswapV4.ts";
import { keyOfPool } from "../families/uniswapV4Pools.ts";
import { NO_DEADLINE } from "../market/Market.ts";
import type { Action } from "./Action.ts";
import { pickAmount, tradable } from "./routes.ts";
import { SWEEP, SWEEP_TO } from "./universalRouter.ts";

const V4_SWAP = "0x10";
/** Actions within V4_SWAP: swap, pay all that is owed, take all that is due. */
const ACTIONS_OF_SWAP = "0x060c0f";

const SWAP_INPUT = parseAbiParameters("bytes, bytes[]");
const AMOUNT_OF = parseAbiParameters("address, uint256");
const SINGLE_SWAP = [
  {
    type: "tuple",
    components: [
      poolKeyParameter,
      { name: "zeroForOne", type: "bool" },
      { name: "amountIn", type: "uint128" },
      { name: "amountOutMinimum", type: "uint128" },
      { name: "hookData", type: "bytes" },
    ],
  },
] as const;

/** A swap in a Uniswap V4 pool through the Universal Router, paid through Permit2 or natively. */
export const swapThroughV4Router: Action = ({ market, random, spots, trader }) =>
  Effect.sync(() => {
    const choices = spots.filter(({ pool }) => pool.dexCode === "v4");
    if (choices.length === 0) return undefined;
    const spot = random.pick(choices);
    const { pool } = spot;
    const zeroForOne = random.chance(0.5);
    const [tokenIn, tokenOut] = zeroForOne
      ? [pool.token0, pool.token1]
      : [pool.token1, pool.token0];
    const amountIn = pickAmount(tradable(spot, tokenIn)[0], random);
    const order = { key: keyOfPool(pool.family!), zeroForOne, amountIn };
    const params: ReadonlyArray<Hex> = [
      encodeAbiParameters(SINGLE_SWAP, [{ ...order, amountOutMinimum: 0n, hookData: "0x" }]),
      encodeAbiParameters(AMOUNT_OF, [tokenIn.address, amountIn]),
      encodeAbiParameters(AMOUNT_OF, [tokenOut.address, 0n]),
    ];
    const swap = encodeAbiParameters(SWAP_INPUT, [ACTIONS_OF_SWAP, params]);
    // A pool that runs dry takes less than was sent, and the next caller could take the rest.
    const sweep = encodeAbiParameters(SWEEP_TO, [NATIVE_CURRENCY, trader.address, 0n]);
    const isNative = tokenIn.address === NATIVE_CURRENCY;
    const args = isNative
      ? ([concat([V4_SWAP, SWEEP]), [swap, sweep], NO_DEADLINE] as const)
      : ([V4_SWAP, [swap], NO_DEADLINE] as const);
    return {
      to: market.contracts.universalRouter,
      data: encodeFunctionData({ abi: universalRouterAbi, functionName: "execute", args }),
      value: isNative ? amountIn : 0n,
    };
  });
