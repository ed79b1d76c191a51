import type { Endpoint } from "./Endpoints.ts";

/** The endpoint for what can wait: none of its requests stands in the way of the others' rate. */
export function aside({ name, request }: Endpoint): Endpoint {
  return { name, request: (method, params) => request(method, params, "aside") };
}
