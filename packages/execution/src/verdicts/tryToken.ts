import type { Address } from "@millrace/core";
import { Effect } from "effect";
import { numberToHex } from "viem/utils";
import { type ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import { judgeTrial } from "./judgeTrial.ts";
import { planTrial, type Trial, type TrialMarket } from "./planTrial.ts";
import type { TokenVerdict } from "./TokenVerdict.ts";
import { readTrial, type TrialPlaces, trialCall, trialOverrides } from "./trialCall.ts";

/**
 * Tries a token on the graph's newest block, and judges it. `untested` where there is nothing to
 * try. Fails where a node's answer says nothing of the token.
 */
export const tryToken: (
  market: TrialMarket,
  chain: ChainAccess,
  places: TrialPlaces,
  token: Address,
) => Effect.Effect<TokenVerdict, ChainAccessError> = Effect.fnUntraced(
  function* (market, chain, places, token) {
    const trial = planTrial(market, token);
    if (typeof trial === "string") {
      const blockNumber = market.engine.graph.stamp.number;
      const untested = { kind: "untested", buyTaxBps: 0, sellTaxBps: 0 } as const;
      return { token, ...untested, blockNumber, detail: trial };
    }
    const { blockNumber } = trial;
    const answer = readTrial(
      yield* chain("eth_call", [
        trialCall(trial, places),
        numberToHex(blockNumber),
        trialOverrides(trial, places),
      ]),
    );
    if (answer === undefined)
      return yield* malformed("eth_call: the node does not run a call with state overrides");
    const finding = judgeTrial(trial, answer);
    // On another block than the graph's, our arithmetic would be compared with other reserves.
    if (finding.kind !== "plain") yield* checkBlock(chain, trial);
    return { token, ...finding, blockNumber };
  },
);

const checkBlock = Effect.fnUntraced(function* (
  chain: ChainAccess,
  { blockNumber, blockHash }: Trial,
) {
  const block = yield* chain("eth_getBlockByNumber", [numberToHex(blockNumber), false]);
  if ((block as { readonly hash?: unknown } | null)?.hash === blockHash) return;
  return yield* malformed(`its block ${blockNumber} is another`);
});

const malformed = (detail: string) => new ChainAccessError({ reason: "Malformed", detail });
