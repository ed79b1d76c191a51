import type { ProblemHook } from "@millrace/platform-uws";
import { failureAt } from "../answers/failureAt.ts";

/** How the platform words what it refuses by itself. */
export const wordRefusal: ProblemHook = (status, code, detail, { path }) => {
  const { contentType, body } = failureAt(path, code, detail, status);
  return { contentType, body };
};
