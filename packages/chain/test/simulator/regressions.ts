/**
 * Seeds that once failed, and what they found. They run before all others. To add one, take the
 * seed that a failing test prints, and a sentence. A change of the simulator's draws turns them
 * into other runs: that is no loss as long as all kinds of fault still strike.
 */
export const REGRESSIONS: ReadonlyArray<{ readonly seed: number; readonly sentence: string }> = [
  {
    seed: 300,
    sentence: "blocks are replaced that an earlier range of a discovery under way had covered",
  },
  {
    seed: 1_000_599,
    sentence: "several shallow reorganisations in a row reach into the ranges of a discovery",
  },
  {
    seed: 628,
    sentence: "a pool that the orphaned block created is created again by the one in its place",
  },
  {
    seed: 746,
    sentence: "the same, some blocks above the fork, after pools were listed again",
  },
  {
    seed: 1_000_364,
    sentence: "the nodes have no state any more of the blocks that are to be caught up with",
  },
  {
    seed: 167,
    sentence: "a reorganisation goes below the block at which the market was read",
  },
  {
    seed: 18,
    sentence: "the past that is read late lies between blocks that the reader has heard of",
  },
  {
    seed: 355,
    sentence: "a node still has the lost branch when it is asked what of the past still counts",
  },
  {
    seed: 57,
    sentence: "blocks are reverted that the reader knows of an earlier life only",
  },
  {
    seed: 7_002_506,
    sentence: "a late node behind a balancer refuses a new token's decimals, and the other calls",
  },
  {
    seed: 5_000_165,
    sentence:
      "one node has the reader's blocks, the market opens at an older one of another branch",
  },
  {
    seed: 7_005_474,
    sentence: "the same, and the reader's blocks reach across the block that the market opens at",
  },
  {
    seed: 7_001_757,
    sentence: "a deep reorganisation strikes while it is found out which blocks still count",
  },
  {
    seed: 5_002_725,
    sentence: "the past begins near the head, where a forked node gives other times by number",
  },
  {
    seed: 7_100_027,
    sentence: "a DEX is paused, and has a new pool that is not, later in the same block",
  },
  {
    seed: 7_100_012,
    sentence: "the same, of a pool that lies",
  },
];
