import type { HttpResponse } from "uWebSockets.js";
import type { Exchange } from "./Exchange.ts";
import {
  endWithoutBody,
  type HeaderLines,
  headerBlock,
  securityLines,
  writeHeaderBlock,
} from "./headerBlock.ts";
import { refusals, wordProblem, writeProblem } from "./refusal.ts";
import type { ServerState } from "./ServerState.ts";
import { statusLine } from "./statusLine.ts";

/** Refuses a request of a direct route; the response must be alive and corked. */
export type Shed = (
  response: HttpResponse,
  requestId: string,
  crossOriginLines: HeaderLines,
  closes: boolean,
) => void;

/**
 * Makes the function that refuses requests of a route under overload with 503. The connection stays
 * open, since a new one would cost more than the request. The body is made once: refusing must cost
 * next to nothing.
 */
export const makeShed = (
  state: ServerState,
  method: "GET" | "HEAD" | "POST",
  path: string,
): Shed => {
  const problem = wordProblem(state, refusals.overloaded, { method, path });
  const bodyBytes = Buffer.byteLength(problem.body);
  const fixedLines: HeaderLines = [
    ...securityLines,
    ["content-type", problem.contentType],
    RETRY_AFTER,
  ];
  let lastCrossOriginLines: HeaderLines = [];
  let lastBlock = headerBlock(fixedLines);

  return (response, requestId, crossOriginLines, closes) => {
    if (crossOriginLines !== lastCrossOriginLines) {
      lastBlock = headerBlock([...fixedLines, ...crossOriginLines]);
      lastCrossOriginLines = crossOriginLines;
    }
    const { lifecycle, onShed } = state;
    const isLast = closes || lifecycle.refusing;
    response.writeStatus(statusLine(refusals.overloaded.status));
    writeHeaderBlock(response, requestId, lastBlock);
    if (method === "HEAD") endWithoutBody(response, bodyBytes, isLast);
    else response.end(problem.body, isLast);
    lifecycle.requestEnded();
    onShed();
  };
};

/** Refuses a request that no direct route takes, in the same way. */
export const shedExchange = (exchange: Exchange, state: ServerState): void => {
  const { method, path, requestId } = exchange;
  const crossOriginLines = [...exchange.crossOriginLines, RETRY_AFTER];
  const refused = { method, path, requestId, crossOriginLines };
  exchange.write((response) =>
    writeProblem(response, state, refusals.overloaded, refused, exchange.isLast),
  );
  exchange.answered();
  state.onShed();
};

/** In seconds: an overload does not pass sooner. */
const RETRY_AFTER = ["retry-after", "1"] as const;
