import { Api } from "@millrace/api";
import { HttpApi } from "effect/http-api";

/** A path of the interface, with the methods it takes. */
export interface RouteEntry {
  /** As `/tokens/:address`. */
  readonly pattern: string;
  readonly methods: ReadonlyArray<string>;
  readonly matches: (path: string) => boolean;
}

/** All paths of the interface, those without parameters first. */
export const routeTable: ReadonlyArray<RouteEntry> = makeTable();

/** The route that a path is of; undefined when there is none. */
export const routeOf = (path: string): RouteEntry | undefined =>
  routeTable.find(({ matches }) => matches(path));

function makeTable(): RouteEntry[] {
  const methodsOf = new Map<string, string[]>([
    ["/openapi.json", ["GET", "HEAD"]],
    ["/asyncapi.json", ["GET", "HEAD"]],
    // Answered before any route is looked for.
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
    .map(([pattern, methods]) => {
      const expression = new RegExp(`^${pattern.replace(/:\w+/g, "[^/]+")}/?$`);
      return { pattern, methods, matches: (path) => expression.test(path) };
    });
}
