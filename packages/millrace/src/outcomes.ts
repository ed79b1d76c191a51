import type { RefusalLimit } from "@millrace/core";
import type { Answer } from "@millrace/server";
import { MillraceError } from "./MillraceError.ts";

/** What is no answer of the service; throws the problem that one is. */
export function accepted<A extends object>(outcome: A | Answer): A {
  if ("status" in outcome && "body" in outcome) throw serviceError(outcome);
  return outcome as A;
}

/** The problem that an answer of the service says, with what stood in the way where it is known. */
export function serviceError({ body }: Answer, explanation?: RefusalLimit): MillraceError {
  const { code, detail, issues = [] } = JSON.parse(body);
  const words = issues.map(
    ({ path, message }: { path: ReadonlyArray<unknown>; message: string }) =>
      `${path.join(".")}: ${message}`,
  );
  return new MillraceError(code, [detail, ...words].join("; "), { issues, explanation });
}
