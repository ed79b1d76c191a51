import type { SwapRequest, SwapTransactions } from "@millrace/api";
import { holding } from "@millrace/core";
import {
  approvalsFor,
  type BuiltSwap,
  type Simulation,
  type SwapCall,
  simulateSwap,
} from "@millrace/execution";
import { Effect } from "effect";
import { type Answer, jsonAnswer } from "../answers/Answer.ts";
import { CurrentSpan, spanned } from "../traces/Traces.ts";
import { tokenRefuses, unsoundPermit, wouldRevert } from "./refusals.ts";
import type { SwapBuilder } from "./SwapBuilder.ts";
import { type Attempt, refusedAttempt, withSureRouters } from "./withSureRouters.ts";

/** The longest wait for nodes: for the approvals, and again for the simulation. */
const PATIENCE_MS = 2_000;

/**
 * The transactions of a swap request, simulated by a node where there is one: a swap that would
 * revert is refused. Dies of bugs.
 */
export const answerSwap = (builder: SwapBuilder, request: SwapRequest): Effect.Effect<Answer> =>
  withSureRouters(builder, attempt(builder, request));

const attempt = Effect.fnUntraced(function* (
  builder: SwapBuilder,
  request: SwapRequest,
): Effect.fn.Return<Attempt> {
  const { network } = builder;
  const order = builder.orderOf(request);
  const span = yield* CurrentSpan;
  const build = () => holding("swap", () => builder.build(order));
  const built = span === undefined ? build() : span.run(build);
  if (built.refused) return refusedAttempt(builder, built);
  const hasPermit = order.permit !== undefined;
  const { simulation, approvals } = yield* tryOut(builder, built, hasPermit);
  if (simulation.kind !== "failed") {
    const isSimulated = simulation.kind === "done";
    const transactions = transactionsOf(request, built, approvals, isSimulated);
    return { answer: jsonAnswer(JSON.stringify(transactions)), doubtsRouters: false };
  }
  const { detail, isSilent: doubtsRouters } = simulation;
  if (hasPermit && (yield* goesThroughWithout(builder, built))) {
    return { answer: unsoundPermit(detail), doubtsRouters: false };
  }
  const refusal = builder.tokenRefusal(built.intent);
  const answer =
    refusal === undefined ? wouldRevert(network, detail) : tokenRefuses(detail, refusal);
  return { answer, doubtsRouters };
});

interface Tried {
  readonly approvals: ReadonlyArray<SwapCall>;
  readonly simulation: Simulation;
}

const tryOut = Effect.fnUntraced(function* (
  builder: SwapBuilder,
  { intent, router, swap }: BuiltSwap,
  hasPermit: boolean,
): Effect.fn.Return<Tried> {
  const { chain } = builder;
  const approvalsBy = (access: typeof chain) =>
    approvalsFor(intent, router, hasPermit, builder.approvalTerms(access));
  const unasked = Effect.orDie(approvalsBy(undefined));
  const untested = (detail: string) =>
    Effect.map(unasked, (approvals): Tried => {
      return { approvals, simulation: { kind: "untested", detail } };
    });
  if (chain === undefined) return yield* untested("there is no node to ask");
  const needed = yield* spanned("approvals", approvalsBy(chain)).pipe(
    Effect.timeout(PATIENCE_MS),
    Effect.orElseSucceed(() => undefined),
  );
  if (needed === undefined) return yield* untested("no node answers");
  const simulation = yield* spanned("simulate", simulateSwap(intent, needed, swap, chain)).pipe(
    Effect.timeoutOrElse({
      duration: PATIENCE_MS,
      orElse: () => Effect.succeed<Simulation>({ kind: "untested", detail: "no answer in time" }),
    }),
  );
  return { approvals: needed, simulation };
});

/**
 * Whether a swap that failed with a permit succeeds with approvals instead. With the same limits:
 * those of a newer block would differ, and tell nothing of the permit.
 */
const goesThroughWithout = Effect.fnUntraced(function* (
  builder: SwapBuilder,
  { intent, router }: BuiltSwap,
) {
  const { simulation } = yield* tryOut(
    builder,
    { intent, router, swap: router.encode(intent) },
    false,
  );
  return simulation.kind === "done";
});

function transactionsOf(
  { publicKey: from }: SwapRequest,
  { intent, swap }: BuiltSwap,
  approvals: ReadonlyArray<SwapCall>,
  simulated: boolean,
): SwapTransactions {
  return {
    transactions: [...approvals, swap].map(({ to, data, value }) => ({
      from,
      to,
      data,
      value: value.toString(),
    })),
    simulated,
    ...(intent.kind === "exactIn"
      ? { minAmountOut: intent.amountOutMin.toString() }
      : { maxAmountIn: intent.amountInMax.toString() }),
    feeAmount: intent.feeAmount.toString(),
  };
}
