import { unrecognizedKeys } from "@millrace/api";
import { type Answer, problemAnswer } from "./Answer.ts";

/** All options of a POST are in the body; one in the address must not pass silently. */
export function unexpectedQuery(query: string): Answer {
  const issues = unrecognizedKeys([...new URLSearchParams(query).keys()]);
  return problemAnswer("INVALID_REQUEST", "This takes no query parameters", { issues });
}
