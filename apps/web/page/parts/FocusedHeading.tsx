import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** The heading of what takes the place of a control that was used: keys go on from there. */
export function FocusedHeading({
  id,
  children,
}: {
  readonly id: string;
  readonly children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h2 id={id} ref={heading} tabIndex={-1}>
      {children}
    </h2>
  );
}
