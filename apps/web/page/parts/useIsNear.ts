import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** The distance from the visible area within which an element is near. */
const MARGIN = "300px";

/** Whether an element is on the screen, or nearly. */
export function useIsNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new IntersectionObserver(
      (entries) => setIsNear(entries.at(-1)!.isIntersecting),
      { rootMargin: MARGIN },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return isNear;
}
