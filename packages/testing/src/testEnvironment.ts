import { env } from "node:process";

/** What every law's cases are drawn from. The default is fixed: a push runs what every push ran. */
export const TEST_SEED: number = readNumber("MILLRACE_TEST_SEED", 20_261_122);

/** How many times the cases that a law names are run. A push runs a part of them. */
export const TEST_EFFORT: number = readNumber("MILLRACE_TEST_EFFORT", 0.2);

function readNumber(name: string, otherwise: number): number {
  const text = env[name];
  const value = text === undefined || text === "" ? otherwise : Number(text);
  if (!(value >= 0)) throw new Error(`${name} has to be a number: ${text}`);
  return value;
}
