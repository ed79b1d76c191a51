import { Schema } from "effect";
import { issueAnnotation } from "./issue.ts";

/** 2^256 − 1: the largest number that a contract takes. */
const AMOUNT_MAX = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

/**
 * True for the decimal text of an integer from 0 to 2^256 − 1, without sign, leading zeros or
 * exponent. Only such text may reach `BigInt`, which would also parse megabytes of digits.
 */
export const isAmount = (text: string): boolean =>
  text.length <= AMOUNT_MAX.length && PATTERN.test(text) && isBelowMaximum(text);

/** An amount in a token's smallest unit. */
export const Amount = Schema.String.check(
  Schema.isPattern(/^(0|[1-9][0-9]{0,77})$/u, {
    [issueAnnotation]: {
      origin: "string",
      code: "invalid_format",
      format: "regex",
      pattern: "/^(0|[1-9][0-9]{0,77})$/",
      message: "Invalid amount: a decimal string of an integer, in the token's smallest unit",
    },
  }).abort(),
  Schema.makeFilter((text: string) => isBelowMaximum(text), {
    [issueAnnotation]: {
      origin: "string",
      code: "too_big",
      message: "Too big: an amount must be less than 2^256",
    },
    toJsonSchema: () => ({}),
  }),
).annotate({
  identifier: "Amount",
  description: "A decimal string of an integer below 2^256, in the token's smallest unit.",
  examples: ["1000000000000000000"],
});

const PATTERN = /^(0|[1-9][0-9]{0,77})$/;

// Texts of equal length without leading zeros compare as the numbers do.
const isBelowMaximum = (text: string): boolean =>
  text.length < AMOUNT_MAX.length || (text.length === AMOUNT_MAX.length && text <= AMOUNT_MAX);
