import { Api } from "@millrace/api";
import { Context, Effect } from "effect";
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http";
import { HttpApiClient } from "effect/http-api";

/** Every endpoint of the HTTP interface, by group and name, as Effects with typed failures. */
export type HttpEndpoints = HttpApiClient.ForApi<typeof Api>;

/** Derived from the definition of the interface; `headers` go with every request. */
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
  // The service sends nobody elsewhere; whoever does must not get the key.
  Context.add(FetchHttpClient.RequestInit, { redirect: "error" }),
  // As it is when it is called: the library keeps the one that it saw first.
  Context.add(FetchHttpClient.Fetch, (input, init) => globalThis.fetch(input, init)),
);
