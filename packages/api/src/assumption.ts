import { Schema } from "effect";
import { AddressJson } from "./address.ts";
import { Amount } from "./amount.ts";
import { type IssueTemplate, issueAnnotation } from "./issue.ts";
import { PoolName, steppedPoolNames } from "./poolName.ts";

/** Most assumptions of a quote, and most steps of all their route plans together. */
export const ASSUMPTIONS_MAX = 32;
export const ASSUMED_STEPS_MAX = 256;
/** Bounds on how many tokens a pool may have. */
export const RESERVES_MIN = 2;
export const RESERVES_MAX = 8;

/** A step of an earlier quote; its other fields are accepted and ignored. */
export const AssumedStep = Schema.Struct({
  ...steppedPoolNames,
  tokenA: AddressJson.annotateKey({
    description: "What goes in; the wrapped form of the native token.",
  }),
  tokenB: AddressJson.annotateKey({ description: "What comes out." }),
  amountIn: Amount.annotateKey({ description: "All of it goes in; at least 1." }),
  aToB: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "When false, `tokenB` goes in and `tokenA` comes out. Default true.",
  }),
  dexId: ignored(),
  fee: ignored(),
  zeroForOne: ignored(),
  amountOut: ignored(),
}).annotate({
  identifier: "AssumedStep",
  description: "A swap that was executed: a step of an earlier quote, as it was given.",
});

/** One thing that a quote assumes, in one of three forms. */
export const AssumptionJson = Schema.Struct({
  removePool: Schema.optionalKey(PoolName).annotateKey({ description: "This pool is gone." }),
  pool: Schema.optionalKey(PoolName).annotateKey({
    description: "This pool, of a kind that is its reserves and nothing more, holds `reserves`.",
  }),
  reserves: Schema.optionalKey(
    Schema.Array(Amount).check(
      Schema.isMinLength(RESERVES_MIN, { [issueAnnotation]: tooFew(RESERVES_MIN, "reserves") }),
      Schema.isMaxLength(RESERVES_MAX, { [issueAnnotation]: tooMany(RESERVES_MAX, "reserves") }),
    ),
  ).annotateKey({
    description: "Of `pool`, one for each of its tokens: of token0, token1 and so on.",
  }),
  routePlan: Schema.optionalKey(Schema.Array(AssumedStep)).annotateKey({
    description: "The `routePlan` of an earlier quote, executed in its order.",
  }),
})
  .annotate({
    description: "Exactly one of `removePool`, `pool` with `reserves`, and `routePlan`.",
    examples: [
      { removePool: "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc" },
      {
        pool: "0x397FF1542f962076d0BFE58eA045FfA2d347ACa0",
        reserves: ["12000000000000", "6000000000000000000000"],
      },
    ],
  })
  .check(
    Schema.makeFilter<AssumptionForms>(
      (assumption) =>
        hasOneForm(assumption)
          ? undefined
          : "Exactly one of removePool, pool with reserves, and routePlan is required",
      { [issueAnnotation]: { code: "invalid_value", message: "" } satisfies IssueTemplate },
    ),
  )
  .annotate({ identifier: "Assumption" });

export type AssumptionJson = typeof AssumptionJson.Type;

/** Assumptions in order: later ones build on earlier ones. */
export const Assumptions = Schema.Array(AssumptionJson).check(
  Schema.isMaxLength(ASSUMPTIONS_MAX, {
    [issueAnnotation]: tooMany(ASSUMPTIONS_MAX, "items"),
  }).abort(),
  Schema.makeFilter<ReadonlyArray<AssumptionForms>>(
    (assumptions) => assumedStepCount(assumptions) <= ASSUMED_STEPS_MAX,
    { [issueAnnotation]: tooMany(ASSUMED_STEPS_MAX, "steps in all") },
  ),
);

interface AssumptionForms {
  readonly removePool?: unknown;
  readonly pool?: unknown;
  readonly reserves?: unknown;
  readonly routePlan?: ReadonlyArray<unknown>;
}

export const hasOneForm = ({ removePool, pool, reserves, routePlan }: AssumptionForms): boolean =>
  Number(removePool !== undefined) +
    Number(pool !== undefined && reserves !== undefined) +
    Number(routePlan !== undefined) ===
    1 && (pool === undefined) === (reserves === undefined);

export const assumedStepCount = (assumptions: ReadonlyArray<AssumptionForms>): number =>
  assumptions.reduce((sum, { routePlan }) => sum + (routePlan?.length ?? 0), 0);

function tooMany(maximum: number, what: string): IssueTemplate {
  const message = `Too big: at most ${maximum} ${what}`;
  return { origin: "array", code: "too_big", maximum, inclusive: true, message };
}

function tooFew(minimum: number, what: string): IssueTemplate {
  const message = `Too small: at least ${minimum} ${what}`;
  return { origin: "array", code: "too_small", minimum, inclusive: true, message };
}

function ignored() {
  return Schema.optionalKey(Schema.Unknown).annotateKey({ description: "Ignored." });
}
