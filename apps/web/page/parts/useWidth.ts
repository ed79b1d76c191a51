import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** The width of an element in pixels, as it changes; 0 before it is drawn. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const look = () => setWidth(current.clientWidth);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return width;
}
