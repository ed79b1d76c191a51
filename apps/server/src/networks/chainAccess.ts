import type { ChainSource, RpcError } from "@millrace/chain";
import { type ChainAccess, ChainAccessError } from "@millrace/execution";
import { Effect } from "effect";

/** A followed chain's endpoints, as swaps ask them. */
export const chainAccess =
  ({ request }: Pick<ChainSource, "request">): ChainAccess =>
  (method, params) =>
    Effect.mapError(
      request(method, params),
      ({ reason, detail }) => new ChainAccessError({ reason: REASONS[reason], detail }),
    );

const REASONS: Readonly<Record<RpcError["reason"], ChainAccessError["reason"]>> = {
  Unreachable: "Unavailable",
  TimedOut: "Unavailable",
  RateLimited: "Unavailable",
  WrongChain: "Unavailable",
  Refused: "Refused",
  TooLarge: "Malformed",
  Malformed: "Malformed",
  BadData: "Malformed",
};
