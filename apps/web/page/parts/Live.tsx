import { useEffect, useRef } from "preact/hooks";

/**
 * A number that changes: for a moment its color shows the direction. Assistive technology reads the
 * text.
 */
export function Live({ value, text }: { readonly value: number; readonly text: string }) {
  const element = useRef<HTMLSpanElement>(null);
  const before = useRef(value);
  useEffect(() => {
    const moved = Math.sign(value - before.current);
    before.current = value;
    if (moved === 0 || element.current === null) return;
    const { style } = element.current;
    style.animation = "none";
    // This read restarts the animation.
    void element.current.offsetWidth;
    style.animation = moved > 0 ? "rise 1s" : "fall 1s";
  }, [value]);
  return <span ref={element}>{text}</span>;
}
