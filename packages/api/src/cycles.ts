import { Effect, Schema } from "effect";
import { AddressJson } from "./address.ts";
import { wholeNumber } from "./parameters.ts";

/** The most cycles that the engine keeps of a search. */
const CYCLES_MAX = 64;
const CYCLES_DEFAULT = 20;
const HOPS_DEFAULT = 3;

const CycleStep = Schema.Struct({
  pool: Schema.String.annotateKey({ description: "Its address, or its id of 32 bytes." }),
  dexId: Schema.String,
  tokenIn: Schema.String,
  tokenOut: Schema.String,
  amountIn: Schema.String,
  amountOut: Schema.String,
}).annotate({ identifier: "CycleStep", description: "One pool of a cycle." });

/** A round trip that ends with more than it began with, at its most profitable size. */
export const CycleJson = Schema.Struct({
  amountIn: Schema.String.annotateKey({
    description: "The size of the greatest profit, in the token's smallest unit.",
  }),
  amountOut: Schema.String.annotateKey({ description: "What comes back of the token." }),
  profit: Schema.String.annotateKey({
    description: "`amountOut` less `amountIn`. Gas is not counted.",
  }),
  gasEstimate: Schema.String.annotateKey({ description: "Gas that the swaps use as a rule." }),
  blockNumber: Schema.String.annotateKey({ description: "The block that the cycle is true for." }),
  steps: Schema.Array(CycleStep).annotateKey({
    description: "In the order of execution: each takes what the one before gave.",
  }),
}).annotate({
  identifier: "Cycle",
  examples: [
    {
      amountIn: "1414213562373095048",
      amountOut: "1417042000000000000",
      profit: "2828437626904952",
      gasEstimate: "232000",
      blockNumber: "24600000",
      steps: [
        {
          pool: "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc",
          dexId: "UNISWAP_V2",
          tokenIn: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
          tokenOut: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
          amountIn: "1414213562373095048",
          amountOut: "4954102338",
        },
        {
          pool: "0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640",
          dexId: "UNISWAP_V3",
          tokenIn: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
          tokenOut: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
          amountIn: "4954102338",
          amountOut: "1417042000000000000",
        },
      ],
    },
  ],
});

export type CycleJson = typeof CycleJson.Type;

/** The body of `/:network/cycles`. */
export const CycleList = Schema.Struct({
  result: Schema.Array(CycleJson).annotateKey({ description: "The most profitable first." }),
}).annotate({ identifier: "CycleList" });

/** Parameters of `/:network/cycles`. */
export const cyclesQuery = {
  token: Schema.optionalKey(
    AddressJson.annotate({
      description: "Where cycles begin and end. Default: the wrapped native token.",
    }),
  ),
  maxHops: wholeNumber(2, 4, `Pools of a cycle, at most; 2…4, default ${HOPS_DEFAULT}.`).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(`${HOPS_DEFAULT}`)),
  ),
  limit: wholeNumber(
    1,
    CYCLES_MAX,
    `Cycles, at most; 1…${CYCLES_MAX}, default ${CYCLES_DEFAULT}.`,
  ).pipe(Schema.withDecodingDefaultKey(Effect.succeed(`${CYCLES_DEFAULT}`))),
};
