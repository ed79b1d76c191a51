import { HttpServerResponse } from "effect/http";
import type { Answer } from "./Answer.ts";

/** Sends an answer that is written already. */
export const respond = ({ status, contentType, body, headers = [] }: Answer) =>
  HttpServerResponse.text(body, { status, contentType, headers: Object.fromEntries(headers) });

/** Sends an answer that a direct route gives as well, with the headers of that route. */
export const respondDirect = ({ headers = [], ...answer }: Answer) =>
  respond({ ...answer, headers: [...Object.entries(NO_STORE), ...headers] });

/**
 * Sends an encoded value. The schema's encoder does not run, since it takes milliseconds for a long
 * list: the type says that the value is encoded, and tests decode every answer.
 */
export const respondJson = <S extends { readonly Encoded: unknown }>(
  _schema: S,
  value: S["Encoded"],
) => HttpServerResponse.text(JSON.stringify(value), JSON_OPTIONS);

/** As `respondJson`, for what changes with every block: caches must not keep it. */
export const respondFresh = <S extends { readonly Encoded: unknown }>(
  _schema: S,
  value: S["Encoded"],
) => HttpServerResponse.text(JSON.stringify(value), FRESH_OPTIONS);

export const NO_STORE = { "cache-control": "no-store" } as const;

const JSON_OPTIONS = { contentType: "application/json" } as const;
const FRESH_OPTIONS = { contentType: "application/json", headers: NO_STORE } as const;
