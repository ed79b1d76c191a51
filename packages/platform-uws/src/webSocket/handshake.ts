import { inspected } from "../headerInspection.ts";
import type { Refusal } from "../refusal.ts";

/** The fault of an upgrade request (RFC 6455, section 4.2.1), if any. */
export function handshakeFault(headers: Readonly<Record<string, string>>): Refusal | undefined {
  if (!holdsToken(headers["upgrade"], "websocket")) return faults.upgrade;
  if (!holdsToken(headers["connection"], "upgrade")) return faults.connection;
  if (headers["sec-websocket-version"] !== WEBSOCKET_VERSION) return faults.version;
  if (!KEY.test(headers["sec-websocket-key"] ?? "")) return faults.key;
  // A body would be taken for frames.
  if (Number(inspected.contentLength) !== 0) return faults.body;
  return undefined;
}

/** The only version there is. */
export const WEBSOCKET_VERSION = "13";

const refusal = (status: number, detail: string): Refusal => ({
  status,
  code: "INVALID_REQUEST",
  detail,
});

const faults = {
  upgrade: refusal(426, "This path is for WebSockets: `Upgrade: websocket` is needed"),
  connection: refusal(400, "A WebSocket needs `Connection: Upgrade`"),
  version: refusal(426, `Sec-WebSocket-Version must be ${WEBSOCKET_VERSION}`),
  key: refusal(400, "Sec-WebSocket-Key must be 16 bytes in base64"),
  body: refusal(400, "A request to upgrade has no body"),
};

/** Whether a comma-separated header contains the token, in any case. */
const holdsToken = (header: string | undefined, token: string): boolean =>
  (header ?? "").split(",").some((part) => part.trim().toLowerCase() === token);

/**
 * The last of 22 digits carries two bits. A repeated header is joined by a comma, which no key
 * contains.
 */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;
