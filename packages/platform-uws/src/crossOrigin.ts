import type { HeaderLines } from "./headerBlock.ts";

/** Who may read answers from another origin. Credentials are never allowed. */
export interface CrossOriginOptions {
  /** `"*"` for every page, or the exact origins, such as `https://app.example`. */
  readonly allowedOrigins: "*" | ReadonlyArray<string>;
  /**
   * Which requests pages may make. Default: GET and HEAD everywhere, POST to `/{NETWORK}/quote`,
   * `/{NETWORK}/swap` and `/{NETWORK}/permit`.
   */
  readonly allows?: (method: string, path: string) => boolean;
  /** Request headers that a page may send. Default: see `requestHeaders`. */
  readonly allowedHeaders?: ReadonlyArray<string>;
  /** Seconds a browser may remember a preflight. Default 86,400. */
  readonly maxAgeSeconds?: number;
}

/** The policy, prepared for use on each request. */
export interface CrossOrigin {
  /**
   * The header lines of an answer. Equal answers get the same array, so callers may compare by
   * identity. `path` is called only when the request names an origin.
   */
  readonly lines: (origin: string, method: string, path: () => string) => HeaderLines;
  /**
   * Whether a page of the origin may open a WebSocket; browsers apply no policy of their own there.
   * Requests without an origin, and pages of this very host, may.
   */
  readonly admits: (origin: string, host: string) => boolean;
  /** The header lines of a preflight's answer; when refused, none of them allows anything. */
  readonly preflightLines: (origin: string, method: string, path: string) => HeaderLines;
}

/** Makes the policy; `false` allows no origin. */
export const makeCrossOrigin = (options: CrossOriginOptions | false): CrossOrigin => {
  if (options === false) return closed;
  const { allowedOrigins, allows = opensByDefault } = options;
  // With a list, the answer depends on the origin, and caches must know that even when it is
  // refused.
  const refused: HeaderLines = allowedOrigins === "*" ? [] : [["vary", "Origin"]];
  const grants = new Map(
    (allowedOrigins === "*" ? ["*"] : allowedOrigins).map((origin) => [
      origin,
      [["access-control-allow-origin", origin], exposedHeaders, ...refused] satisfies HeaderLines,
    ]),
  );
  const preflightGrant: HeaderLines = [
    ["access-control-allow-methods", "GET, HEAD, POST"],
    ["access-control-allow-headers", (options.allowedHeaders ?? requestHeaders).join(", ")],
    ["access-control-max-age", String(options.maxAgeSeconds ?? 86_400)],
  ];
  const lines: CrossOrigin["lines"] = (origin, method, path) => {
    if (origin === "") return refused;
    const grant = grants.get(allowedOrigins === "*" ? "*" : origin);
    return grant !== undefined && allows(method, path()) ? grant : refused;
  };
  return {
    lines,
    admits: (origin, host) =>
      allowedOrigins === "*" || allowedOrigins.includes(origin) || isSameHost(origin, host),
    preflightLines: (origin, method, path) => {
      const granted = lines(origin, method, () => path);
      return granted === refused ? refused : [...granted, ...preflightGrant];
    },
  };
};

/** The default of `CrossOriginOptions.allows`. */
export const opensByDefault = (method: string, path: string): boolean =>
  method === "GET" || method === "HEAD" || (method === "POST" && swapPath.test(path));

const swapPath = /^\/[A-Z0-9_-]{1,32}\/(?:quote|swap|permit)$/;

const requestHeaders = ["content-type", "x-request-id", "authorization", "x-api-key"];

const exposedHeaders = [
  "access-control-expose-headers",
  "x-request-id, retry-after, ratelimit, ratelimit-policy",
] as const;

const isSameHost = (origin: string, host: string): boolean =>
  origin === "" || origin.replace(/^https?:\/\//u, "") === host.toLowerCase();

const noLines: HeaderLines = [];
const closed: CrossOrigin = {
  lines: () => noLines,
  admits: (origin, host) => isSameHost(origin, host),
  preflightLines: () => noLines,
};
