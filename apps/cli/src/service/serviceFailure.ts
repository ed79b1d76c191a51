import type { Issue } from "@millrace/api";
import { CommandError, commandRefused, unreachable } from "../CommandError.ts";
import { plainText } from "../output/plainText.ts";

/**
 * The failure of a call to the service, for people. A refusal has the service's own code. A service
 * that gives no answer, or not one of millrace, counts as unreachable.
 */
export function serviceFailure(url: string, failure: unknown): CommandError {
  if (failure instanceof CommandError) return failure;
  const fields = Object(failure) as Fields;
  if (typeof fields.code === "string" && typeof fields.detail === "string") {
    const issues = (fields.issues ?? []).map(issueText);
    const text = plainText(`${fields.code}: ${fields.detail}`);
    return commandRefused([text, ...issues].join("\n  "));
  }
  if (Array.isArray(fields.error)) return commandRefused(fields.error.map(issueText).join("\n  "));
  // A refused subscription's message begins with its code.
  if (fields._tag === "StreamRefused") return commandRefused(plainText(String(fields.message)));
  if (fields._tag === "TimeoutError") return unreachable(`${url} does not answer in time`);
  if (fields.reason?._tag === "TransportError")
    return unreachable(`${url} cannot be reached: is a service running there?`);
  return unreachable(`${url} does not answer as a millrace service does`);
}

interface Fields {
  readonly _tag?: string;
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly message?: unknown;
  readonly issues?: ReadonlyArray<Issue>;
  readonly error?: ReadonlyArray<Issue>;
  readonly reason?: { readonly _tag?: string };
}

const issueText = ({ path, message }: Issue): string =>
  plainText(path.length === 0 ? message : `${path.join(".")}: ${message}`);
