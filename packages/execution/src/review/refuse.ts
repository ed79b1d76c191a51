import type { SwapRefusal } from "../SwapRefusal.ts";

/** What is refused, for a reason that is not in the form of the request. */
export function refuse(
  code: Exclude<SwapRefusal["code"], "INVALID_REQUEST">,
  detail: string,
): SwapRefusal {
  return { refused: true, code, detail };
}

/** A request that no market could make good, and where in it. */
export function invalid(path: ReadonlyArray<string | number>, detail: string): SwapRefusal {
  return { refused: true, code: "INVALID_REQUEST", detail, path };
}
