import { Effect, Result, Stream } from "effect";
import type { Endpoint, Endpoints } from "../../src/rpc/Endpoints.ts";
import { RpcError } from "../../src/rpc/RpcError.ts";

/** Answers a request, or refuses it. */
export type Script = (
  method: string,
  params: ReadonlyArray<unknown>,
) => Effect.Effect<unknown, RpcError>;

/** Endpoints that answer by script, asked in their order, each at most once. */
export function scriptedEndpoints(...scripts: ReadonlyArray<Script>): Endpoints {
  const all = scripts.map(
    (request, index): Endpoint => ({ name: `endpoint ${index + 1}`, request }),
  );
  return {
    all,
    heads: Stream.empty,
    status: () => [],
    withEndpoint: Effect.fnUntraced(function* (use) {
      let last: RpcError | undefined;
      for (const endpoint of all) {
        const answer = yield* Effect.result(use(endpoint));
        if (Result.isSuccess(answer)) return answer.success;
        last = answer.failure;
      }
      return yield* last!;
    }),
  };
}

export function rpcError(
  reason: RpcError["reason"],
  detail: string = reason,
  code?: number,
): RpcError {
  const fields = { endpoint: "endpoint", method: "method", reason, detail };
  return new RpcError(code === undefined ? fields : { ...fields, code });
}
