import { Effect } from "effect";
import type { HttpServerRequest } from "effect/http";
import { respondText } from "../answers/respondText.ts";
import type { ListText } from "../caches/ListTexts.ts";
import { AnswerCost } from "../limits/AnswerCost.ts";
import type { Limits } from "../limits/Limits.ts";
import type { Opened } from "./marketOf.ts";

/** Sends lists of markets; each is made at most once while it stays the same. */
export const listResponder = ({ clientOf }: Limits["Service"]) =>
  Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    { market }: Opened,
    list: ListText,
  ) {
    const { text, isKept } = yield* market.listTexts.get(list, clientOf(request).name);
    const cost = yield* AnswerCost;
    cost.madeBytes = isKept ? 0 : text.bytes.length;
    return yield* respondText(request, text, "application/json");
  });
