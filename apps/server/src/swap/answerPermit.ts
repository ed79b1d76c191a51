import type { PermitAnswer, SwapRequest } from "@millrace/api";
import { type PermitRequest, permitFor } from "@millrace/execution";
import { Effect } from "effect";
import { type Answer, jsonAnswer } from "../answers/Answer.ts";
import { notReady } from "../quote/refusals.ts";
import { refused } from "./refusals.ts";
import type { SwapBuilder } from "./SwapBuilder.ts";

/** A node is waited for so long at most. */
const PATIENCE_MS = 2_000;

/** What the sender of a swap request can sign in the place of an approval, if anything. */
export const answerPermit: (desk: SwapBuilder, request: SwapRequest) => Effect.Effect<Answer> =
  Effect.fnUntraced(function* (desk, request) {
    const { network, routers, chain } = desk;
    // One that is sent is of an earlier answer: this one is to be as if there were none.
    const { permit: _, ...order } = desk.orderOf(request);
    const built = desk.build(order);
    if (built.refused) return refused(network, routers, built);
    const { intent, router } = built;
    // Nonces and domains are only on the chain.
    if (chain === undefined) return permitAnswer({ spender: router.address, kind: "NONE" });
    return yield* permitFor(intent, router, { table: routers.table, chain }).pipe(
      Effect.timeout(PATIENCE_MS),
      Effect.match({
        onSuccess: permitAnswer,
        onFailure: () => notReady(network, "no endpoint answers"),
      }),
    );
  });

const permitAnswer = (permit: PermitRequest): Answer =>
  jsonAnswer(JSON.stringify(permit satisfies PermitAnswer));
