import type { Address } from "@millrace/core";
import {
  type DecodedRouterSwap,
  legDecoders,
  must,
  type RouterCommandDecoder,
  same,
} from "@millrace/protocols";
import type { SwapIntent } from "../SwapIntent.ts";
import type { RouterTable } from "../SwapRouter.ts";

/** A decoded swap command, with the name of its family. */
export interface RouterSwap extends DecodedRouterSwap {
  readonly name: string;
  readonly decoder: RouterCommandDecoder;
}

/** Decoders of the families that the router reaches, by name. */
export const ROUTER_DECODERS: ReadonlyMap<string, RouterCommandDecoder> = new Map(
  legDecoders.flatMap(({ name, routerCommand }) =>
    routerCommand === undefined ? [] : [[name, routerCommand] as const],
  ),
);

const NATIVE: Address = "0x0000000000000000000000000000000000000000";

/** Checks that a command's pools are those of the next legs of a path. */
export function checkRouterHops(
  router: NonNullable<RouterTable["universalRouter"]>,
  intent: SwapIntent,
  { name: family, decoder, hops }: RouterSwap,
  pathPlace: number,
  legPlace: number,
): void {
  const { legs } = intent.paths[pathPlace]!;
  const pathName = `path ${pathPlace}`;
  const dexId = router[decoder.dexKey];
  must(dexId !== undefined, `the router reaches no pools of ${family}`);
  must(legPlace + hops.length <= legs.length, `${pathName}: more pools than in the intent`);
  for (let place = 0; place < hops.length; place++) {
    const leg = legs[legPlace + place]!;
    const hop = hops[place]!;
    const name = `${pathName}, leg ${legPlace + place}`;
    same(`${name}, token in`, hop.tokenIn, leg.tokenIn);
    same(`${name}, token out`, hop.tokenOut, leg.tokenOut);
    if (hop.feePips !== undefined) same(`${name}, fee`, hop.feePips, leg.feePips);
    if (hop.pool !== undefined) same(`${name}, pool`, hop.pool, leg.pool);
    same(`${name}, venue`, dexId!, leg.dexId);
    same(`${name}, family`, family, leg.protocol);
    // The router derives the direction from the addresses.
    same(`${name}, direction`, hop.tokenIn < hop.tokenOut, leg.zeroForOne);
  }
  const { tokenIn, tokenOut, wrappedNative } = intent;
  const isEndOf = (end: Address, token: Address) =>
    token === end || (end === wrappedNative && token === NATIVE);
  const first = hops[0]!.tokenIn;
  const isStart = legPlace > 0 || isEndOf(tokenIn, first);
  must(isStart, `${pathName}, token in: the call has ${first}, the intent ${tokenIn}`);
  const last = hops.at(-1)!.tokenOut;
  const isEnd = legPlace + hops.length < legs.length || isEndOf(tokenOut, last);
  must(isEnd, `${pathName}, its end: the call has ${last}, the intent ${tokenOut}`);
}
