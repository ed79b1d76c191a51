import { type CalldataProtocol, legDigits, uintDigits } from "../CalldataProtocol.ts";

/** Kinds of legs of the executor contract. */
const VOLATILE = 1;
const STABLE = 2;
const FEE_BYTES = 3;

/**
 * Volatile pools of Aerodrome, Velodrome V2 and other forks of Solidly. An exact input asks the
 * pool for its output: its fee may have changed. The input of an exact output is computed with the
 * leg's fee.
 */
export const aerodromeVolatileCalldata: CalldataProtocol = {
  name: "aerodrome-volatile",
  executorLeg: (leg) => legDigits(VOLATILE, leg, uintDigits(leg.feePips, FEE_BYTES)),
  givesExactOutput: true,
  universalRouter: undefined,
};

/** Their stable pools; only a search finds the input of an exact output. */
export const aerodromeStableCalldata: CalldataProtocol = {
  name: "aerodrome-stable",
  executorLeg: (leg) => legDigits(STABLE, leg),
  givesExactOutput: false,
  universalRouter: undefined,
};
