import { constantProduct } from "../curves/constantProduct/pool.ts";
import { solidlyStable } from "../curves/solidlyStable/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { aerodromeStableCalldata, aerodromeVolatileCalldata } from "./calldata.ts";
import { aerodromeChain } from "./chain.ts";
import { aerodromeStableDecoder, aerodromeVolatileDecoder } from "./decode.ts";

/** Aerodrome, Velodrome V2: volatile pools and stable ones, whose legs are of two kinds. */
export const aerodrome: Protocol = {
  name: "aerodrome",
  curves: [constantProduct, solidlyStable],
  chain: aerodromeChain,
  calldata: aerodromeVolatileCalldata,
  decode: aerodromeVolatileDecoder,
  otherLegs: [
    {
      curve: solidlyStable.name,
      calldata: aerodromeStableCalldata,
      decode: aerodromeStableDecoder,
    },
  ],
};
