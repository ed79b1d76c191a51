import { Effect, Result, Schema } from "effect";
import { AddressJson, isSameAddress, NATIVE_TOKEN } from "./address.ts";
import { Amount } from "./amount.ts";
import { isAssumedStep } from "./areAssumptions.ts";
import {
  ASSUMED_STEPS_MAX,
  ASSUMPTIONS_MAX,
  AssumedStep,
  AssumptionJson,
  Assumptions,
  RESERVES_MAX,
} from "./assumption.ts";
import { firstItems, unknownKeyCount, withFewKeys } from "./clipped.ts";
import { GasPriceJson } from "./gasPrice.ts";
import {
  ISSUES_MAX,
  type Issue,
  type IssueTemplate,
  issueAnnotation,
  issuesOf,
  tooBig,
} from "./issue.ts";
import { integerBetween, numberBetween } from "./numberBetween.ts";
import { PoolName } from "./poolName.ts";

/** The `dexId` of a request that may use every DEX. */
export const ALL_DEXES = "ALL";

/** Bounds of a quote request; longer lists are mistakes or attacks. */
export const QUOTE_HOPS_MAX = 4;
export const QUOTE_SPLITS_MAX = 64;
/** The most paths of a request with `explain` or `assume`, which worker threads do not answer. */
export const QUOTE_STUDY_SPLITS_MAX = 8;
export const QUOTE_EXCLUSIONS_MAX = 100;
export const QUOTE_GAP_BPS_MIN = 0.01;
export const QUOTE_GAP_BPS_MAX = 1_000;
export const DEX_ID_LENGTH_MAX = 64;

/** Asks for the best route from `tokenA` to `tokenB`. */
export const QuoteRequestJson = Schema.Struct({
  tokenA: AddressJson.annotateKey({ description: "The token that goes in." }),
  tokenB: AddressJson.annotateKey({ description: "The token that comes out." }),
  amountIn: Schema.optionalKey(Amount).annotateKey({
    description: "All of it goes in. Exactly one of `amountIn` and `amountOut` is required.",
  }),
  amountOut: Schema.optionalKey(Amount).annotateKey({
    description: "Exactly this comes out, for the least input.",
  }),
  dexId: dexIdentifier("Route through this DEX alone; `ALL`, the default, for every one.").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(ALL_DEXES)),
  ),
  maxHops: integerBetween(
    1,
    QUOTE_HOPS_MAX,
    "The most pools that a path may pass. Default 3.",
  ).pipe(Schema.withDecodingDefaultKey(Effect.succeed(3))),
  maxSplits: integerBetween(
    1,
    QUOTE_SPLITS_MAX,
    "The most paths that the amount is split over, never for less than the best single path gives; " +
      "see `routePlan`. At most 8 together with `explain` or `assume`. Default 1: one path.",
  ).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1))),
  excludeDexIds: Schema.optionalKey(exclusions(dexIdentifier("The id of a DEX."))).annotateKey({
    description: "Ids of DEXes that the path must not use.",
  }),
  excludePools: Schema.optionalKey(exclusions(PoolName)).annotateKey({
    description: "Pools that the path must not use: their addresses, or ids where they have one.",
  }),
  gasPriceWei: Schema.optionalKey(GasPriceJson).annotateKey({
    description:
      "Ranks routes by what is left after gas at this price; amounts do not change by it. Not together " +
      "with `gasAware`.",
  }),
  gasAware: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "The same at the network's own price of gas. Default false.",
  }),
  executable: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "Searches only routes that one router of the network can execute. The default where the " +
      "network has a node and a usable router; `false` asks for all routes.",
  }),
  certify: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "Adds `certificate` to the quote: how far any routing could be better. Default false.",
  }),
  gapBps: Schema.optionalKey(
    numberBetween(
      QUOTE_GAP_BPS_MIN,
      QUOTE_GAP_BPS_MAX,
      "As few paths as come within so many basis points of the best that any routing could give, " +
        "instead of `maxSplits`: at most 64, or 8 together with `explain` or `assume`. The quote has " +
        "its `certificate`, which says how close it comes.",
    ),
  ),
  explain: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "Adds `explanation` to the quote, or to the problem that stands in its way. Default false.",
  }),
  assume: Schema.optionalKey(Assumptions).annotateKey({
    description:
      "What if: the quote is computed as if all this were so, one after the other, on top of the " +
      "block that it names. Nothing in the answer tells it from a quote of the chain's own state.",
  }),
})
  .annotate({
    description: "Asks for the best route from `tokenA` to `tokenB`.",
    examples: [
      {
        tokenA: NATIVE_TOKEN,
        tokenB: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        amountIn: "1000000000000000000",
        dexId: ALL_DEXES,
        maxHops: 3,
        maxSplits: 1,
      },
    ],
  })
  .check(
    Schema.makeFilter<ExactlyOneAmount>(
      ({ amountIn, amountOut }) =>
        (amountIn === undefined) !== (amountOut === undefined)
          ? undefined
          : { path: ["amountIn"], issue: "Exactly one of amountIn and amountOut is required" },
      { [issueAnnotation]: { code: "invalid_value", message: "" } satisfies IssueTemplate },
    ),
    Schema.makeFilter<{ readonly tokenA: string; readonly tokenB: string }>(
      ({ tokenA, tokenB }) =>
        isSameAddress(tokenA, tokenB)
          ? { path: ["tokenB"], issue: "tokenA and tokenB must differ" }
          : undefined,
      { [issueAnnotation]: { code: "invalid_value", message: "" } satisfies IssueTemplate },
    ),
    Schema.makeFilter<GasOptions>(
      (request) =>
        hasTwoGasPrices(request)
          ? { path: ["gasAware"], issue: "At most one of gasPriceWei and gasAware" }
          : undefined,
      { [issueAnnotation]: { code: "invalid_value", message: "" } satisfies IssueTemplate },
    ),
    Schema.makeFilter<PathOptions>(
      (request) =>
        hasTwoPathCounts(request)
          ? { path: ["gapBps"], issue: "At most one of gapBps and maxSplits" }
          : undefined,
      { [issueAnnotation]: { code: "invalid_value", message: "" } satisfies IssueTemplate },
    ),
    Schema.makeFilter<StudyOptions>(
      (request) =>
        isTooWideToStudy(request)
          ? {
              path: ["maxSplits"],
              issue: `Too big: at most ${QUOTE_STUDY_SPLITS_MAX} with explain or assume`,
            }
          : undefined,
      { [issueAnnotation]: tooBig(QUOTE_STUDY_SPLITS_MAX) },
    ),
  )
  .annotate({ identifier: "QuoteRequest" });

export type QuoteRequestJson = typeof QuoteRequestJson.Type;

interface ExactlyOneAmount {
  readonly amountIn?: string;
  readonly amountOut?: string;
}

interface StudyOptions {
  readonly maxSplits: number;
  readonly explain?: boolean;
  readonly assume?: ReadonlyArray<unknown>;
}

interface PathOptions {
  readonly maxSplits: number;
  readonly gapBps?: number;
}

interface GasOptions {
  readonly gasPriceWei?: string;
  readonly gasAware?: boolean;
}

export const hasTwoGasPrices = ({ gasPriceWei, gasAware }: GasOptions): boolean =>
  gasPriceWei !== undefined && gasAware === true;

export const hasTwoPathCounts = ({ gapBps, maxSplits }: PathOptions): boolean =>
  gapBps !== undefined && maxSplits > 1;

/** The most paths that may answer a request. */
export const mostPathsOf = (request: PathOptions & StudyOptions): number => {
  if (request.gapBps === undefined) return request.maxSplits;
  return isStudied(request) ? QUOTE_STUDY_SPLITS_MAX : QUOTE_SPLITS_MAX;
};

const isStudied = ({ explain, assume }: StudyOptions): boolean =>
  explain === true || (assume?.length ?? 0) > 0;

/** Whether the request asks for more paths than the event loop may search. */
export const isTooWideToStudy = (request: StudyOptions): boolean =>
  request.maxSplits > QUOTE_STUDY_SPLITS_MAX && isStudied(request);

/**
 * The request in a parsed JSON body, or everything that is wrong with it. Takes microseconds for a
 * sound body.
 */
export function decodeQuoteRequestStrictly(
  body: unknown,
): Result.Result<QuoteRequestJson, Issue[]> {
  const decoded = decode(clipped(body), { errors: "all", onExcessProperty: "error" });
  return Result.mapError(decoded, ({ issue }) => issuesOf(issue));
}

const decode = Schema.decodeUnknownResult(QuoteRequestJson);

function clipped(body: unknown): unknown {
  return withFewKeys(body, QuoteRequestJson.fields, (key, value) =>
    key === "assume" ? clippedAssumptions(value) : firstItems(value, QUOTE_EXCLUSIONS_MAX + 1),
  );
}

/**
 * Keeps no more steps, over all route plans, than needed to see that they are too many or wrong.
 */
function clippedAssumptions(value: unknown): unknown {
  const assumptions = firstItems(value, ASSUMPTIONS_MAX + 1);
  if (!Array.isArray(assumptions)) return assumptions;
  let stepCount = 0;
  /** A lower bound. */
  let issueCount = 0;
  const isNeeded = (step: unknown): boolean => {
    if (stepCount > ASSUMED_STEPS_MAX || issueCount >= ISSUES_MAX) return false;
    stepCount++;
    if (!isAssumedStep(step)) issueCount += unknownKeyCount(step, AssumedStep.fields) || 1;
    return true;
  };
  return assumptions.map((assumption) =>
    withFewKeys(assumption, AssumptionJson.fields, (key, part) =>
      key === "routePlan" && Array.isArray(part)
        ? part.filter(isNeeded).map((step) => withFewKeys(step, AssumedStep.fields))
        : firstItems(part, RESERVES_MAX + 1),
    ),
  );
}

function dexIdentifier(description: string) {
  const wrong: IssueTemplate = {
    origin: "string",
    code: "too_big",
    maximum: DEX_ID_LENGTH_MAX,
    inclusive: true,
    message: `Too big: a DEX id has at most ${DEX_ID_LENGTH_MAX} characters`,
  };
  return Schema.String.check(
    Schema.isMaxLength(DEX_ID_LENGTH_MAX, { [issueAnnotation]: wrong }),
  ).annotate({ description, examples: ["UNISWAP_V3"] });
}

function exclusions<S extends Schema.Top>(item: S) {
  const wrong: IssueTemplate = {
    origin: "array",
    code: "too_big",
    maximum: QUOTE_EXCLUSIONS_MAX,
    inclusive: true,
    message: `Too big: at most ${QUOTE_EXCLUSIONS_MAX} items`,
  };
  return Schema.Array(item).check(
    Schema.isMaxLength(QUOTE_EXCLUSIONS_MAX, { [issueAnnotation]: wrong }),
  );
}
