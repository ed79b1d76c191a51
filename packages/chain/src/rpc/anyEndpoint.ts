import { Effect, Schedule } from "effect";
import type { Endpoint, Endpoints } from "./Endpoints.ts";
import type { RpcError } from "./RpcError.ts";

const RETRIES = 3;
const RETRY_MS = 200;
/** Asking again would not help: the node has answered, or the question is too long. */
const FINAL: ReadonlySet<RpcError["reason"]> = new Set(["Refused", "TooLarge"]);

/**
 * All endpoints as one, for reads that name their block by its hash and so may be answered by any:
 * each request goes to whichever is well, and is tried again, so that one of thousands that fails
 * does not undo the others.
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
