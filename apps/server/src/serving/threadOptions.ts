import type { AnswerQueue, DirectRoute, ServerOptions } from "@millrace/platform-uws";
import { Effect } from "effect";
import type { Answer } from "../answers/Answer.ts";
import { NO_STORE } from "../answers/responses.ts";
import { isHealth } from "../limits/costOfRoute.ts";
import { COSTS } from "../limits/costs.ts";
import type { ClientIdentity, Limits } from "../limits/Limits.ts";
import { type ServingCounts, sumOfCounts } from "../metrics/ServingCounts.ts";
import { makeQuoteHandler } from "../quote/makeQuoteHandler.ts";
import { chargedToken } from "../routes/chargedToken.ts";
import { isOpenToPages } from "../routes/isOpenToPages.ts";
import { routeOf } from "../routes/routeTable.ts";
import { wordRefusal } from "../routes/wordRefusal.ts";
import { makeAdmission } from "../streaming/makeAdmission.ts";
import type { MainThread } from "./MainThread.ts";
import type { ThreadData } from "./messages.ts";
import type { ThreadNetwork } from "./ThreadNetwork.ts";
import type { ThreadSockets } from "./ThreadSockets.ts";

interface ThreadParts {
  readonly main: MainThread;
  readonly networks: ReadonlyMap<string, ThreadNetwork>;
  readonly limits: Limits["Service"];
  readonly counts: ServingCounts;
  /** The counts of all threads, including this one. */
  readonly all: ReadonlyArray<ServingCounts>;
  readonly answers: AnswerQueue;
  readonly sockets: ThreadSockets;
}

/** How a thread serves: quotes by itself, all else by asking the writing thread. */
export function threadOptions(data: ThreadData, parts: ThreadParts): ServerOptions {
  const { networks, limits, counts, all, answers, sockets } = parts;
  const ids = new Set(data.networkIds);
  const quotes = makeQuoteHandler({
    byId: (id) => networks.get(id),
    limits,
    // The writing thread keeps the spans of what it is asked.
    traces: { request: () => undefined },
    metrics: {
      quoteAnswered: (status, durationMs) => {
        counts.quoteAnswers[status]!++;
        counts.quotes.observe(durationMs);
      },
      heavyQuoteAnswered: (status, durationMs) => {
        counts.quoteAnswers[status]!++;
        counts.heavyQuotes.observe(durationMs);
      },
    },
  });
  const quoteRoute: DirectRoute = {
    method: "POST",
    path: "/:network/quote",
    // Networks are unknown here before the first message of the writing thread.
    accepts: ([id]) => ids.has(id!) && networks.has(id!),
    headers: Object.entries(NO_STORE),
    handle: ({ parameters, body, query, client }) =>
      quotes.handle(parameters[0] ?? "", body, query, client as ClientIdentity),
  };
  const others = all.filter((each) => each !== counts);
  return {
    host: data.host,
    port: data.port,
    sharesPort: true,
    directRoutes: [quoteRoute, tokenRoute(parts)],
    webSocketRoutes: [
      {
        path: "/ws",
        messageBytesMax: data.streams.messageBytesMax,
        bufferedBytesMax: data.streams.bufferedBytesMax,
        admit: makeAdmission(limits, data.streams, sockets.openOf),
        open: sockets.open,
      },
    ],
    identify: limits.identify,
    answers,
    isExempt: (path) => isHealth(routeOf(path)?.pattern ?? ""),
    onShed: () => counts.add("shed", 1),
    connections: {
      peerOf: limits.peerOf,
      sharers: all.length,
      ofOthers: () => sumOfCounts(others, "open"),
      onCount: (open) => counts.set("open", open),
      onRefused: () => counts.add("refused", 1),
    },
    cors: { allowedOrigins: data.corsOrigins, allows: isOpenToPages },
    problem: wordRefusal,
    gracePeriodMs: data.gracePeriodMs,
    ...(data.nativeLibrary !== undefined && { nativeLibrary: data.nativeLibrary }),
  };
}

/** Answers as `TokenHandler` does. */
const tokenRoute = ({ main, limits, counts }: ThreadParts): DirectRoute => ({
  method: "GET",
  path: "/tokens/:address",
  accepts: ([address]) => !address!.includes("%"),
  headers: Object.entries(NO_STORE),
  handle: ({ parameters: [address = ""], query, client: asker }) => {
    const client = asker as ClientIdentity;
    const charge = limits.charge(client, COSTS.token);
    const finished = (given: Answer): Answer => {
      counts.tokenAnswers[given.status]!++;
      return charge.headers.length === 0 ? given : { ...given, headers: charge.headers };
    };
    const refused = chargedToken(charge);
    if (refused !== undefined) return finished(refused);
    const { name } = client;
    return Effect.map(main.ask({ kind: "token", address, query, client: name }), finished);
  },
});
