import { SchemaIssue } from "effect";

/** A line for each thing that is wrong, with its place in the file or its variable. */
export function describeIssue(
  issue: SchemaIssue.Issue,
  names: ReadonlyMap<string, string> = new Map(),
): string[] {
  return formatted(issue).issues.map(({ message, path = [] }) => {
    const keys = path.map((step) => (typeof step === "object" ? step.key : step));
    const [first] = keys;
    const place = names.get(String(first)) ?? keys.map(step).join("").replace(/^\./, "");
    const words = message
      .replaceAll("\n", " ")
      .replace("Expected no excess property", "no such setting");
    return `${place}: ${words}`;
  });
}

const formatted = SchemaIssue.makeFormatterStandardSchemaV1();

const step = (key: PropertyKey): string =>
  typeof key === "number" || /^\d+$/.test(String(key)) ? `[${String(key)}]` : `.${String(key)}`;
