import { Schema } from "effect";
import { issueAnnotation } from "./issue.ts";

/** 28 digits are less than 2^96, and far above any gas price so far. */
const PATTERN = /^(0|[1-9][0-9]{0,27})$/u;

/** True for the decimal text of an integer below 10^28, without sign or leading zeros. */
export const isGasPrice = (text: string): boolean => PATTERN.test(text);

/** The price of a unit of gas. */
export const GasPriceJson = Schema.String.check(
  Schema.isPattern(PATTERN, {
    [issueAnnotation]: {
      origin: "string",
      code: "invalid_format",
      format: "regex",
      pattern: "/^(0|[1-9][0-9]{0,27})$/",
      message: "Invalid gas price: a decimal string of an integer, in wei",
    },
  }),
).annotate({
  identifier: "GasPrice",
  description:
    "A decimal string of an integer of at most 28 digits: wei of the native token for a unit of gas.",
  examples: ["10000000000"],
});
