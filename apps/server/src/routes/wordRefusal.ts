import type { ProblemHook } from "@millrace/platform-uws";
import { failureAt } from "../answers/failureAt.ts";

/** The text of requests that the platform itself refuses. */
export const wordRefusal: ProblemHook = (status, code, detail, { path }) => {
  const { contentType, body } = failureAt(path, code, detail, status);
  return { contentType, body };
};
