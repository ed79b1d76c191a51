import { Api } from "@millrace/api";
import { Context, Effect } from "effect";
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http";
import { HttpApiClient } from "effect/http-api";

/** Every endpoint of the HTTP interface, by group and name, as Effects with typed failures. */
export type HttpEndpoints = HttpApiClient.ForApi<typeof Api>;

/** A client derived from the interface's definition; `headers` go with every request. */
export const httpClient = (
  baseUrl: URL,
  headers: Readonly<Record<string, string>>,
): HttpEndpoints =>
  HttpApiClient.make(Api, {
    baseUrl,
    transformClient: (client) =>
      client.pipe(
        HttpClient.mapRequest(HttpClientRequest.setHeaders(headers)),
        HttpClient.transform((request) => Effect.provideContext(request, FETCHING)),
      ),
  }).pipe(Effect.provide(FetchHttpClient.layer), Effect.runSync);

const FETCHING = Context.empty().pipe(
  // The service never redirects. Whoever does must not get the key.
  Context.add(FetchHttpClient.RequestInit, { redirect: "error" }),
  // Looks `fetch` up at each call; the library would keep the first one.
  Context.add(FetchHttpClient.Fetch, (input, init) => globalThis.fetch(input, init)),
);
