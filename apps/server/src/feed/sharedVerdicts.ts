import type { Address } from "@millrace/core";
import {
  makeTokenVerdicts,
  type TokenVerdict,
  type TokenVerdicts,
  type VerdictOptions,
} from "@millrace/execution";
import { Effect } from "effect";
import type { NetworkFeed } from "./openNetworkFeed.ts";

const NOTE = "verdict ";
const LOOK_MS = 250;

/** The leader tests tokens; all servers share its verdicts, and exclude the same tokens. */
export function sharedVerdicts(options: VerdictOptions, feed: NetworkFeed): TokenVerdicts {
  const { engine, onChange } = options;
  const verdicts = new Map<Address, TokenVerdict>();
  // Tokens whose verdicts came before the market had them.
  const waiting = new Set<Address>();
  let version = 0;
  const tellOfWaiting = () => {
    for (const token of waiting) {
      if (engine.graph.findToken(token) === undefined) continue;
      waiting.delete(token);
      onChange?.(verdicts.get(token)!);
    }
  };
  const take = (name: string, text: string) => {
    const verdict = name.startsWith(NOTE) ? verdictIn(text) : undefined;
    if (verdict === undefined) return;
    verdicts.set(verdict.token, verdict);
    version++;
    waiting.add(verdict.token);
    tellOfWaiting();
  };
  for (const [name, text] of feed.notes()) take(name, text);
  const lead = Effect.gen(function* () {
    const made = makeTokenVerdicts({
      ...options,
      known: verdicts.values(),
      engine: {
        ...engine,
        excludeFromTransit: (tokens) => feed.tell({ excludedFromTransit: tokens }),
      },
      onChange: (verdict) => feed.note(`${NOTE}${verdict.token}`, JSON.stringify(verdict)),
    });
    return yield* made.run;
  });
  const leads = (wanted: boolean): Effect.Effect<void> =>
    Effect.suspend(() =>
      (feed.status().role === "leader") === wanted
        ? Effect.void
        : Effect.andThen(Effect.sleep(LOOK_MS), leads(wanted)),
    );
  return {
    of: (token) => verdicts.get(token),
    all: () => verdicts.values(),
    version: () => version,
    run: Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => [feed.onNote(take), engine.onPart(tellOfWaiting)]),
        (unsubscribers) =>
          Effect.sync(() => {
            for (const unsubscribe of unsubscribers) unsubscribe();
          }),
      );
      return yield* Effect.forever(
        Effect.andThen(leads(true), Effect.raceFirst(lead, leads(false))),
      );
    }).pipe(Effect.scoped),
  };
}

/** Undefined for a text that is no verdict: anybody may have written the log. */
function verdictIn(text: string): TokenVerdict | undefined {
  try {
    const { token, kind, buyTaxBps, sellTaxBps, blockNumber, detail } = JSON.parse(text);
    const isSound =
      /^0x[0-9a-f]{40}$/.test(token) &&
      KINDS.includes(kind) &&
      [buyTaxBps, sellTaxBps, blockNumber].every(Number.isSafeInteger);
    const base = { token, kind, buyTaxBps, sellTaxBps, blockNumber };
    return isSound ? { ...base, ...(typeof detail === "string" && { detail }) } : undefined;
  } catch {
    return undefined;
  }
}

const KINDS = ["plain", "taxed", "unsellable", "unbuyable", "untested"];
