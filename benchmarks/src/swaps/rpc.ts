import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";

/** The result of a JSON-RPC request. */
export const rpc = <A>(
  url: string,
  method: string,
  params: ReadonlyArray<unknown>,
): Effect.Effect<A, BenchmarkError> =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const { error, result } = (await response.json()) as {
        readonly error?: unknown;
        readonly result?: A;
      };
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result as A;
    },
    catch: (cause) => new BenchmarkError({ message: String(cause) }),
  });
