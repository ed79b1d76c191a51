import type { HttpResponse } from "uWebSockets.js";

/** Header names and values, in the order they are written. */
export type HeaderLines = ReadonlyArray<readonly [name: string, value: string]>;

/**
 * The lines as text that continues a header value: `\r\nname: value…`.
 *
 * The native library copies a header value into the answer unchanged, line ends included. So a
 * whole block of headers costs one native call. All header text is made here, and a name or value
 * that could end its line throws a `TypeError`.
 */
export const headerBlock = (lines: HeaderLines): string => {
  let block = "";
  for (const [name, value] of lines) {
    if (!nameToken.test(name)) throw new TypeError(`Invalid header name: ${JSON.stringify(name)}`);
    if (!valueText.test(value)) throw new TypeError(`Invalid value of the header ${name}`);
    block += `\r\n${name}: ${value}`;
  }
  return block;
};

/**
 * Writes `x-request-id` and a block of further headers in one native call, instead of one
 * `writeHeader` for each line. `requestId` must come from `requestIdentifier` and `block` from
 * `headerBlock`, which make them safe.
 */
export const writeHeaderBlock = (
  response: HttpResponse,
  requestId: string,
  block: string,
): void => {
  response.writeHeader("x-request-id", requestId + block);
};

/**
 * Ends an answer that has headers only. `bytesCount` is the length to declare, for HEAD; undefined
 * declares none, for 204 and 304.
 *
 * The native `endWithoutBody` is called without arguments on purpose (version 20.51.4): given a
 * length, it sends the headers and then waits forever for a body, and given `undefined`, it
 * declares a length of 2^63.
 */
export const endWithoutBody = (
  response: HttpResponse,
  bytesCount: number | undefined,
  closeConnection: boolean,
): void => {
  if (closeConnection) response.writeHeader("connection", "close");
  if (closeConnection && bytesCount) {
    // Only an answer that waits for its body can still be closed; this request already counts as
    // answered.
    response.onAborted(nothing);
    response.tryEnd("", bytesCount);
    setImmediate(() => response.close());
    return;
  }
  if (bytesCount !== undefined) response.writeHeader("content-length", String(bytesCount));
  response.endWithoutBody();
};

const nothing = (): void => {};

/** On every answer: browsers must not guess another content type. */
export const securityLines: HeaderLines = [["x-content-type-options", "nosniff"]];

const nameToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valueText = /^[\t\x20-\x7e\x80-\xff]*$/;
