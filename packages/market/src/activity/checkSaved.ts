import { type ActivityLimits, decodeActivity } from "./savedActivity.ts";

interface CheckOptions extends Pick<ActivityLimits, "tradesMax" | "candleBytes"> {
  readonly chainId: number;
}

/**
 * Why market data of a chain would leave aside what was saved; undefined when it would not. For who
 * has to know before there is any. Takes as long as going on from it.
 */
export function checkSaved(
  bytes: Uint8Array,
  { chainId, ...limits }: CheckOptions,
): string | undefined {
  const decoded = decodeActivity(bytes, chainId, { ...limits, end: 0 });
  return typeof decoded === "string" ? decoded : undefined;
}
