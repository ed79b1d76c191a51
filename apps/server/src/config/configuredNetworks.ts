import { networkPresets } from "@millrace/networks";
import {
  CHAIN_DEFAULTS,
  type ChainDefaults,
  DEFAULT_NETWORKS,
  HEAD_AGE_BLOCKS,
  HEAD_AGE_MIN_MS,
  NETWORK_DEFAULTS,
} from "./defaults.ts";
import { endpointsOf, rpcVariable, rpcVariables } from "./rpcUrls.ts";

type Fields = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The networks, undecoded, with the defaults of their chains: the market file that the environment
 * names, else the networks of the configuration file, else the shipped ones for which the
 * environment has RPC URLs, else the default ones. RPC URLs and the port in the environment
 * override the file.
 */
export function configuredNetworks(
  environment: Environment,
  file: Fields,
  problems: string[],
): unknown {
  const path = environment["MILLRACE_MARKET_FILE"] ?? "";
  const replay = environment["MILLRACE_REPLAY_MS"] ?? "";
  const urls = rpcVariables(environment);
  if (path === "" && replay !== "") problems.push("MILLRACE_REPLAY_MS: needs MILLRACE_MARKET_FILE");
  if (path !== "") {
    for (const id of urls.keys()) {
      problems.push(`${rpcVariable(id)}: is of no use beside MILLRACE_MARKET_FILE`);
    }
    const source = { kind: "marketFile", path, ...(replay && { replayMs: numberOr(replay) }) };
    return withDevnetPorts(environment, [{ id: "ETH", chainId: 1, source }], problems).map(
      withDefaults,
    );
  }
  const named = file["networks"];
  const networks = named ?? (urls.size > 0 ? shippedFor(urls) : DEFAULT_NETWORKS);
  if (!Array.isArray(networks)) return networks;
  for (const id of urls.keys()) {
    if (networks.some((network) => isChain(network) && network["id"] === id)) continue;
    const chains = networkPresets.map((network) => network.id).join(", ");
    problems.push(
      named === undefined
        ? `${rpcVariable(id)}: ${id} is not configured; ${chains} need no file`
        : `${rpcVariable(id)}: the file has no network ${id} on a chain`,
    );
  }
  return withDevnetPorts(environment, networks, problems).map((network) =>
    withDefaults(withUrls(network, urls, problems)),
  );
}

/** A text as a number; any other text stays, for the schema to judge. */
export const numberOr = (text: string): unknown =>
  /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const shippedFor = (urls: ReadonlyMap<string, string>) =>
  networkPresets.filter(({ id }) => urls.has(id));

const isChain = (network: unknown): network is Fields & { readonly source: Fields } =>
  isFields(network) && isFields(network["source"]) && network["source"]["kind"] === "chain";

function withUrls(
  network: unknown,
  urls: ReadonlyMap<string, string>,
  problems: string[],
): unknown {
  if (!isChain(network)) return network;
  const id = String(network["id"]);
  const text = urls.get(id);
  if (text === undefined) return network;
  const endpoints = endpointsOf(rpcVariable(id), text, problems);
  // A placeholder: the missing endpoints are reported already.
  const some = endpoints.length > 0 ? endpoints : [{ url: "http://localhost" }];
  return { ...network, source: { ...network.source, endpoints: some } };
}

/**
 * Gives devnets the port of the environment and the ports after it, in the order of the networks.
 */
function withDevnetPorts(
  environment: Environment,
  networks: ReadonlyArray<unknown>,
  problems: string[],
): ReadonlyArray<unknown> {
  const text = environment[DEVNET_PORT] ?? "";
  if (text === "") return networks;
  const devnets = networks.filter(isDevnet);
  const first = Number(text);
  const lastMax = PORT_MAX - Math.max(devnets.length - 1, 0);
  if (devnets.length === 0) problems.push(`${DEVNET_PORT}: is of no use: no network is a devnet`);
  if (!/^\d{1,5}$/.test(text) || first < 1 || first > lastMax) {
    const count = devnets.length > 1 ? `, for ${devnets.length} devnets` : "";
    problems.push(`${DEVNET_PORT}: Expected a port, 1 to ${lastMax}${count}`);
    return networks;
  }
  return networks.map((network) => {
    if (!isDevnet(network)) return network;
    return { ...network, source: { ...network.source, port: first + devnets.indexOf(network) } };
  });
}

const DEVNET_PORT = "MILLRACE_DEVNET_PORT";
const PORT_MAX = 65_535;

const isDevnet = (network: unknown): network is Fields & { readonly source: Fields } =>
  isFields(network) && isFields(network["source"]) && network["source"]["kind"] === "devnet";

function withDefaults(network: unknown): unknown {
  if (!isFields(network)) return network;
  const known = CHAIN_DEFAULTS.get(network["chainId"]);
  if (!isChain(network)) {
    const { source } = network;
    const isRecorded =
      isFields(source) && (source["kind"] === "marketFile" || source["kind"] === "history");
    const recorded = isRecorded ? known : undefined;
    const headAgeLimitMs = headAgeLimit(source);
    const defaults = { ...NETWORK_DEFAULTS, headAgeLimitMs, ...known?.network };
    const routers = routersOf(network, recorded?.routers);
    return { ...defaults, ...recorded?.recorded, ...network, routers };
  }
  const given = network.source;
  const admission = isFields(given["admission"])
    ? { ...known?.source.admission, ...given["admission"] }
    : (given["admission"] ?? known?.source.admission);
  const source = { ...known?.source, ...given, ...(admission !== undefined && { admission }) };
  const headAgeLimitMs = headAgeLimit(source);
  const defaults = { ...NETWORK_DEFAULTS, headAgeLimitMs, ...known?.network, ...known?.followed };
  return {
    ...defaults,
    ...network,
    routers: routersOf(network, routersFor(source, known)),
    source,
  };
}

/** The known routers of a chain, without DEXes that are not followed. */
function routersFor(source: Fields, known: ChainDefaults | undefined): Fields | undefined {
  const universalRouter = known?.routers["universalRouter"];
  if (!isFields(universalRouter)) return known?.routers;
  const { v2DexId, v3DexId, v4DexId, ...rest } = universalRouter;
  const isFollowed = (dexId: unknown) =>
    dexId !== undefined && isSameDex(source["dexes"], known?.source["dexes"], dexId);
  return {
    ...known?.routers,
    universalRouter: {
      ...rest,
      ...(isFollowed(v2DexId) && { v2DexId }),
      ...(isFollowed(v3DexId) && { v3DexId }),
      ...(isFollowed(v4DexId) && { v4DexId }),
    },
  };
}

/** Whether both lists have the DEX, with the same factory. */
function isSameDex(given: unknown, known: unknown, dexId: unknown): boolean {
  const factoryIn = (dexes: unknown) =>
    Array.isArray(dexes)
      ? String(dexes.find((dex) => isFields(dex) && dex["id"] === dexId)?.factory).toLowerCase()
      : undefined;
  return factoryIn(given) === factoryIn(known);
}

/** A configured router replaces the known one of its kind; null removes it. */
function routersOf({ routers }: Fields, known: Fields = NETWORK_DEFAULTS.routers): unknown {
  if (routers !== undefined && !isFields(routers)) return routers;
  const merged = Object.entries({ ...known, ...routers });
  return Object.fromEntries(merged.filter(([, router]) => router !== null));
}

/** No limit for a source without a known time between blocks. */
function headAgeLimit(source: unknown): number | null {
  if (!isFields(source)) return null;
  const everyMs = source["kind"] === "devnet" ? source["trafficEveryMs"] : source["blockTimeMs"];
  if (typeof everyMs !== "number") return null;
  return Math.min(Math.max(HEAD_AGE_BLOCKS * everyMs, HEAD_AGE_MIN_MS), DAY_MS);
}

const DAY_MS = 86_400_000;
