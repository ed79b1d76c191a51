import type { PermitAnswer, SwapRequest } from "@millrace/api";
import { type PermitRequest, permitFor } from "@millrace/execution";
import { Effect } from "effect";
import { type Answer, jsonAnswer } from "../answers/Answer.ts";
import { notReady } from "../quote/refusals.ts";
import type { SwapBuilder } from "./SwapBuilder.ts";
import { type Attempt, refusedAttempt, withSureRouters } from "./withSureRouters.ts";

/** The longest wait for a node. */
const PATIENCE_MS = 2_000;

/** What the sender of a swap request can sign instead of an approval, if anything. */
export const answerPermit = (builder: SwapBuilder, request: SwapRequest): Effect.Effect<Answer> =>
  withSureRouters(builder, attempt(builder, request));

const attempt = Effect.fnUntraced(function* (
  builder: SwapBuilder,
  request: SwapRequest,
): Effect.fn.Return<Attempt> {
  const { network, routers, chain } = builder;
  // Ignores a permit in the request: it comes from an earlier answer.
  const { permit: _, ...order } = builder.orderOf(request);
  const built = builder.build(order);
  if (built.refused) return refusedAttempt(builder, built);
  const { intent, router } = built;
  // Nonces and domains are only on the chain.
  if (chain === undefined) return permitAnswer({ spender: router.address, kind: "NONE" });
  return yield* permitFor(intent, router, { table: routers.table, chain }).pipe(
    Effect.timeout(PATIENCE_MS),
    Effect.match({
      onSuccess: permitAnswer,
      onFailure: () => sure(notReady(network, "no endpoint answers")),
    }),
  );
});

const permitAnswer = (permit: PermitRequest): Attempt =>
  sure(jsonAnswer(JSON.stringify(permit satisfies PermitAnswer)));

const sure = (answer: Answer): Attempt => ({ answer, doubtsRouters: false });
