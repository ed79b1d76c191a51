import { Effect, Schedule } from "effect";
import type { Endpoint, Endpoints } from "./Endpoints.ts";
import type { RpcError } from "./RpcError.ts";

const RETRIES = 3;
const RETRY_MS = 200;
/**
 * Asking again would not help: the node has answered, or the request or its answer is too large.
 */
const FINAL: ReadonlySet<RpcError["reason"]> = new Set(["Refused", "TooLarge"]);

/**
 * All endpoints as one, for reads that name their block by hash, so that any endpoint may answer.
 * Each request goes to whichever is healthy, and is retried, so that one failure in thousands does
 * not undo the others.
 */
export function anyEndpoint(endpoints: Endpoints): Endpoint {
  return {
    name: "any endpoint",
    request: (method, params, priority) =>
      endpoints
        .withEndpoint((endpoint) => endpoint.request(method, params, priority))
        .pipe(
          Effect.retry({
            times: RETRIES,
            schedule: Schedule.spaced(RETRY_MS),
            while: ({ reason }) => !FINAL.has(reason),
          }),
        ),
  };
}
