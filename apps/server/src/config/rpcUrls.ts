import { isUrl } from "./MarketSourceConfig.ts";

/** An endpoint as the configuration writes it. */
interface Endpoint {
  readonly url: string;
  readonly webSocketUrl?: string;
}

const VARIABLE = /^MILLRACE_([A-Z][A-Z0-9_]*)_RPC_URLS$/;

/** Variables that give RPC URLs, by the id of their network; empty ones are not set. */
export function rpcVariables(
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [variable, text] of Object.entries(environment)) {
    const id = VARIABLE.exec(variable)?.[1];
    if (id !== undefined && text !== undefined && text !== "") found.set(id, text);
  }
  return found;
}

export const rpcVariable = (networkId: string): string => `MILLRACE_${networkId}_RPC_URLS`;

/**
 * The endpoints of a list of URLs, separated by commas. A ws(s) URL joins the first http(s) URL of
 * its host that has none yet; one without such a host joins the first http(s) URL that has none.
 * Problems do not show the URLs: they may hold keys.
 */
export function endpointsOf(
  variable: string,
  text: string,
  problems: string[],
): ReadonlyArray<Endpoint> {
  const urls = text
    .split(",")
    .map((url) => url.trim())
    .filter((url) => url !== "");
  urls.forEach((url, index) => {
    if (isUrl(url, "http") || isUrl(url, "ws")) return;
    problems.push(
      `${variable}: entry ${index + 1} is not an http(s) or ws(s) URL, or has a user or password in it`,
    );
  });
  const endpoints: Endpoint[] = urls.filter((url) => isUrl(url, "http")).map((url) => ({ url }));
  const sockets = urls.filter((url) => isUrl(url, "ws"));
  const paired = sockets.filter((socket) => {
    const own = endpoints.findIndex(
      ({ url, webSocketUrl }) => webSocketUrl === undefined && hostOf(url) === hostOf(socket),
    );
    if (own >= 0) endpoints[own] = { ...endpoints[own]!, webSocketUrl: socket };
    return own >= 0;
  });
  for (const socket of sockets.filter((url) => !paired.includes(url))) {
    const free = endpoints.findIndex(({ webSocketUrl }) => webSocketUrl === undefined);
    if (free >= 0) endpoints[free] = { ...endpoints[free]!, webSocketUrl: socket };
    else if (endpoints.length > 0) problems.push(`${variable}: more ws(s) URLs than http(s) URLs`);
  }
  if (endpoints.length === 0 && urls.every((url) => isUrl(url, "ws"))) {
    problems.push(`${variable}: needs an http(s) URL`);
  }
  return endpoints;
}

const hostOf = (url: string): string => new URL(url).hostname;
