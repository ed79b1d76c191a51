import type { HttpResponse } from "uWebSockets.js";

/**
 * Collects a request's body and calls exactly one of the two functions, once. Calls neither if the
 * client leaves before the body is complete.
 *
 * The bytes given to `onBody` are valid only during the call, as the native library takes them
 * back: decode or copy them. A body that came in one piece is passed on without a copy.
 */
export const readBody = (
  response: HttpResponse,
  bytesMax: number,
  onBody: (bytes: Buffer) => void,
  onTooLarge: () => void,
): void => {
  let gathered: Buffer | undefined;
  let bytesCount = 0;
  let settled = false;
  response.onData((chunk, isLast) => {
    // Data keeps arriving after an early answer.
    if (settled) return;
    const chunkBytes = chunk.byteLength;
    if (bytesCount + chunkBytes > bytesMax) {
      settled = true;
      gathered = undefined;
      onTooLarge();
      return;
    }
    if (isLast) {
      settled = true;
      if (bytesCount === 0) return onBody(Buffer.from(chunk));
    }
    if (chunkBytes !== 0) {
      gathered = withRoom(gathered, bytesCount, bytesCount + chunkBytes, bytesMax);
      gathered.set(new Uint8Array(chunk), bytesCount);
      bytesCount += chunkBytes;
    }
    if (isLast) onBody((gathered ?? empty).subarray(0, bytesCount));
  });
};

/**
 * Doubling keeps a body sent byte by byte linear, and reserves nothing for a declared length that
 * may never come.
 */
const withRoom = (
  current: Buffer | undefined,
  usedBytes: number,
  neededBytes: number,
  bytesMax: number,
): Buffer => {
  if (current !== undefined && current.length >= neededBytes) return current;
  const grown = Buffer.allocUnsafe(Math.min(bytesMax, Math.max(1_024, neededBytes * 2)));
  if (current !== undefined) current.copy(grown, 0, 0, usedBytes);
  return grown;
};

const empty = Buffer.alloc(0);
