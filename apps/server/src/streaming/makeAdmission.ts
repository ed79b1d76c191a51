import type { UpgradeRequest } from "@millrace/platform-uws";
import { type Answer, problemAnswer } from "../answers/Answer.ts";
import type { ServerConfig } from "../config/ServerConfig.ts";
import { refusalOf } from "../limits/chargedAnswer.ts";
import { COSTS } from "../limits/costs.ts";
import type { Limits, RequestSource } from "../limits/Limits.ts";

/**
 * Refuses a connection where its address has too many, or the client's budget is used up. `openOf`
 * gives how many connections an address has open.
 */
export const makeAdmission =
  (
    limits: Pick<Limits["Service"], "charge" | "identify">,
    { connectionsPerAddress }: Pick<ServerConfig["streams"], "connectionsPerAddress">,
    openOf: (address: string) => number,
  ) =>
  (request: UpgradeRequest): Answer | undefined => {
    const client = limits.identify(sourceOf(request));
    const charge = limits.charge(client, COSTS.read);
    const refusal = refusalOf(charge);
    if (refusal !== undefined) return { ...refusal, headers: charge.headers };
    if (openOf(client.address) < connectionsPerAddress) return undefined;
    const detail = `At most ${connectionsPerAddress} connections an address`;
    return { ...problemAnswer("RATE_LIMITED", detail), headers: [["retry-after", "10"]] };
  };

export const sourceOf = ({ peerAddress, header }: UpgradeRequest): RequestSource => ({
  peerAddress: () => peerAddress,
  header,
});
