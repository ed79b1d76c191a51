import { Schema } from "effect";

const taxBps = (description: string) =>
  Schema.optionalKey(Schema.Number).annotateKey({ description });

/** The result of a small test purchase and sale of a token on a node. */
export const TokenSafety = Schema.Struct({
  verdict: Schema.Literals(["plain", "taxed", "unsellable", "unknown"]).annotateKey({
    description:
      "`plain`: transfers move what is asked. `taxed`: less arrives. `unsellable`: it can be " +
      "bought, and not sold. `unknown`: it could not be tried.",
  }),
  buyTaxBps: taxBps("What does not arrive of a purchase, in basis points: 10000 is all of it."),
  sellTaxBps: taxBps("Of a sale likewise; absent where none was tried."),
  block: Schema.String.annotateKey({ description: "A block that it was tried on." }),
}).annotate({
  identifier: "TokenSafety",
  description:
    "What a trial of the token told: of a small trade of a stranger, then. A tax that begins with " +
    "some size, hour or address shows in no trial.",
});

/** A token of a route with a fault in its transfers. */
export const TokenWarning = Schema.Struct({
  code: Schema.Literals(["TOKEN_TAXED", "TOKEN_UNSELLABLE", "TOKEN_UNBUYABLE"]),
  token: Schema.String,
  detail: Schema.String,
}).annotate({ identifier: "TokenWarning" });

export const safetyField = Schema.optionalKey(TokenSafety).annotateKey({
  description: "Absent where no node has tried it yet, and of tokens known to be plain.",
});
