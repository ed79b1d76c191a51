import { networkPresets } from "@millrace/networks";
import { Effect } from "effect";
import { type CommandError, commandRefused } from "../CommandError.ts";
import type { OwnSettings } from "./ownSettings.ts";

/** Blocks of a history's file, `from` and `to` included; undefined is the file's own end. */
export interface PastBlocks {
  readonly history: string;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** The configuration of a service that starts with the market of a past block. */
export const pastSettings = Effect.fnUntraced(function* ({
  history: path,
  from,
  to,
}: PastBlocks): Effect.fn.Return<OwnSettings, CommandError> {
  const { inspectHistory } = yield* Effect.promise(() => import("@millrace/server/export"));
  const { chainId, states } = yield* Effect.mapError(inspectHistory(path), ({ reason, detail }) =>
    commandRefused(`${path}: ${reason}: ${detail}`),
  );
  if (states === undefined) {
    return yield* commandRefused(`${path} has no states: see history.states of the configuration`);
  }
  const preset = networkPresets.find((each) => each.chainId === chainId);
  const named = preset === undefined ? { id: "PAST", name: `Chain ${chainId}` } : { id: preset.id };
  const source = {
    ...{ kind: "history", path, asOf: from ?? states.fromBlock },
    ...(to !== undefined && { toBlock: to }),
  };
  return { settings: { networks: [{ ...named, chainId, source }] }, environment: {} };
});
