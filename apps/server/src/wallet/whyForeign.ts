import { isIPv4, isIPv6 } from "node:net";

/** The headers that say which page sends a request; "" where one is absent. */
export interface PageHeaders {
  readonly host: string;
  readonly origin: string;
  /** `Sec-Fetch-Site`, which browsers send over https and to the machine itself. */
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
  // With both headers, the browser has compared schemes; a proxy may have removed https.
  const isOwn =
    site === ""
      ? origin === plain
      : site === "same-origin" &&
        (origin === "" || origin === plain || origin === plain.replace(/^http:/u, "https:"));
  return isOwn ? undefined : "A page of another origin sends this";
}

/**
 * Whether no stranger can make the host lead to this service. The owner of a name can make it lead
 * anywhere after their page was loaded from it (DNS rebinding): to the browser, the page then has
 * the same origin. An address cannot be moved like that, and no stranger resolves localhost.
 */
function isOwnHost(host: string, ownHost: string): boolean {
  const [, bracketed, plain = ""] = HOST.exec(host) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed);
  const name = plain.toLowerCase();
  return isIPv4(name) || name === "localhost" || (name !== "" && name === ownHost.toLowerCase());
}

/** A host, with a port or without. */
const HOST = /^(?:\[([\da-f:.]+)\]|([^\s:/@[\]]+))(?::\d{1,5})?$/iu;
