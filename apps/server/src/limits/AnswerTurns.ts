import { holding } from "@millrace/core";
import { AnswerQueue } from "@millrace/platform-uws";
import { Context, Layer } from "effect";
import type { ServerConfig } from "../config/ServerConfig.ts";

/** The queue in which requests wait for their turn on the event loop. */
export class AnswerTurns extends Context.Service<AnswerTurns, AnswerQueue>()(
  "@millrace/server/AnswerTurns",
) {
  static readonly layer = ({ limits }: ServerConfig): Layer.Layer<AnswerTurns> =>
    Layer.sync(
      AnswerTurns,
      () =>
        new AnswerQueue(limits.shedding ? limits.waitMs : Number.POSITIVE_INFINITY, {
          nowMs: () => performance.now(),
          afterInput: (run) => void setImmediate(holding, "answers", run),
          after: (ms, run) => void setTimeout(run, ms),
        }),
    );
}
