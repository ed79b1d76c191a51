import { Effect } from "effect";
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbiParameters,
} from "viem";
import { universalRouterAbi } from "../contracts/abis.ts";
import { NO_DEADLINE } from "../market/Market.ts";
import type { Action } from "./Action.ts";
import { pickRoute, type Route } from "./routes.ts";
import { amountInto, packPath } from "./trades.ts";

const V3_SWAP_EXACT_IN = "0x00";
const V2_SWAP_EXACT_IN = "0x08";
const WRAP_ETH = "0x0b";
export const SWEEP = "0x04";
/** Stands for the router itself as a recipient. */
const ROUTER = "0x0000000000000000000000000000000000000002";

const V3_SWAP = parseAbiParameters("address, uint256, uint256, bytes, bool");
const V2_SWAP = parseAbiParameters("address, uint256, uint256, address[], bool");
const WRAP = parseAbiParameters("address, uint256");
/** Arguments of `SWEEP`: the token, its recipient, and the least amount. */
export const SWEEP_TO = parseAbiParameters("address, address, uint256");

/**
 * One to three swaps in one transaction through the Universal Router, over pairs and concentrated
 * pools; paid in the native currency at times, else through Permit2.
 */
export const swapThroughUniversalRouter: Action = ({ market, random, spots, trader }) =>
  Effect.sync(() => {
    const commands: Array<Hex> = [];
    const inputs: Array<Hex> = [];
    let value = 0n;
    const swap = (route: Route, dexCode: "v2" | "v3", amountIn: bigint) => {
      const isNative = route.tokens[0] === market.tokens[0] && random.chance(0.5);
      if (isNative) {
        commands.push(WRAP_ETH);
        inputs.push(encodeAbiParameters(WRAP, [ROUTER, amountIn]));
        value += amountIn;
      }
      const to = trader.address;
      const path = route.tokens.map(({ address }) => address);
      commands.push(dexCode === "v3" ? V3_SWAP_EXACT_IN : V2_SWAP_EXACT_IN);
      inputs.push(
        dexCode === "v3"
          ? encodeAbiParameters(V3_SWAP, [to, amountIn, 0n, packPath(route), !isNative])
          : encodeAbiParameters(V2_SWAP, [to, amountIn, 0n, path, !isNative]),
      );
    };
    const swaps = 1 + random.index(3);
    for (let count = 0; count < swaps; count++) {
      const dexCode = random.chance(0.6) ? "v3" : "v2";
      const route = pickRoute(spots, dexCode, 2, random);
      if (route !== undefined) swap(route, dexCode, amountInto(route, random));
    }
    if (commands.length === 0) return undefined;
    // A pool that runs dry takes less than was wrapped, and the next caller could take the rest.
    if (value > 0n) {
      commands.push(SWEEP);
      inputs.push(encodeAbiParameters(SWEEP_TO, [market.tokens[0]!.address, trader.address, 0n]));
    }
    const args = [concat(commands), inputs, NO_DEADLINE] as const;
    return {
      to: market.contracts.universalRouter,
      data: encodeFunctionData({ abi: universalRouterAbi, functionName: "execute", args }),
      value,
    };
  });
