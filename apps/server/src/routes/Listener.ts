import { Context } from "effect";

/** The listener that received a request. */
export const Listener = Context.Reference<"public" | "operations">("@millrace/server/Listener", {
  defaultValue: () => "public",
});
