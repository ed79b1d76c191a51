import { STATUS_CODES } from "node:http";

/** Why this package itself refuses a request. */
export type RefusalCode = "PAYLOAD_TOO_LARGE" | "INVALID_REQUEST" | "INTERNAL" | "NOT_READY";

/** The refused request, as far as it is known. */
export interface ProblemRequest {
  /** Upper case. */
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
}

/** The body of a refusal. */
export interface Problem {
  readonly contentType: string;
  readonly body: string;
}

/** Makes the body of a refusal, in the style of the other errors under its path. */
export type ProblemHook = (
  status: number,
  code: RefusalCode,
  detail: string,
  request: ProblemRequest,
) => Problem;

/** RFC 9457 problem details: `type`, `title`, `status`, `detail`, `code`. */
export const problemDetails: ProblemHook = (status, code, detail) => ({
  contentType: "application/problem+json",
  body: JSON.stringify({
    type: "about:blank",
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail,
    code,
  }),
});
