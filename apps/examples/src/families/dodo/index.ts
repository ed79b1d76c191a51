import { legDigits, type Protocol, plainLegDecoder } from "@millrace/protocols";
import { dodoChain } from "./chain.ts";
import { dodoCurve } from "./pool.ts";

/** What a leg would have in an executor that pays in and calls `sellBase` or `sellQuote`. */
const LEG_KIND = 64;

/** DODO V2's vending machines: for an engine, and for what follows a chain. */
export const dodo: Protocol = {
  name: dodoCurve.name,
  curves: [dodoCurve],
  chain: dodoChain,
  calldata: {
    name: dodoCurve.name,
    executorLeg: (leg) => legDigits(LEG_KIND, leg),
    givesExactOutput: false,
    universalRouter: undefined,
  },
  decode: plainLegDecoder(dodoCurve.name, LEG_KIND),
};
