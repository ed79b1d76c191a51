import type { SwapRefusal } from "@millrace/execution";
import { type Answer, problemAnswer } from "../answers/Answer.ts";
import type { Network } from "../networks/Network.ts";
import type { NetworkRouters } from "../networks/NetworkRouters.ts";

const EXECUTABLE_HINT = 'a quote with "executable": true keeps to what one router can execute';

/** A refusal in the words of the contract. */
export function refused(
  { config }: Network,
  routers: NetworkRouters,
  { code, detail, path = [] }: SwapRefusal,
): Answer {
  if (code === "INVALID_REQUEST") return invalid(path, detail);
  if (code !== "NO_ROUTER") return problemAnswer(code, `${detail} (${config.id})`);
  const leftOut = routers.leftOut();
  const words = leftOut === undefined ? detail : `${detail}; ${leftOut}`;
  return problemAnswer(code, `${words} (${config.id}); ${EXECUTABLE_HINT}`);
}

/** A network whose native token has no known wrapped form has no router either. */
export const noRouters = ({ config }: Network): Answer =>
  problemAnswer("NO_ROUTER", `${config.id} has no router, and no wrapped native token, configured`);

/** A node simulated the transactions, and they reverted. */
export const wouldRevert = ({ config }: Network, detail: string): Answer =>
  problemAnswer("PRICE_MOVED", `Tried on the newest block of ${config.id}, ${detail}`);

/** A swap that reverted, with a token that is known not to transfer as it should. */
export const tokenRefuses = (detail: string, refusal: string): Answer =>
  problemAnswer("TOKEN_REFUSES", `${refusal} (${detail})`);

/** The swap succeeds with approvals, but not with the permit. */
export const unsoundPermit = (detail: string): Answer =>
  invalid(["permit"], `With it ${detail}; with approvals in its place the swap goes through`);

function invalid(path: ReadonlyArray<string | number>, detail: string): Answer {
  const place = path.join(".");
  const issue = { code: "invalid_value", path, message: detail } as const;
  return problemAnswer("INVALID_REQUEST", place === "" ? detail : `${place}: ${detail}`, {
    issues: [issue],
  });
}
