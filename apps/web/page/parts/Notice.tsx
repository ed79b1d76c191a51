import type { ComponentChildren } from "preact";

/** A notice in the place of data: why there is none, or that it is loading. */
export function Notice({
  kind = "note",
  children,
}: {
  readonly kind?: "note" | "none" | "warning" | "failure";
  readonly children: ComponentChildren;
}) {
  return (
    <p class={`notice ${kind}`} role={kind === "failure" ? "alert" : "status"}>
      {children}
    </p>
  );
}

/** Stands for data that has not arrived: it is loading, or it failed. */
export function Waiting({ failure }: { readonly failure: string | undefined }) {
  return failure === undefined ? (
    <Notice>Loading…</Notice>
  ) : (
    <Notice kind="failure">{failure}</Notice>
  );
}
