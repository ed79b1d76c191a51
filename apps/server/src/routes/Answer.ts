import { type Issue, PROBLEM_TYPE, PROBLEMS, type ProblemCode, problemText } from "@millrace/api";

/** A whole answer, for direct routes and for Effect's alike. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A success whose JSON text is written already. */
export const jsonAnswer = (body: string): Answer => ({
  status: 200,
  contentType: "application/json",
  body,
});

/** A problem (RFC 9457). */
export const problemAnswer = (
  code: ProblemCode,
  detail: string,
  issues?: ReadonlyArray<Issue>,
): Answer => ({
  status: PROBLEMS[code].status,
  contentType: PROBLEM_TYPE,
  body: problemText(code, detail, issues),
});
