/** The obstacles of a network, except the age of its newest block. */
export interface NetworkStanding {
  /** Why it cannot answer, whatever its blocks are. */
  readonly reason: string | undefined;
  /** None of its endpoints answers. */
  readonly isCutOff: boolean;
}

type AgeWords = (ageMs: number, limitMs: number) => string;

/**
 * Why a network cannot answer now; undefined when it can. `ageMs` is that of its newest block,
 * undefined before there is one.
 */
export function obstacleOf(
  { reason, isCutOff }: NetworkStanding,
  ageMs: number | undefined,
  limitMs: number | null,
  ofAge: AgeWords = wordsOfAge,
): string | undefined {
  const obstacle = reason ?? ageObstacle(ageMs, limitMs, ofAge);
  return obstacle !== undefined && isCutOff ? `${obstacle}; no endpoint answers` : obstacle;
}

function ageObstacle(ageMs: number | undefined, limitMs: number | null, ofAge: AgeWords) {
  if (ageMs === undefined) return "starting";
  return limitMs === null || ageMs <= limitMs ? undefined : ofAge(ageMs, limitMs);
}

const wordsOfAge: AgeWords = (ageMs) => `the newest block is ${ageMs} ms old`;
