import { median } from "../statistics.ts";
import type { Game } from "./match.ts";

/** The score of some games of a match; times and gains are of games that both answered. */
export interface Score {
  readonly games: number;
  readonly bothAnswered: number;
  readonly oursAnswered: number;
  readonly peerMs: number;
  readonly oursUs: number;
  /** The peer's median time over ours. */
  readonly speedup: number;
  /** Games in which ours gives less. */
  readonly worse: number;
  readonly equal: number;
  /** Games in which ours gives more. */
  readonly better: number;
  /** Basis points by which ours gives more. */
  readonly gainMedian: number;
  readonly gainMean: number;
  /** Games in which the claimed output is not the true one. */
  readonly oursMisclaimed: number;
  readonly peerMisclaimed: number;
}

export function scoreOf(games: ReadonlyArray<Game>): Score {
  const both = games.flatMap((game) => {
    const { oursOut, peerOut } = game;
    if (oursOut === undefined || peerOut === undefined) return [];
    return [{ ...game, oursOut, peerOut }];
  });
  const peerMs = median(both.map((game) => game.peerMs));
  const oursUs = median(both.map((game) => game.oursUs));
  const gains = both.map(({ oursOut, peerOut }) => gainBps(oursOut, peerOut));
  return {
    games: games.length,
    bothAnswered: both.length,
    oursAnswered: games.filter(({ oursOut }) => oursOut !== undefined).length,
    peerMs,
    oursUs,
    speedup: (1_000 * peerMs) / oursUs,
    worse: both.filter(({ oursOut, peerOut }) => oursOut < peerOut).length,
    equal: both.filter(({ oursOut, peerOut }) => oursOut === peerOut).length,
    better: both.filter(({ oursOut, peerOut }) => oursOut > peerOut).length,
    gainMedian: median(gains),
    gainMean: gains.reduce((sum, gain) => sum + gain, 0) / gains.length,
    oursMisclaimed: games.filter(({ oursClaimed, oursOut }) => oursClaimed !== oursOut).length,
    peerMisclaimed: games.filter(({ peerClaimed, peerOut }) => peerClaimed !== peerOut).length,
  };
}

function gainBps(ours: bigint, theirs: bigint): number {
  return (10_000 * Number(ours - theirs)) / Number(theirs);
}
