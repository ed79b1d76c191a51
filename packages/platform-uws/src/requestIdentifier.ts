import { randomBytes } from "node:crypto";

/**
 * The identifier of a request: the client's own if it is safe to echo, otherwise a new one, unique
 * to this process and unlikely anywhere else.
 */
export const requestIdentifier = (claimed: string): string =>
  claimed !== "" && harmless.test(claimed) ? claimed : `${prefix}-${(issuedCount++).toString(36)}`;

/** No character here can end a header line; uWebSockets.js writes header values unchanged. */
const harmless = /^[\w.-]{1,64}$/;

const prefix = randomBytes(6).toString("hex");
let issuedCount = 0;
