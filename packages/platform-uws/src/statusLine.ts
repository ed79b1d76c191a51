import { STATUS_CODES } from "node:http";

/** `404` gives `404 Not Found`, the form that uWebSockets.js takes. Throws outside 200…599. */
export const statusLine = (status: number): string => {
  const line = lines[status];
  if (line === undefined) throw new RangeError(`Not the status of a final answer: ${status}`);
  return line;
};

/** Status lines by status. Made once, so that an answer allocates nothing for them. */
const lines: ReadonlyArray<string | undefined> = Array.from({ length: 600 }, (_, status) =>
  status < 200 ? undefined : `${status} ${STATUS_CODES[status] ?? "Unassigned"}`,
);
