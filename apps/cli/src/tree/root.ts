import { Config } from "effect";
import { Command, Flag } from "effect/cli";
import { switchFlag } from "../flags.ts";

const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar(metavar),
    Flag.withDefault(""),
  );

/** Flags of all commands: the market, and the output. */
const sharedFlags = {
  url: textFlag("url", "URL", "The service to ask; MILLRACE_URL"),
  marketFile: textFlag("market-file", "FILE", "Instead of a service: a recorded market"),
  devnet: Flag.Literals("devnet", ["ETH", "BASE"]).pipe(
    Flag.withDescription("Instead of a service: a devnet, made for this"),
    Flag.withDefault("" as const),
  ),
  rpcUrl: textFlag("rpc-url", "URLS", "Instead of a service: nodes of the chain of --network"),
  config: textFlag("config", "FILE", "Instead of a service: a network of a configuration"),
  network: Flag.String("network").pipe(
    Flag.withDescription("Id or chain id, default the service's primary network; MILLRACE_NETWORK"),
    Flag.withMetavar("ID"),
    Flag.withFallbackConfig(Config.String("MILLRACE_NETWORK")),
    Flag.withDefault(""),
  ),
  json: switchFlag("json", "One JSON document; of a watch, one on each line"),
};

export const root = Command.make("millrace").pipe(
  Command.withDescription("Market data and exact swap routing for decentralised exchanges."),
  Command.withSharedFlags(sharedFlags),
);
