import type { Curve } from "@millrace/core";
import { aerodrome } from "./aerodrome/index.ts";
import { algebraCalldata } from "./algebraIntegral/calldata.ts";
import { algebraDecoder } from "./algebraIntegral/decode.ts";
import type { CalldataProtocol } from "./CalldataProtocol.ts";
import type { ChainProtocol } from "./ChainProtocol.ts";
import type { LegDecoder } from "./LegDecoder.ts";
import type { Protocol } from "./Protocol.ts";
import { pancakeV3Calldata } from "./pancakeV3/calldata.ts";
import { pancakeV3Decoder } from "./pancakeV3/decode.ts";
import { slipstreamCalldata } from "./slipstream/calldata.ts";
import { slipstreamDecoder } from "./slipstream/decode.ts";
import { uniswapV2 } from "./uniswapV2/index.ts";
import { uniswapV3 } from "./uniswapV3/index.ts";
import { uniswapV4Calldata } from "./uniswapV4/calldata.ts";
import { uniswapV4Decoder } from "./uniswapV4/decode.ts";

/** Every protocol that this package knows, one line each. */
export const protocols: ReadonlyArray<Protocol> = [
  uniswapV2, //
  uniswapV3,
  aerodrome,
];

/** What their pools swap along. */
export const curves: ReadonlyArray<Curve> = [...new Set(protocols.flatMap((each) => each.curves))];

/** How they show themselves on a chain. */
export const chainProtocols: ReadonlyArray<ChainProtocol> = protocols.map(({ chain }) => chain);

/** How swaps through pools are written into transactions; some of pools that nobody follows yet. */
export const calldataProtocols: ReadonlyArray<CalldataProtocol> = [
  ...protocols.flatMap(({ calldata, otherLegs = [] }) => [
    calldata,
    ...otherLegs.map((legs) => legs.calldata),
  ]),
  slipstreamCalldata,
  uniswapV4Calldata,
  pancakeV3Calldata,
  algebraCalldata,
];

/** How the legs of our executor are read back, by code that shares nothing with the writers. */
export const legDecoders: ReadonlyArray<LegDecoder> = [
  ...protocols.flatMap(({ decode, otherLegs = [] }) => [
    decode,
    ...otherLegs.map((legs) => legs.decode),
  ]),
  slipstreamDecoder,
  uniswapV4Decoder,
  pancakeV3Decoder,
  algebraDecoder,
];

const protocolsByName = new Map(protocols.map((protocol) => [protocol.name, protocol]));

/** The `CalldataProtocol.name` of the legs of a protocol's pools along a curve. */
export function legNameOf(protocol: string, curve: string): string {
  const known = protocolsByName.get(protocol);
  const other = known?.otherLegs?.find((legs) => legs.curve === curve);
  return (other ?? known)?.calldata.name ?? protocol;
}

/** The same of all of its pools. */
export function legNamesOf(protocol: string): ReadonlyArray<string> {
  const known = protocolsByName.get(protocol);
  if (known === undefined) return [protocol];
  return [known, ...(known.otherLegs ?? [])].map(({ calldata }) => calldata.name);
}
