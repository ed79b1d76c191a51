import { writeFileSync } from "node:fs";
import { Effect } from "effect";
import { commandRefused, wrongUsage } from "../CommandError.ts";
import { OpeningNotes } from "../output/OpeningNotes.ts";
import { Output } from "../output/Output.ts";
import { Sinks } from "../output/Sinks.ts";
import { type MarketFlags, ownMarketFlags } from "../service/MarketFlags.ts";

interface DevnetWords {
  readonly market: "ETH" | "BASE";
  /** 0 takes a free port. */
  readonly port: number;
  /** Empty for this machine alone. */
  readonly host: string;
  /** 0 for no traffic. */
  readonly blockEvery: number;
  readonly seed: number;
  /** Empty for none. */
  readonly writeConfig: string;
}

const SHOWN_EVERY_MS = 100;

const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;

/** Runs a devnet until a signal, and prints what its users need. */
export const runDevnet = Effect.fnUntraced(function* (
  flags: MarketFlags,
  { market, port, host, blockEvery, seed, writeConfig }: DevnetWords,
) {
  const [useless] = [...ownMarketFlags(flags), ...(flags.url === "" ? [] : ["--url"])];
  if (useless !== undefined)
    return yield* wrongUsage(`${useless} is of no use: the command is a market itself`);
  if (host !== "" && !HOST.test(host))
    return yield* wrongUsage("--host is a name, or an IPv4 address");
  const output = yield* Output.open(flags.json);
  const notes = new OpeningNotes((yield* Sinks).err);
  const { launchDevnet } = yield* Effect.promise(() => import("@millrace/server"));
  const trafficEveryMs = blockEvery === 0 ? undefined : blockEvery;
  const launch = Effect.tryPromise({
    try: (signal) =>
      launchDevnet(
        { market, port, seed, trafficEveryMs, host: host === "" ? undefined : host },
        signal,
      ),
    catch: (cause) => commandRefused(`no devnet started: ${(cause as Error).message}`),
  });
  const shown = Effect.sync(() => notes.show(`${market}: starting`)).pipe(
    Effect.andThen(Effect.sleep(SHOWN_EVERY_MS)),
    Effect.forever,
  );
  const devnet = yield* Effect.acquireRelease(
    Effect.raceFirst(launch, shown).pipe(Effect.ensuring(Effect.sync(() => notes.clear()))),
    ({ close }) => Effect.promise(close),
    { interruptible: true },
  );
  const { close: _, configuration, ...facts } = devnet;
  if (writeConfig !== "") {
    yield* Effect.try({
      try: () => writeFileSync(writeConfig, `${JSON.stringify(configuration, null, 2)}\n`),
      catch: (cause) => commandRefused(`--write-config: ${(cause as Error).message}`),
    });
  }
  if (output.isJson) output.json(facts);
  else {
    const { chainId, rpcUrl, webSocketUrl, accounts, tokens } = facts;
    output.facts({ "RPC URL": rpcUrl, WebSocket: webSocketUrl, "chain id": String(chainId) });
    output.whole("");
    output.table(
      [
        { title: "account", cell: ({ address }) => address },
        { title: "private key", cell: ({ privateKey }) => privateKey },
      ],
      accounts,
    );
    output.whole("");
    output.table(
      [
        { title: "token", cell: ({ symbol }) => symbol },
        { title: "address", cell: ({ address }) => address },
        { title: "decimals", cell: ({ decimals }) => String(decimals), isRight: true },
        { title: "name", cell: ({ name }) => name, isOptional: true },
      ],
      tokens,
    );
  }
  return yield* Effect.never;
});
