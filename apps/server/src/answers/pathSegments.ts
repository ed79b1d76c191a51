/**
 * The percent-decoded segments of a client's path; a segment that cannot be decoded stays as it is.
 * One slash at the end is ignored: `/tokens/` has the one segment `tokens`.
 */
export function segmentsOf(path: string): string[] {
  const segments = path.slice(1).split("/");
  if (segments.length > 1 && segments.at(-1) === "") segments.pop();
  return path.includes("%") ? segments.map((segment) => decoded(segment) ?? segment) : segments;
}

/** Whether every percent sign of a path begins an escape, and the escapes are UTF-8. */
export const isPercentEncoded = (path: string): boolean =>
  !path.includes("%") || decoded(path) !== undefined;

/** Whether a path belongs to the market-data interface, whose failures have their own shape. */
export function isMarketPath(path: string): boolean {
  const first = segmentsOf(path)[0]!.toLowerCase();
  return first === "tokens" || first === "pools" || first === "trades";
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
