import type { ComponentChildren } from "preact";

/** Something that stands in the place of data: why there is none, or that it is on its way. */
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

/** In the place of what is not there yet: that it is on its way, or why it does not come. */
export function Waiting({ failure }: { readonly failure: string | undefined }) {
  return failure === undefined ? (
    <Notice>Loading…</Notice>
  ) : (
    <Notice kind="failure">{failure}</Notice>
  );
}
