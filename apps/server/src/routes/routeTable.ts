import { Api } from "@millrace/api";
import { HttpApi } from "effect/http-api";
import { isPercentEncoded, segmentsOf } from "../answers/pathSegments.ts";

/** A path of the interface, with the methods it takes. */
export interface RouteEntry {
  /** As `/tokens/:address`. */
  readonly pattern: string;
  readonly methods: ReadonlyArray<string>;
}

/** A client's path, and its route. */
export interface RoutedPath extends RouteEntry {
  /**
   * The path in its canonical form: fixed segments as in the pattern, parameters encoded where
   * needed, no slash at the end. Undefined where the path is not percent-encoded text.
   */
  readonly canonical: string | undefined;
}

/** All views of the page and its files. */
const PAGE = "/app/*";

/** All paths of the interface, those without parameters first. */
export const routeTable: ReadonlyArray<RouteEntry> = makeTable();

const patterns = routeTable.map((entry) => ({ entry, parts: entry.pattern.slice(1).split("/") }));

/** First segments of paths that belong to no network, in lower case. */
const FIRST_WORDS = new Set(
  patterns.map(({ parts }) => parts[0]!).filter((part) => !isParameter(part)),
);

/** Whether paths of the interface begin with the text, so that no network may have it as its id. */
export const isFirstWord = (text: string): boolean => FIRST_WORDS.has(text.toLowerCase());

/**
 * The route of a path: the first that matches; undefined when there is none. Fixed segments match
 * in any case. A path that begins with a fixed segment belongs to no network: below `/tokens` there
 * is only the market-data interface.
 */
export function routeOf(path: string): RoutedPath | undefined {
  const segments = segmentsOf(path);
  const found = patterns.find(({ parts }) => matches(parts, segments));
  if (found === undefined) return undefined;
  const isSound = isPercentEncoded(path);
  if (found.entry.pattern === PAGE)
    return { ...found.entry, canonical: isSound ? path : undefined };
  const canonical = isSound ? canonicalPath(found.parts, segments) : undefined;
  return { ...found.entry, canonical };
}

function matches(parts: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean {
  if (parts.at(-1) === "*") return segments.length > 1 && segments[0] === parts[0];
  if (parts.length !== segments.length) return false;
  if (isParameter(parts[0]!) && isFirstWord(segments[0]!)) return false;
  return parts.every((part, index) => {
    const segment = segments[index]!;
    if (isParameter(part)) return segment !== "";
    return part.toLowerCase() === segment.toLowerCase();
  });
}

const canonicalPath = (parts: ReadonlyArray<string>, segments: ReadonlyArray<string>): string =>
  parts
    .map((part, index) => (isParameter(part) ? encodeURIComponent(segments[index]!) : part))
    .reduce((path, part) => `${path}/${part}`, "");

function isParameter(part: string): boolean {
  return part.startsWith(":");
}

function makeTable(): RouteEntry[] {
  const methodsOf = new Map<string, string[]>([
    ["/openapi.json", ["GET", "HEAD"]],
    ["/asyncapi.json", ["GET", "HEAD"]],
    ["/", ["GET", "HEAD"]],
    ["/app", ["GET", "HEAD"]],
    [PAGE, ["GET", "HEAD"]],
    // Answered before any route lookup.
    ["/ws", ["GET"]],
  ]);
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const methods = endpoint.method === "GET" ? ["GET", "HEAD"] : [endpoint.method];
      methodsOf.set(endpoint.path, [...(methodsOf.get(endpoint.path) ?? []), ...methods]);
    },
  });
  const parameters = (pattern: string) => pattern.split("/:").length;
  return [...methodsOf]
    .sort(([a], [b]) => parameters(a) - parameters(b))
    .map(([pattern, methods]) => ({ pattern, methods }));
}
