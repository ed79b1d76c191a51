import { Effect } from "effect";
import { commandRefused } from "../CommandError.ts";
import { figure } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import type { MarketFlags } from "../service/MarketFlags.ts";
import { ServiceAccess } from "../service/ServiceAccess.ts";

/** Shows the health of a service and its networks. Refused where a network is not ready. */
export const examine = Effect.fnUntraced(function* (flags: MarketFlags) {
  const access = yield* ServiceAccess.open(flags);
  const { output } = access;
  const readiness = yield* access.ask((http) => http.operations.ready());
  if (output.isJson) output.json(readiness);
  else {
    output.table(
      [
        { title: "network", cell: ({ id }) => plainText(id) },
        { title: "ready", cell: ({ ready }) => (ready ? "yes" : "no") },
        { title: "block", cell: ({ blockNumber }) => plainText(blockNumber ?? "-"), isRight: true },
        {
          title: "head's age",
          cell: ({ headAgeMs }) => (headAgeMs === null ? "-" : `${figure(headAgeMs / 1_000)} s`),
          ...{ isRight: true, isOptional: true },
        },
        { title: "reason", cell: ({ reason }) => plainText(reason ?? ""), isOptional: true },
      ],
      readiness.networks,
    );
  }
  if (!readiness.ready) return yield* commandRefused("the service is not ready");
});
