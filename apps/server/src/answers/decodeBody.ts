import { type Issue, unrecognizedKeys } from "@millrace/api";
import { Result } from "effect";
import { type Answer, problemAnswer } from "./Answer.ts";
import { isOverfull, parseJson } from "./parseJson.ts";

/**
 * The request in a body, or a problem. `decode` is quick. Where it refuses a body,
 * `decodeStrictly`, which accepts the same bodies, says what is wrong.
 */
export function decodeBody<A extends object>(
  body: string,
  decode: (json: unknown) => A | undefined,
  decodeStrictly: (json: unknown) => Result.Result<A, Issue[]>,
): A | Answer {
  const json = parseJson(body);
  if (json === undefined) return malformed(body);
  const request = decode(json);
  if (request !== undefined) return request;
  const strictly = decodeStrictly(json);
  const issues = Result.isFailure(strictly) ? strictly.failure : [];
  return problemAnswer("INVALID_REQUEST", "The request is malformed", { issues });
}

/** All options of a POST are in the body; an option in the URL is refused, not ignored. */
export function unexpectedQuery(query: string): Answer {
  const issues = unrecognizedKeys([...new URLSearchParams(query).keys()]);
  return problemAnswer("INVALID_REQUEST", "This takes no query parameters", { issues });
}

function malformed(body: string): Answer {
  const message = isOverfull(body) ? "The body holds too many values" : "The body is not JSON";
  const issue = { code: "invalid_format", format: "json", path: [], message } as const;
  return problemAnswer("INVALID_REQUEST", message, { issues: [issue] });
}
