import { aerodrome } from "./aerodrome/index.ts";
import { algebraIntegral } from "./algebraIntegral/index.ts";
import { balancerV2 } from "./balancerV2/index.ts";
import { balancerV3 } from "./balancerV3/index.ts";
import type { CalldataProtocol } from "./CalldataProtocol.ts";
import type { ChainProtocol } from "./ChainProtocol.ts";
import { curveCrypto } from "./curveCrypto/index.ts";
import { curveStable } from "./curveStable/index.ts";
import { erc4626 } from "./erc4626/index.ts";
import type { LegDecoder } from "./LegDecoder.ts";
import { lido } from "./lido/index.ts";
import type { Protocol } from "./Protocol.ts";
import { pancakeV3 } from "./pancakeV3/index.ts";
import { slipstream } from "./slipstream/index.ts";
import { uniswapV2 } from "./uniswapV2/index.ts";
import { uniswapV3 } from "./uniswapV3/index.ts";
import { uniswapV4 } from "./uniswapV4/index.ts";

/** Every protocol that this package knows, one line each. */
export const protocols: ReadonlyArray<Protocol> = [
  uniswapV2, //
  uniswapV3,
  uniswapV4,
  pancakeV3,
  slipstream,
  algebraIntegral,
  aerodrome,
  curveCrypto,
  balancerV2,
  balancerV3,
  curveStable,
  erc4626,
  lido,
];

/** How their pools appear on a chain. */
export const chainProtocols: ReadonlyArray<ChainProtocol> = protocols.map(({ chain }) => chain);

/** How swaps through pools are written into transactions. */
export const calldataProtocols: ReadonlyArray<CalldataProtocol> = [
  ...protocols.flatMap(({ calldata, otherLegs = [] }) => [
    calldata,
    ...otherLegs.map((legs) => legs.calldata),
  ]),
];

/** The decoders of our executor's legs, which share no code with the encoders. */
export const legDecoders: ReadonlyArray<LegDecoder> = [
  ...protocols.flatMap(({ decode, otherLegs = [] }) => [
    decode,
    ...otherLegs.map((legs) => legs.decode),
  ]),
];

const protocolsByName = new Map(protocols.map((protocol) => [protocol.name, protocol]));

/** The `CalldataProtocol.name` of the legs of a protocol's pools along a curve. */
export function legNameOf(protocol: string, curve: string): string {
  const known = protocolsByName.get(protocol);
  const other = known?.otherLegs?.find((legs) => legs.curve === curve);
  return (other ?? known)?.calldata.name ?? protocol;
}

/** The names for the legs of all of a protocol's pools. */
export function legNamesOf(protocol: string): ReadonlyArray<string> {
  const known = protocolsByName.get(protocol);
  if (known === undefined) return [protocol];
  return [known, ...(known.otherLegs ?? [])].map(({ calldata }) => calldata.name);
}
