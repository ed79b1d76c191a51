import { type Issue, issueAt, marketFailureText, PROBLEMS, type ProblemCode } from "@millrace/api";
import { type Answer, problemAnswer } from "./Answer.ts";
import { isMarketPath } from "./pathSegments.ts";

/**
 * A failure in the shape of the interface that the path belongs to; by default with the status of
 * its code.
 */
export function failureAt(
  path: string,
  code: ProblemCode,
  detail: string,
  status: number = PROBLEMS[code].status,
): Answer {
  const members = { status, ...(code === "INVALID_REQUEST" && { issues: [] }) };
  const problem = { ...problemAnswer(code, detail, members), status };
  if (!isMarketPath(path)) return problem;
  const issue = issueAt({ code: MARKET_CODES[code] ?? "internal", message: detail }, []);
  return {
    status: problem.status,
    contentType: "application/json",
    body: marketFailureText([issue]),
  };
}

const MARKET_CODES: Readonly<Partial<Record<ProblemCode, Issue["code"]>>> = {
  INVALID_REQUEST: "invalid_value",
  UNAUTHORIZED: "unauthorized",
  NOT_FOUND: "not_found",
  METHOD_NOT_ALLOWED: "method_not_allowed",
  PAYLOAD_TOO_LARGE: "too_big",
  RATE_LIMITED: "rate_limited",
  NOT_READY: "not_ready",
};
