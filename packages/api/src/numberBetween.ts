import { Schema } from "effect";
import { issueAnnotation, tooBig, tooSmall } from "./issue.ts";

/** A JSON integer; the check tells whether it is no integer, too small or too big. */
export function integerBetween(minimum: number, maximum: number, description: string) {
  return Schema.Number.check(
    Schema.isInt({
      [issueAnnotation]: {
        code: "invalid_type",
        expected: "int",
        message: "Invalid input: expected an integer",
      },
    }).abort(),
    Schema.isGreaterThanOrEqualTo(minimum, { [issueAnnotation]: tooSmall(minimum) }),
    Schema.isLessThanOrEqualTo(maximum, { [issueAnnotation]: tooBig(maximum) }),
  ).annotate({ description });
}

/** A JSON number, whole or not. */
export const numberBetween = (minimum: number, maximum: number, description: string) =>
  Schema.Number.check(
    Schema.isGreaterThanOrEqualTo(minimum, { [issueAnnotation]: tooSmall(minimum) }),
    Schema.isLessThanOrEqualTo(maximum, { [issueAnnotation]: tooBig(maximum) }),
  ).annotate({ description });
