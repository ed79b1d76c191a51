import { AGAIN_MS } from "./service.ts";

/** The text that is shown until then. */
export const RELOADS = "This part of the page did not load: the page is loaded again";

/**
 * Reloads the page as soon as the service can be reached: a browser never retries a module that
 * failed to load, and a newer service names its parts differently. Gives a function that cancels
 * the reload.
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
