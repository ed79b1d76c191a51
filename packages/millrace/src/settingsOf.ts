import { networkPreset, networkPresets, type PresetId } from "@millrace/networks";
import { DEFAULT_NETWORKS } from "@millrace/server";
import { invalidCall, MillraceError } from "./MillraceError.ts";
import type { AsOfBlock, MarketOrigin, OpenOptions } from "./OpenOptions.ts";
import { NAME_SHOWN } from "./readArguments.ts";
import { wireText } from "./wire.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The settings and environment with which the service would run this network alone. */
export function settingsOf(options: MarketOptions): {
  readonly file: Fields;
  readonly environment: Readonly<Record<string, string>>;
} {
  const { dataDirectory, searchWorkers = 0 } = options;
  const common = { searchWorkers, ...(dataDirectory !== undefined && { dataDirectory }) };
  if ("rpcUrls" in options) {
    const { id } = presetOf(options.network);
    const { rpcUrls } = options;
    if (!(Array.isArray(rpcUrls) && rpcUrls.length > 0 && rpcUrls.length <= URLS_MAX)) {
      throw invalidCall(`rpcUrls: expected 1 to ${URLS_MAX} URLs`);
    }
    if (!rpcUrls.every(isText)) throw invalidCall("rpcUrls: expected texts");
    const environment = { [`MILLRACE_${id}_RPC_URLS`]: rpcUrls.join(",") };
    return { file: common, environment };
  }
  return { file: { ...common, networks: [networkOf(options)] }, environment: {} };
}

/** The origin of the market, and where it is kept. */
type MarketOptions = MarketOrigin & Pick<OpenOptions, "dataDirectory" | "searchWorkers">;

function networkOf(options: Exclude<MarketOrigin, { readonly rpcUrls: unknown }>): Fields {
  if ("marketFile" in options) {
    const { id, chainId } = presetOf(options.network ?? "ETH");
    return { id, chainId, source: { kind: "marketFile", path: options.marketFile } };
  }
  if ("asOf" in options) return pastNetwork(options.asOf, options.network);
  if ("devnet" in options) {
    const devnet = DEFAULT_NETWORKS.find(({ id }) => id === options.devnet);
    if (devnet === undefined) throw unknownNetwork(options.devnet, ["ETH", "BASE"]);
    return devnet;
  }
  // Whatever it holds: the schema checks plain values.
  return JSON.parse(wireText(options.config));
}

function pastNetwork({ file, block, chainId }: AsOfBlock, network: PresetId | undefined): Fields {
  const preset =
    chainId === undefined || network !== undefined
      ? presetOf(network ?? "ETH")
      : networkPresets.find((each) => each.chainId === chainId);
  return {
    ...(preset === undefined ? { id: "PAST", name: `Chain ${chainId}` } : { id: preset.id }),
    chainId: chainId ?? preset?.chainId,
    source: { kind: "history", path: file, asOf: block },
  };
}

function presetOf(id: string) {
  const preset = isText(id) ? networkPreset(id) : undefined;
  if (preset !== undefined) return preset;
  throw unknownNetwork(
    id,
    networkPresets.map((each) => each.id),
  );
}

const URLS_MAX = 100;

const isText = (value: unknown): boolean => typeof value === "string";

const unknownNetwork = (id: unknown, known: ReadonlyArray<string>) =>
  new MillraceError(
    "UNKNOWN_NETWORK",
    `no network ${isText(id) ? String(id).slice(0, NAME_SHOWN) : "of that kind"}: there are ${known.join(", ")}`,
  );
