import { networkPreset, networkPresets } from "@millrace/networks";
import { DEFAULT_NETWORKS } from "@millrace/server";
import { invalidCall, MillraceError } from "./MillraceError.ts";
import type { OpenOptions } from "./OpenOptions.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The settings, and the environment, with which the service would have this network alone. */
export function settingsOf(options: OpenOptions): {
  readonly file: Fields;
  readonly environment: Readonly<Record<string, string>>;
} {
  const { dataDirectory, searchWorkers = 0 } = options;
  const common = { searchWorkers, ...(dataDirectory !== undefined && { dataDirectory }) };
  if ("rpcUrls" in options) {
    const { id } = presetOf(options.network);
    const { rpcUrls } = options;
    if (!Array.isArray(rpcUrls) || rpcUrls.length === 0 || !rpcUrls.every(isText)) {
      throw invalidCall("rpcUrls: expected at least one URL");
    }
    const environment = { [`MILLRACE_${id}_RPC_URLS`]: rpcUrls.join(",") };
    return { file: common, environment };
  }
  return { file: { ...common, networks: [networkOf(options)] }, environment: {} };
}

function networkOf(options: Exclude<OpenOptions, { readonly rpcUrls: unknown }>): Fields {
  if ("marketFile" in options) {
    const { id, chainId } = presetOf(options.network ?? "ETH");
    return { id, chainId, source: { kind: "marketFile", path: options.marketFile } };
  }
  if ("devnet" in options) {
    const devnet = DEFAULT_NETWORKS.find(({ id }) => id === options.devnet);
    if (devnet === undefined) throw unknownNetwork(options.devnet, ["ETH", "BASE"]);
    return devnet;
  }
  if ("config" in options) return options.config;
  throw invalidCall("expected network and rpcUrls, marketFile, devnet, or config");
}

function presetOf(id: string) {
  const preset = networkPreset(id);
  if (preset !== undefined) return preset;
  throw unknownNetwork(
    id,
    networkPresets.map((each) => each.id),
  );
}

const isText = (value: unknown): boolean => typeof value === "string";

const unknownNetwork = (id: unknown, known: ReadonlyArray<string>) =>
  new MillraceError("UNKNOWN_NETWORK", `no network ${String(id)}: there are ${known.join(", ")}`);
