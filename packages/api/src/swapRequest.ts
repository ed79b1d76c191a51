import { Effect, Result, Schema } from "effect";
import { AddressJson, isNativeToken, isSameAddress, NATIVE_TOKEN } from "./address.ts";
import { Amount } from "./amount.ts";
import { firstItems, withFewKeys, withoutOtherKeys } from "./clipped.ts";
import {
  type Issue,
  type IssueTemplate,
  issueAnnotation,
  issuesOf,
  tooBig,
  tooSmall,
} from "./issue.ts";
import { integerBetween } from "./numberBetween.ts";
import { steppedPoolNames } from "./poolName.ts";

/** Bounds of a swap request. */
export const SWAP_STEPS_MAX = 256;
const SLIPPAGE_PERCENT_MAX = 50;
export const SLIPPAGE_PERCENT_DEFAULT = 0.5;
export const PARTNER_FEE_BPS_MAX = 1_000;
/**
 * Slippage has four decimals: 10,000 parts per per cent, which are parts per million of the whole.
 */
export const SLIPPAGE_PARTS = 10_000;

const Anything = Schema.Record(Schema.String, Schema.Unknown);

const stepFields = {
  tokenA: AddressJson.annotateKey({
    description: "What goes in; the wrapped form of the native token.",
  }),
  tokenB: AddressJson.annotateKey({ description: "What comes out." }),
  ...steppedPoolNames,
  aToB: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "When false, `tokenB` goes in and `tokenA` comes out. Default true.",
  }),
  amountIn: Schema.optionalKey(Amount).annotateKey({
    description: "Needed of the first step of each path when there are several.",
  }),
  amountOut: Schema.optionalKey(Amount).annotateKey({
    description: "Needed of the last step of each path when there are several, with `exactOutput`.",
  }),
};

const quoteFields = {
  tokenA: AddressJson.annotateKey({ description: "The token that goes in." }),
  tokenB: AddressJson.annotateKey({ description: "The token that comes out." }),
  amountIn: Amount.annotateKey({ description: "As quoted." }),
  amountOut: Amount.annotateKey({ description: "As quoted." }),
  exactOutput: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "`amountOut` is what must come out, whatever `amountIn` it takes. Default false.",
  }),
  isNativeIn: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "True just when `tokenA` is the native token.",
  }),
  isNativeOut: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "True just when `tokenB` is the native token.",
  }),
};

/** A step of a returned quote; fields not listed here are ignored. */
const SwapStep = Schema.StructWithRest(Schema.Struct(stepFields), [Anything]).annotate({
  identifier: "SwapStep",
  description: "A step of a quote, as it was given; other keys are ignored.",
});

/** A returned quote. It is untrusted input: every part is checked and recomputed. */
const QuotedSwap = Schema.StructWithRest(
  Schema.Struct({
    ...quoteFields,
    routePlan: Schema.Array(SwapStep)
      .check(Schema.isMaxLength(SWAP_STEPS_MAX, { [issueAnnotation]: tooManySteps() }))
      .annotateKey({
        description: "In the order of execution; empty for native to wrapped and back.",
      }),
  }),
  [Anything],
)
  .check(
    Schema.makeFilter<QuotedTokens>(
      ({ tokenA, tokenB }) =>
        isSameAddress(tokenA, tokenB)
          ? { path: ["tokenB"], issue: "tokenA and tokenB must differ" }
          : undefined,
      { [issueAnnotation]: contradiction() },
    ),
    Schema.makeFilter<QuotedTokens>(
      ({ tokenA, isNativeIn }) =>
        agrees(isNativeIn, tokenA)
          ? undefined
          : { path: ["isNativeIn"], issue: "isNativeIn contradicts tokenA" },
      { [issueAnnotation]: contradiction() },
    ),
    Schema.makeFilter<QuotedTokens>(
      ({ tokenB, isNativeOut }) =>
        agrees(isNativeOut, tokenB)
          ? undefined
          : { path: ["isNativeOut"], issue: "isNativeOut contradicts tokenB" },
      { [issueAnnotation]: contradiction() },
    ),
  )
  .annotate({
    identifier: "QuotedSwap",
    description: "A quote, as it was given; other keys are ignored.",
  });

const PartnerFees = Schema.Struct({
  recipient: AddressJson.annotateKey({ description: "Who gets the fee." }),
  fee: integerBetween(
    0,
    PARTNER_FEE_BPS_MAX,
    "Basis points of what the swap gives: 100 = 1 %. In the output token, wrapped when that is native.",
  ),
}).annotate({ identifier: "PartnerFees", description: "A share of the output for a partner." });

const SignedPermit = Schema.Struct({
  signature: Schema.String.check(
    Schema.isPattern(/^0x[a-fA-F0-9]{130}$/u, {
      [issueAnnotation]: {
        origin: "string",
        code: "invalid_format",
        format: "regex",
        pattern: "/^0x[a-fA-F0-9]{130}$/",
        message: "Invalid signature: 65 bytes in hex",
      },
    }),
  ).annotateKey({ description: "65 bytes: r, s, v." }),
  amount: Amount.annotateKey({ description: "As signed; at least what the swap may take." }),
  deadline: Amount.annotateKey({ description: "As signed; epoch seconds." }),
  nonce: Amount.annotateKey({ description: "As signed." }),
  expiration: Schema.optionalKey(Amount).annotateKey({
    description: "As signed; epoch seconds. Permit2 only.",
  }),
}).annotate({
  identifier: "SignedPermit",
  description: "A signature of what `/:network/permit` gave, which saves an approval.",
});

/** A request for the transactions of a quote. */
export const SwapRequest = Schema.Struct({
  publicKey: AddressJson.annotateKey({ description: "Who signs and sends, and pays." }),
  quote: QuotedSwap,
  slippage: slippage().pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(SLIPPAGE_PERCENT_DEFAULT)),
  ),
  partnerFees: Schema.optionalKey(PartnerFees),
  recipient: Schema.optionalKey(AddressJson).annotateKey({
    description: "Who gets the output. Default `publicKey`.",
  }),
  deadline: Schema.optionalKey(
    integerBetween(
      0,
      Number.MAX_SAFE_INTEGER,
      "Epoch seconds after which the swap does nothing. Default 20 minutes ahead, at most 60.",
    ),
  ),
  permit: Schema.optionalKey(SignedPermit),
}).annotate({
  identifier: "SwapRequest",
  description: "Asks for the transactions that execute a quote.",
  examples: [
    {
      publicKey: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      quote: {
        tokenA: NATIVE_TOKEN,
        tokenB: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        amountIn: "1000000000000000000",
        amountOut: "2135184320",
        routePlan: [
          {
            tokenA: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
            tokenB: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
            poolAddress: "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc",
          },
        ],
      },
      slippage: 0.5,
      partnerFees: { recipient: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", fee: 30 },
    },
  ],
});

/** A request without ignored keys. */
export interface SwapRequest extends Omit<typeof SwapRequest.Type, "quote"> {
  readonly quote: Fields<typeof quoteFields> & {
    readonly routePlan: ReadonlyArray<Fields<typeof stepFields>>;
  };
}

type Fields<F extends Schema.Struct.Fields> = Schema.Struct.Type<F>;

/**
 * The request in a parsed JSON body, or everything that is wrong with it; takes tens of
 * microseconds.
 */
export function decodeSwapRequestStrictly(body: unknown): Result.Result<SwapRequest, Issue[]> {
  const decoded = decode(clipped(body), { errors: "all", onExcessProperty: "error" });
  return Result.mapError(decoded, ({ issue }) => issuesOf(issue));
}

const decode = Schema.decodeUnknownResult(SwapRequest);

/** Fields that are read of a quote and of a step, for both decoders. */
export const QUOTE_FIELDS = { ...quoteFields, routePlan: undefined };
export const STEP_FIELDS = stepFields;
export const PARTNER_FEE_FIELDS = PartnerFees.fields;
export const PERMIT_FIELDS = SignedPermit.fields;

const clipped = (body: unknown): unknown =>
  withFewKeys(body, SwapRequest.fields, (key, value) => {
    if (key === "partnerFees") return withFewKeys(value, PARTNER_FEE_FIELDS);
    if (key === "permit") return withFewKeys(value, PERMIT_FIELDS);
    if (key !== "quote") return value;
    return withoutOtherKeys(value, QUOTE_FIELDS, (field, part) => {
      const items = field === "routePlan" ? firstItems(part, SWAP_STEPS_MAX + 1) : part;
      return Array.isArray(items)
        ? items.map((step) => withoutOtherKeys(step, STEP_FIELDS))
        : items;
    });
  });

interface QuotedTokens {
  readonly tokenA: string;
  readonly tokenB: string;
  readonly isNativeIn?: boolean;
  readonly isNativeOut?: boolean;
}

/** Whether `isNative` is absent or right for the token. */
export const agrees = (isNative: unknown, token: string): boolean =>
  isNative === undefined || isNative === isNativeToken(token);

/** Whether a number is a percentage with at most four decimals in its shortest text. */
export const isSlippage = (value: unknown): value is number =>
  typeof value === "number" &&
  value >= 0 &&
  value <= SLIPPAGE_PERCENT_MAX &&
  hasFourDecimals(value);

/** Only the float nearest to a decimal number stands for it. */
const hasFourDecimals = (value: number): boolean =>
  Math.round(value * SLIPPAGE_PARTS) / SLIPPAGE_PARTS === value;

function slippage() {
  return Schema.Number.check(
    Schema.isGreaterThanOrEqualTo(0, { [issueAnnotation]: tooSmall(0) }).abort(),
    Schema.isLessThanOrEqualTo(SLIPPAGE_PERCENT_MAX, {
      [issueAnnotation]: tooBig(SLIPPAGE_PERCENT_MAX),
    }).abort(),
    // Accepts the same values; without it the reference would leave out the bounds.
    Schema.isFinite(),
    Schema.makeFilter((value: number) => hasFourDecimals(value), {
      [issueAnnotation]: {
        origin: "number",
        code: "invalid_format",
        message: "Invalid slippage: a percentage with at most four decimals",
      } satisfies IssueTemplate,
      toJsonSchema: () => ({}),
    }),
  ).annotate({
    description:
      "Percent that the output may fall short, at most four decimals: 0.5 = 0.5 %, the default.",
  });
}

function tooManySteps(): IssueTemplate {
  const message = `Too big: at most ${SWAP_STEPS_MAX} items`;
  return { origin: "array", code: "too_big", maximum: SWAP_STEPS_MAX, inclusive: true, message };
}

function contradiction(): IssueTemplate {
  return { code: "invalid_value", message: "" };
}
