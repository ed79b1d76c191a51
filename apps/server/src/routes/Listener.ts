import { Context } from "effect";

/** Where a request came in. */
export const Listener = Context.Reference<"public" | "operations">("@millrace/server/Listener", {
  defaultValue: () => "public",
});
