import { type NetworkPreset, networkPresets } from "@millrace/networks";
import { Effect } from "effect";
import { type CommandError, wrongUsage } from "../CommandError.ts";
import { type MarketFlags, ownMarketFlags } from "./MarketFlags.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration of a service for the market that flags name. */
export interface OwnSettings {
  /** Settings as in a configuration file. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
}

interface Options {
  /** Milliseconds between the blocks of a recorded market. */
  readonly replayMs?: number | undefined;
}

/** The settings that the flags name; undefined where no flag asks for a market of one's own. */
export const ownSettings = Effect.fnUntraced(function* (
  flags: MarketFlags,
  { replayMs }: Options = {},
): Effect.fn.Return<OwnSettings | undefined, CommandError> {
  const [first, second] = [...ownMarketFlags(flags), ...(flags.url === "" ? [] : ["--url"])];
  if (second !== undefined)
    return yield* wrongUsage(`${first} and ${second} exclude each other: a market has one place`);
  const { marketFile, devnet, rpcUrl, config, network } = flags;
  if (config !== "") return { settings: {}, environment: { MILLRACE_CONFIG: config } };
  if (rpcUrl !== "") {
    const { id } = yield* presetOf(network, "--rpc-url");
    return { settings: {}, environment: { [rpcVariable(id)]: rpcUrl } };
  }
  if (marketFile !== "") {
    const { id, chainId } = yield* presetOf(network || "ETH", "--market-file");
    const source = {
      ...{ kind: "marketFile", path: marketFile },
      ...(replayMs !== undefined && { replayMs }),
    };
    return { settings: { networks: [{ id, chainId, source }] }, environment: {} };
  }
  if (devnet !== "")
    return { settings: { networks: [yield* devnetNetwork(devnet)] }, environment: {} };
  return undefined;
});

/**
 * The environment of this process without the sources of markets. It keeps nodes for a
 * configuration, and the port for the devnet that a flag names.
 */
export const withoutMarkets = ({ config, devnet }: MarketFlags): Environment =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^MILLRACE_(CONFIG|MARKET_FILE|REPLAY_MS)$/.test(name) &&
        (config !== "" || !name.endsWith("_RPC_URLS")) &&
        (devnet !== "" || name !== "MILLRACE_DEVNET_PORT"),
    ),
  );

/** Names the flag in messages about the variable that it set. */
export const withFlagNames = (text: string): string =>
  text.replace(/MILLRACE_[A-Z]+_RPC_URLS/g, "--rpc-url");

const rpcVariable = (id: string): string => `MILLRACE_${id}_RPC_URLS`;

function presetOf(wanted: string, flag: string): Effect.Effect<NetworkPreset, CommandError> {
  const preset = networkPresets.find(
    ({ id, chainId }) => id === wanted.toUpperCase() || String(chainId) === wanted,
  );
  if (preset !== undefined) return Effect.succeed(preset);
  const ids = networkPresets.map(({ id }) => id).join(", ");
  return Effect.fail(wrongUsage(`${flag} needs --network to be one of ${ids}`));
}

/** The service's own default devnet of that name. */
const devnetNetwork = (id: string) =>
  Effect.promise(async () => {
    const { DEFAULT_NETWORKS } = await import("@millrace/server");
    return DEFAULT_NETWORKS.find((network) => network["id"] === id);
  });
