import { Schema, type SchemaIssue } from "effect";

/** What is wrong with one parameter. Its other keys depend on the code. */
export const Issue = Schema.Struct({
  origin: Schema.optionalKey(Schema.String),
  code: Schema.Literals([
    "invalid_format",
    "invalid_type",
    "invalid_value",
    "too_small",
    "too_big",
    "unrecognized_key",
    "not_found",
    "method_not_allowed",
    "unauthorized",
    "rate_limited",
    "not_ready",
    "internal",
  ]),
  expected: Schema.optionalKey(Schema.String),
  format: Schema.optionalKey(Schema.String),
  pattern: Schema.optionalKey(Schema.String),
  minimum: Schema.optionalKey(Schema.Number),
  maximum: Schema.optionalKey(Schema.Number),
  inclusive: Schema.optionalKey(Schema.Boolean),
  values: Schema.optionalKey(Schema.Array(Schema.String)),
  path: Schema.Array(Schema.Union([Schema.String, Schema.Number])),
  message: Schema.String,
}).annotate({ identifier: "Issue", description: "What is wrong with one parameter." });

export type Issue = typeof Issue.Type;

/** An issue as a schema defines it, without its path. */
export type IssueTemplate = Omit<Issue, "path">;

/**
 * The annotation that gives the issue of a failed check or type:
 * `Schema.isPattern(…, { [issueAnnotation]: template })`.
 */
export const issueAnnotation = "millraceIssue";

/** An issue at a path, with the keys in the contract's order. */
export function issueAt(template: IssueTemplate, path: ReadonlyArray<string | number>): Issue {
  const { message, ...rest } = template;
  return { ...rest, path: path.map(clipped), message };
}

/** The issues of a failed decoding, at most `ISSUES_MAX`, in the order found. */
export function issuesOf(issue: SchemaIssue.Issue): Issue[] {
  const found: Issue[] = [];
  collect(issue, [], undefined, found);
  return found.slice(0, ISSUES_MAX);
}

/** One issue for each unknown key, for the first few of them. */
export const unrecognizedKeys = (keys: ReadonlyArray<string>): Issue[] =>
  keys
    .slice(0, ISSUES_MAX)
    .map((key) => issueAt({ code: "unrecognized_key", message: unrecognizedKey(key) }, [key]));

/** The default message for an unknown key. */
const unrecognizedKey = (key: string): string => `Unrecognized key: "${clip(key)}"`;

/** The issue of a number below its minimum. */
export const tooSmall = (minimum: number): IssueTemplate => ({
  origin: "number",
  code: "too_small",
  minimum,
  inclusive: true,
  message: `Too small: at least ${minimum}`,
});

/** The issue of a number above its maximum. */
export const tooBig = (maximum: number): IssueTemplate => ({
  origin: "number",
  code: "too_big",
  maximum,
  inclusive: true,
  message: `Too big: at most ${maximum}`,
});

/** More issues help nobody. */
export const ISSUES_MAX = 64;

/** The most characters of a client's own text that an answer repeats. */
const ECHO_LENGTH_MAX = 64;

const clip = (text: string): string =>
  text.length > ECHO_LENGTH_MAX ? `${text.slice(0, ECHO_LENGTH_MAX)}…` : text;

const clipped = (step: string | number): string | number =>
  typeof step === "string" ? clip(step) : step;

function collect(
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<string | number>,
  outer: IssueTemplate | undefined,
  found: Issue[],
): void {
  switch (issue._tag) {
    case "Pointer": {
      const further = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
      collect(issue.issue, [...path, ...further], outer, found);
      return;
    }
    case "Composite":
      for (const part of issue.issues) collect(part, path, outer, found);
      return;
    case "Encoding":
      collect(issue.issue, path, outer, found);
      return;
    case "Filter":
      collect(issue.issue, path, templateOf(issue.filter.annotations) ?? outer, found);
      return;
    case "UnexpectedKey": {
      const message = unrecognizedKey(String(path.at(-1) ?? ""));
      found.push(issueAt({ code: "unrecognized_key", message }, path));
      return;
    }
    case "MissingKey":
      found.push(issueAt({ code: "invalid_type", message: "Required" }, path));
      return;
    case "InvalidType": {
      const template = templateOf(issue.ast.annotations) ?? outer ?? wrongType(issue.ast._tag);
      found.push(issueAt(template, path));
      return;
    }
    case "AnyOf": {
      found.push(issueAt(templateOf(issue.ast.annotations) ?? outer ?? wrongValue, path));
      return;
    }
    case "InvalidValue": {
      const message = issue.annotations?.message;
      const template = outer ?? wrongValue;
      found.push(issueAt(message === undefined ? template : { ...template, message }, path));
      return;
    }
    case "OneOf":
    case "Forbidden":
      found.push(issueAt(outer ?? wrongValue, path));
  }
}

const wrongValue: IssueTemplate = { code: "invalid_value", message: "Invalid value" };

function wrongType(tag: string): IssueTemplate {
  const expected = TYPE_NAMES[tag];
  if (expected === undefined) return wrongValue;
  return { code: "invalid_type", expected, message: `Invalid input: expected ${expected}` };
}

/** JSON's names for the types of schemas. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  String: "string",
  Number: "number",
  Boolean: "boolean",
  Arrays: "array",
  Objects: "object",
};

function templateOf(annotations: Schema.Annotations.Annotations | undefined) {
  return annotations?.[issueAnnotation] as IssueTemplate | undefined;
}
