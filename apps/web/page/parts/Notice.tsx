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
