import type { RefusalLimit } from "@millrace/core";
import type { Answer } from "@millrace/server";
import { MillraceError } from "./MillraceError.ts";

/** An outcome other than an answer of the service; throws the problem of an answer. */
export function accepted<A extends object>(outcome: A | Answer): A {
  if ("status" in outcome && "body" in outcome) throw serviceError(outcome);
  return outcome as A;
}

/**
 * The problem in an answer of the service, with the limit that stood in the way where it is known.
 */
export function serviceError({ body }: Answer, explanation?: RefusalLimit): MillraceError {
  const { code, detail, issues = [] } = JSON.parse(body);
  const words = issues.map(
    ({ path, message }: { path: ReadonlyArray<unknown>; message: string }) =>
      `${path.join(".")}: ${message}`,
  );
  return new MillraceError(code, [detail, ...words].join("; "), { issues, explanation });
}
