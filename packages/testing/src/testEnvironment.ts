import { env } from "node:process";

const SEED_OF_PUSHES = 20_261_122;

/** The seed of every law's cases. The default is fixed, so that every push runs the same cases. */
export const TEST_SEED: number = readNumber("MILLRACE_TEST_SEED", SEED_OF_PUSHES);

/** Factor on the number of cases that laws name. A push runs a part of them. */
export const TEST_EFFORT: number = readNumber("MILLRACE_TEST_EFFORT", 0.2);

/**
 * Whether the cases of this run must include every interesting kind. Those of a push do; as few of
 * another seed may not.
 */
export const MEETS_EVERY_KIND: boolean = TEST_SEED === SEED_OF_PUSHES || TEST_EFFORT >= 1;

function readNumber(name: string, otherwise: number): number {
  const text = env[name];
  const value = text === undefined || text === "" ? otherwise : Number(text);
  if (!(value >= 0)) throw new Error(`${name} has to be a number: ${text}`);
  return value;
}
