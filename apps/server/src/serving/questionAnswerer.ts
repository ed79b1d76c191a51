import type { AnswerQueue, RequestCopy, ResponseCopy } from "@millrace/platform-uws";
import { Cause, type Context, Effect } from "effect";
import { problemAnswer } from "../answers/Answer.ts";
import { failureAt } from "../answers/failureAt.ts";
import { isHealth } from "../limits/costOfRoute.ts";
import type { Networks } from "../networks/Networks.ts";
import { answerRequest } from "../quote/answerQuote.ts";
import { TurnQueue } from "../quote/TurnQueue.ts";
import { routeOf } from "../routes/routeTable.ts";
import type { TokenHandler } from "../routes/TokenHandler.ts";
import type { Answerer } from "./AskedQuestions.ts";
import type { Answers, ThreadQuestion } from "./messages.ts";

export type AnswerCopy = (copy: RequestCopy) => Effect.Effect<ResponseCopy>;

/** What answering the questions of threads needs. */
interface AnswererParts {
  readonly networks: Pick<Networks["Service"], "byId">;
  readonly tokens: Pick<TokenHandler["Service"], "read">;
  /** The queue where questions wait with this thread's other work, and are shed with it. */
  readonly answerTurns: AnswerQueue;
  /** A question was refused. */
  readonly shed: () => void;
  readonly services: Context.Context<never>;
  /** Answers through the served routes; undefined before anything is served. */
  readonly answerCopy: (copy: RequestCopy) => Effect.Effect<ResponseCopy> | undefined;
}

/** Answers what serving threads do not answer themselves; never throws. */
export function questionAnswerer(parts: AnswererParts): Answerer {
  const { answerTurns, shed, services } = parts;
  const runFork = Effect.runForkWith(services);
  const answerOf = makeAnswer(parts);
  return (question, done) => {
    let drop = nothing;
    const start = (): void => {
      const fiber = runFork(answerOf(question));
      drop = () => fiber.interruptUnsafe();
      fiber.addObserver((exit) => {
        if (exit._tag === "Success") return done(exit.value);
        if (!Cause.hasInterruptsOnly(exit.cause)) {
          runFork(Effect.logError("a request failed", exit.cause));
        }
        done(FAILED[question.kind]);
      });
    };
    if (question.kind === "request" && isExempt(question.request.path)) {
      start();
      return () => drop();
    }
    const place = answerTurns.add(
      {
        compute: start,
        write: nothing,
        refuse: () => {
          shed();
          done(overloaded(question));
        },
      },
      { name: question.client, isEarly: false },
    );
    return () => {
      answerTurns.leave(place);
      drop();
    };
  };
}

function makeAnswer({ networks, tokens, answerCopy }: AnswererParts) {
  const turns = new TurnQueue();
  return (question: ThreadQuestion): Effect.Effect<Answers[keyof Answers]> => {
    switch (question.kind) {
      case "request":
        return answerCopy(question.request) ?? Effect.succeed(STARTING);
      case "token":
        return Effect.sync(() => tokens.read(question.address, question.query));
      case "quote":
        return Effect.suspend(() => {
          const { network, request, client } = question;
          const asked = networks.byId(network)!;
          const answer = answerRequest(asked, turns, request, Date.now(), () => client);
          return Effect.isEffect(answer) ? answer : Effect.succeed(answer);
        });
    }
  };
}

const WENT_WRONG = "Something went wrong on our side";

/** The answer until the service is up; the thread adds the text. */
const STARTING: Answers["request"] = bare(503);

/** The answers to questions that failed. */
const FAILED: Answers = {
  request: bare(500),
  token: failureAt("/tokens", "INTERNAL", WENT_WRONG),
  quote: problemAnswer("INTERNAL", WENT_WRONG),
};

function bare(status: number): Answers["request"] {
  return { status, headers: {}, contentType: undefined, body: undefined };
}

/** As the platform words it. */
function overloaded(question: ThreadQuestion): Answers[keyof Answers] {
  const path =
    question.kind === "request" ? question.request.path : PATHS_OF_QUESTIONS[question.kind];
  const refusal = failureAt(path, "NOT_READY", "The server has too much to do");
  if (question.kind !== "request") return { ...refusal, headers: [RETRY_AFTER] };
  return { ...refusal, headers: Object.fromEntries([RETRY_AFTER]) };
}

const PATHS_OF_QUESTIONS = { token: "/tokens", quote: "/" } as const;
/** In seconds. */
const RETRY_AFTER = ["retry-after", "1"] as const;

const isExempt = (path: string): boolean => isHealth(routeOf(path)?.pattern ?? "");

const nothing = (): void => {};
