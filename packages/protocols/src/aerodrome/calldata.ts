import { type CalldataProtocol, legDigits, uintDigits } from "../CalldataProtocol.ts";

/** Kinds of legs of the executor contract. */
const VOLATILE = 1;
const STABLE = 2;
const FEE_BYTES = 3;

/**
 * Volatile pools of Aerodrome, Velodrome V2 and other forks of Solidly. An exact input asks the
 * pool what it gives: its fee may have changed. An exact output is worked back with the leg's fee.
 */
export const aerodromeVolatileCalldata: CalldataProtocol = {
  name: "aerodrome-volatile",
  executorLeg: (leg) => legDigits(VOLATILE, leg, uintDigits(leg.feePips, FEE_BYTES)),
  givesExactOutput: true,
  universalRouter: undefined,
};

/** Their stable pools, which nothing but a search gives the input of an output for. */
export const aerodromeStableCalldata: CalldataProtocol = {
  name: "aerodrome-stable",
  executorLeg: (leg) => legDigits(STABLE, leg),
  givesExactOutput: false,
  universalRouter: undefined,
};
