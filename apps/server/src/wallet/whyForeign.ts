import { isIPv4, isIPv6 } from "node:net";

/** What of a request's headers says which page sends it; "" where one is absent. */
export interface PageHeaders {
  readonly host: string;
  readonly origin: string;
  /** Of `Sec-Fetch-Site`, which browsers send over https, and to the machine itself. */
  readonly site: string;
}

/**
 * Why a request is not known to come from a page of the service's own; undefined when it is. A page
 * cannot choose these headers: browsers write them. `ownHost` is what the service listens on.
 */
export function whyForeign(
  { host, origin, site }: PageHeaders,
  ownHost: string,
): string | undefined {
  if (!isOwnHost(host, ownHost)) {
    return "The host of the address is neither an IP address nor localhost nor the configured one";
  }
  if (site === "" && origin === "") return "No header says which page sends this";
  const plain = `http://${host.toLowerCase()}`;
  // A browser that sends both has compared schemes: a proxy may have taken the https off.
  const isOwn =
    site === ""
      ? origin === plain
      : site === "same-origin" &&
        (origin === "" || origin === plain || origin === plain.replace(/^http:/u, "https:"));
  return isOwn ? undefined : "A page of another origin sends this";
}

/**
 * Whether no stranger can have the host lead to this service. Whoever owns a name can have it lead
 * anywhere, after their page has come from there (DNS rebinding): the page is of the same origin
 * then, to the browser. An address cannot be moved so, and localhost is asked of no stranger.
 */
function isOwnHost(host: string, ownHost: string): boolean {
  const [, bracketed, plain = ""] = HOST.exec(host) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed);
  const name = plain.toLowerCase();
  return isIPv4(name) || name === "localhost" || (name !== "" && name === ownHost.toLowerCase());
}

/** A host with its port, if it says one. */
const HOST = /^(?:\[([\da-f:.]+)\]|([^\s:/@[\]]+))(?::\d{1,5})?$/iu;
