import type { Exchange } from "./Exchange.ts";
import { endWithoutBody, headerBlock, securityLines, writeHeaderBlock } from "./headerBlock.ts";
import type { ServerState } from "./ServerState.ts";
import { statusLine } from "./statusLine.ts";

/** Whether a request is a CORS preflight. */
export const isPreflight = (exchange: Exchange): boolean =>
  exchange.method === "OPTIONS" &&
  exchange.origin !== "" &&
  exchange.headers["access-control-request-method"] !== undefined;

/** Answers 204; the headers tell the browser whether the request is allowed. */
export const answerPreflight = (exchange: Exchange, state: ServerState): void => {
  const method = exchange.headers["access-control-request-method"] ?? "";
  const { origin, path } = exchange;
  const lines = state.crossOrigin.preflightLines(origin, method, path);
  exchange.write((response) => {
    response.writeStatus(statusLine(204));
    writeHeaderBlock(response, exchange.requestId, headerBlock([...securityLines, ...lines]));
    endWithoutBody(response, undefined, exchange.isLast);
  });
  exchange.answered();
};
