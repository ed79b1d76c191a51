import { Effect } from "effect";
import type { HttpServerRequest } from "effect/http";
import { respondText } from "../answers/respondText.ts";
import type { SentText } from "../answers/SentText.ts";
import { AnswerCost } from "../limits/AnswerCost.ts";

/** Sends a text that was made at the start. */
export const respondKept = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  text: SentText,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const cost = yield* AnswerCost;
  cost.madeBytes = 0;
  return yield* respondText(request, text, contentType, headers);
});
