import { type ActivityLimits, decodeActivity } from "./savedActivity.ts";

interface CheckOptions extends Pick<ActivityLimits, "tradesMax" | "candleBytes"> {
  readonly chainId: number;
}

/**
 * Why market data of a chain would ignore saved bytes; undefined when it would use them. For
 * callers that must know before there is market data. Takes as long as restoring them.
 */
export function checkSaved(
  bytes: Uint8Array,
  { chainId, ...limits }: CheckOptions,
): string | undefined {
  const decoded = decodeActivity(bytes, chainId, { ...limits, end: 0 });
  return typeof decoded === "string" ? decoded : undefined;
}
