import { useEffect, useState } from "preact/hooks";

/** The path of the page; all paths below it are views. */
const BASE = "/app";

/** The parts of an address such as `/app/ETH/tokens/0x…?sort=price`. */
export interface Place {
  /** Empty where the address names none. */
  readonly network: string;
  readonly view: string;
  /** A token's or a pool's. */
  readonly subject: string;
  readonly query: URLSearchParams;
}

/** The address of a view, for links and bookmarks. */
export function pathTo(
  network: string,
  view: string,
  subject = "",
  query: Readonly<Record<string, string>> = {},
): string {
  const parts = [network, view, subject].filter((part) => part !== "").map(encodeURIComponent);
  const search = new URLSearchParams(query).toString();
  return `${BASE}/${parts.join("/")}${search === "" ? "" : `?${search}`}`;
}

/**
 * Goes to an address of the page; with `replace` it takes the place of the current history entry.
 */
export function goTo(path: string, replace = false): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** The current address; a change of it renders anew. */
export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const look = () => setPlace(placeNow());
    addEventListener("popstate", look);
    document.addEventListener("click", followLink);
    return () => {
      removeEventListener("popstate", look);
      document.removeEventListener("click", followLink);
    };
  }, []);
  return place;
}

function placeNow(): Place {
  const { pathname, search } = location;
  const below = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname;
  const [network = "", view = "", subject = ""] = below.split("/").slice(1).map(decoded);
  return { network, view, subject, query: new URLSearchParams(search) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/** Follows links within the page without loading it; the browser handles all other links. */
function followLink(event: MouseEvent): void {
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
  const link = (event.target as Element).closest("a");
  if (!isPlain || link === null || link.target !== "" || event.defaultPrevented) return;
  if (link.origin !== location.origin || !link.pathname.startsWith(BASE)) return;
  event.preventDefault();
  goTo(link.pathname + link.search);
  scrollTo(0, 0);
}
