import { routeShape, swapGas } from "@millrace/execution";
import { budget, RandomSource, surelyBelow, TEST_SEED } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SwapSender } from "../live/SwapSender.ts";
import {
  type MinedSwap,
  mineFirstCrossings,
  mineOne,
  mineWrapping,
  openGasDesk,
} from "./swapGasSupport.ts";

// Compares estimates of gas with the gas of mined transactions, over every shape of swap: one to
// four pools a path, up to eight paths, both families and mixed forks, exact input and output,
// native or not, with and without a fee, to holders and to new accounts, through the executor and
// the Universal Router, with exact and with unlimited approvals.

const SWAPS = budget(40);
/** The most swaps, where the first ones are not of every shape. */
const SWAPS_MAX = SWAPS + 300;
const CROSSED_POOLS = budget(20);
const ERROR_MAX = 0.1;
/**
 * The error of one swap in a hundred, such as the first of a pool whose arithmetic takes more
 * rounds.
 */
const ERROR_RARE = 0.25;
const PATIENCE_MS = Math.max(600_000, budget(600_000));

describe.each(["ETH", "BASE"] as const)(
  "gas of swaps on %s",
  { timeout: PATIENCE_MS },
  (network) => {
    let desk: SwapSender;
    const mined: MinedSwap[] = [];
    beforeAll(async () => {
      desk = await openGasDesk(network, TEST_SEED);
      const random = new RandomSource(TEST_SEED);
      while (mined.length < SWAPS || (mined.length < SWAPS_MAX && rareShapes(mined).length > 0)) {
        const swap = await mineOne(desk, random);
        if (swap !== undefined) mined.push(swap);
      }
    }, PATIENCE_MS);
    afterAll(() => desk?.close());

    it("is estimated within a tenth of what is used, but for one in a hundred", () => {
      // No quote can know when a pool writes its half-hourly observation.
      const usual = mined.filter(({ isObserved }) => !isObserved);
      expect(usual.length).toBeGreaterThan(0.8 * mined.length);
      const errors = usual.map((swap) => ({ ...described(swap), error: errorOf(swap) }));
      expect(errors.filter(({ error }) => !(Math.abs(error) <= ERROR_RARE))).toEqual([]);
      const beyond = errors.filter(({ error }) => Math.abs(error) > ERROR_MAX);
      expect(beyond.length, JSON.stringify(beyond)).toBeLessThanOrEqual(
        surelyBelow(errors.length / 100),
      );
      // For nineteen of twenty, the estimate is much closer, without a bias.
      const far = errors.filter(({ error }) => Math.abs(error) > ERROR_MAX / 2);
      expect(far.length, JSON.stringify(far)).toBeLessThanOrEqual(surelyBelow(errors.length / 20));
      const mean = errors.reduce((sum, { error }) => sum + error, 0) / errors.length;
      expect(Math.abs(mean)).toBeLessThan(ERROR_MAX / 5);
    });

    it("is within the bound of the pools and what the router adds", () => {
      mined.forEach(expectBounded);
    });

    it("was measured on every shape", () => {
      expect(rareShapes(mined)).toEqual([]);
    });

    it("of wrapping and unwrapping is estimated within a tenth", async () => {
      for (const isNativeIn of [true, false]) {
        const swap = await mineWrapping(desk, isNativeIn);
        expect(Math.abs(errorOf(swap)), JSON.stringify(described(swap))).toBeLessThan(ERROR_MAX);
      }
    });
  },
);

describe("gas estimates", () => {
  it(
    "of swaps that cross fresh ticks is within the bound as well",
    async () => {
      const desk = await openGasDesk("ETH", TEST_SEED, true);
      try {
        const swaps = await mineFirstCrossings(desk, CROSSED_POOLS);
        expect(swaps.length).toBeGreaterThanOrEqual(CROSSED_POOLS);
        swaps.forEach(expectBounded);
      } finally {
        await desk.close();
      }
    },
    PATIENCE_MS,
  );
});

interface Shape {
  readonly name: string;
  readonly has: (swap: MinedSwap) => boolean;
  /** The least number of such swaps. */
  readonly least: number;
}

const SOME = Math.ceil(SWAPS / 30);
/** A push need not have the rare shapes. */
const FEW = Math.floor(SWAPS / 40);

const SHAPES: ReadonlyArray<Shape> = [
  ...["executor", "universal-router"].flatMap((router) =>
    ["exactIn", "exactOut"].map((kind) => ({
      name: `${router} ${kind}`,
      has: ({ built }: MinedSwap) => built.router.kind === router && built.intent.kind === kind,
      least: SOME,
    })),
  ),
  ...[1, 2, 3, 4].map((hops) => ({
    name: `${hops} hops`,
    has: ({ built }: MinedSwap) => built.intent.paths.some(({ legs }) => legs.length === hops),
    least: SOME,
  })),
  { name: "native in", has: ({ built }) => built.intent.isNativeIn, least: SOME },
  { name: "native out", has: ({ built }) => built.intent.isNativeOut, least: SOME },
  { name: "first receipt", has: ({ firsts }) => firsts.isFirstReceipt, least: SWAPS / 10 },
  { name: "first fee", has: ({ firsts }) => firsts.isFirstFee, least: SOME },
  {
    name: "new account",
    has: ({ firsts, built }) => firsts.isFirstReceipt && built.intent.isNativeOut,
    least: FEW,
  },
  { name: "fee", has: ({ built }) => built.intent.fee !== undefined, least: SWAPS / 5 },
  { name: "two of a manager", has: (swap) => shapeOf(swap).sharedUnlockCount > 0, least: FEW },
  { name: "wrapped on the way", has: (swap) => shapeOf(swap).wrapCount > 0, least: FEW },
  { name: "native pool", has: (swap) => shapeOf(swap).nativeInCount > 0, least: FEW },
  { name: "2 paths", has: ({ built }) => built.intent.paths.length >= 2, least: SWAPS / 10 },
  { name: "5 paths", has: ({ built }) => built.intent.paths.length >= 5, least: FEW },
];

/** Shapes with too few swaps, and their counts. */
function rareShapes(mined: ReadonlyArray<MinedSwap>): ReadonlyArray<string> {
  return SHAPES.flatMap(({ name, has, least }) => {
    const count = mined.filter(has).length;
    return count >= least ? [] : [`${name}: ${count} of ${least}`];
  });
}

function expectBounded(swap: MinedSwap): void {
  const added = swapGas({ ...shapeOf(swap), repeatedGas: 0 }, 0);
  const most = swap.gas + added * (1 + ERROR_MAX);
  expect(swap.gasUsed, JSON.stringify(described(swap))).toBeLessThanOrEqual(most);
  expect(swap.typicalGas).toBeLessThanOrEqual(swap.gas);
}

function shapeOf({ built, firsts, repeatedGas }: MinedSwap) {
  const { fee, isNativeIn, isNativeOut, kind, paths } = built.intent;
  const native = { isNativeIn, isNativeOut, repeatedGas };
  const route = routeShape(paths);
  const endsInPair = paths[0]?.legs.at(-1)?.protocol === "constant-product";
  const hasFee = fee !== undefined;
  return { kind, router: built.router.kind, ...native, ...firsts, hasFee, endsInPair, ...route };
}

const errorOf = (swap: MinedSwap): number =>
  swapGas(shapeOf(swap), swap.typicalGas) / swap.gasUsed - 1;

function described(swap: MinedSwap) {
  const paths = swap.built.intent.paths.map(({ legs }) => legs.map(({ dexId }) => dexId).join());
  return { ...shapeOf(swap), paths, gasUsed: swap.gasUsed, typicalGas: swap.typicalGas };
}
