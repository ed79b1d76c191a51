import { changeText } from "../format.ts";

/** How a price has changed, coloured by its direction; a dash while that is unknown. */
export function Change({ fraction }: { readonly fraction: number | undefined }) {
  const kind = fraction === undefined || fraction === 0 ? "" : fraction > 0 ? "up" : "down";
  return <span class={kind}>{changeText(fraction)}</span>;
}
