import { AGAIN_MS } from "./service.ts";

/** What is said while it waits. */
export const RELOADS = "This part of the page did not load: the page is loaded again";

/**
 * Loads the page anew as soon as the service can be reached: a browser never loads a part again
 * that failed, and a newer service has parts of other names. Gives what calls it off.
 */
export function reloadPage(): () => void {
  let isOver = false;
  let again: ReturnType<typeof setTimeout> | undefined;
  const later = () => {
    if (!isOver) again = setTimeout(reload, AGAIN_MS);
  };
  const reload = () =>
    fetch(location.href).then(({ ok }) => (ok && !isOver ? location.reload() : later()), later);
  later();
  return () => {
    isOver = true;
    clearTimeout(again);
  };
}
