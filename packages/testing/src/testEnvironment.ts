import { env } from "node:process";

/** The seed of every law's cases. The default is fixed, so that every push runs the same cases. */
export const TEST_SEED: number = readNumber("MILLRACE_TEST_SEED", 20_261_122);

/** Factor on the number of cases that laws name. A push runs a part of them. */
export const TEST_EFFORT: number = readNumber("MILLRACE_TEST_EFFORT", 0.2);

function readNumber(name: string, otherwise: number): number {
  const text = env[name];
  const value = text === undefined || text === "" ? otherwise : Number(text);
  if (!(value >= 0)) throw new Error(`${name} has to be a number: ${text}`);
  return value;
}
