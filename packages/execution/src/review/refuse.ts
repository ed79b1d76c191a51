import type { SwapRefusal } from "../SwapRefusal.ts";

/** A refusal for a reason other than the form of the request. */
export function refuse(
  code: Exclude<SwapRefusal["code"], "INVALID_REQUEST">,
  detail: string,
): SwapRefusal {
  return { refused: true, code, detail };
}

/** A refusal of a request that no market could fill, and the place in the request. */
export function invalid(path: ReadonlyArray<string | number>, detail: string): SwapRefusal {
  return { refused: true, code: "INVALID_REQUEST", detail, path };
}
