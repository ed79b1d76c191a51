import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import { networkPresets } from "@millrace/networks";
import { chainProtocols } from "@millrace/protocols";
import { isGeneratedChain } from "@millrace/replay";
import { Effect, Result, Schema } from "effect";
import { describeIssue } from "./describeIssue.ts";
import { rpcVariable } from "./rpcUrls.ts";
import type { ChainNetworkConfig, NetworkConfig, ServerConfig } from "./ServerConfig.ts";

/** Problems that no schema can see: missing files, unknown chains and protocols. */
export const checkSources = Effect.fnUntraced(function* (config: ServerConfig) {
  const problems = config.networks.flatMap((network, index) => [
    ...checkSource(config, network, `networks[${index}].source`),
    ...checkRouters(network, `networks[${index}].routers`),
    ...checkSupplies(network, `networks[${index}].supplyFile`),
  ]);
  if (config.networks.some(({ source }) => source.kind === "devnet")) {
    problems.push(...(yield* checkDevnet));
  }
  return problems;
});

function checkSource(config: ServerConfig, network: NetworkConfig, place: string): string[] {
  const { source } = network;
  switch (source.kind) {
    case "devnet":
      return [];
    case "generated":
      return isGeneratedChain(network.chainId)
        ? []
        : [`${place}: no generated market for chain ${network.chainId}`];
    case "marketFile":
      return failureOf(() => accessSync(source.path, constants.R_OK)).map(
        (reason) => `${place}.path: the market file cannot be read: ${reason}`,
      );
    case "history":
      return failureOf(() => accessSync(source.path, constants.R_OK)).map(
        (reason) => `${place}.path: the history cannot be read: ${reason}`,
      );
    case "chain": {
      const folder = snapshotFolder(config, network);
      const problems = source.dexes.flatMap((dex, index) =>
        checkDex(dex).map((problem) => `${place}.dexes[${index}].${problem}`),
      );
      if (folder === undefined) return problems;
      const unusable = failureOf(() => {
        mkdirSync(folder, { recursive: true });
        accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      });
      return [
        ...problems,
        ...unusable.map((reason) => `${place}: no snapshots can be kept in ${folder}: ${reason}`),
      ];
    }
  }
}

function checkRouters({ routers, source, wrappedNative }: NetworkConfig, place: string): string[] {
  const { executor, universalRouter } = routers;
  if (source.kind === "devnet" || (executor ?? universalRouter) === undefined) return [];
  const problems =
    wrappedNative === undefined
      ? [`${place}: a router needs the network's wrappedNative to be configured`]
      : [];
  if (universalRouter === undefined || source.kind !== "chain") return problems;
  for (const key of ["v2DexId", "v3DexId", "v4DexId"] as const) {
    const dexId = universalRouter[key];
    if (dexId === undefined || source.dexes.some(({ id }) => id === dexId)) continue;
    problems.push(`${place}.universalRouter.${key}: the source has no DEX ${dexId}`);
  }
  return problems;
}

function checkSupplies({ supplyFile }: NetworkConfig, place: string): string[] {
  if (supplyFile === undefined) return [];
  return failureOf(() => accessSync(supplyFile, constants.R_OK)).map(
    (reason) => `${place}: the file cannot be read: ${reason}`,
  );
}

/** The folder of a network's snapshots; undefined where it keeps none. */
export function snapshotFolder(
  { dataDirectory }: Pick<ServerConfig, "dataDirectory">,
  { id, source }: NetworkConfig,
): string | undefined {
  if (source.kind !== "chain") return undefined;
  if (source.snapshotDirectory !== undefined) return source.snapshotDirectory;
  return dataDirectory === undefined ? undefined : join(dataDirectory, id);
}

type Dex = ChainNetworkConfig["source"]["dexes"][number];

/** Problems of a DEX: settings that its protocol needs, and settings that it does not have. */
function checkDex({ id: _, name: __, factory: ___, startBlock: ____, ...dex }: Dex): string[] {
  const { protocol, ...given } = dex;
  const known = chainProtocols.find(({ name }) => name === protocol);
  if (known === undefined) {
    const names = chainProtocols.map(({ name }) => name).join(", ");
    return [`protocol: no such protocol; there are ${names}`];
  }
  const settings = Schema.Struct(known.settings) as unknown as typeof Schema.Unknown;
  const decoded = Schema.decodeUnknownResult(settings)(given, {
    errors: "all",
    onExcessProperty: "error",
  });
  return Result.isFailure(decoded) ? describeIssue(decoded.failure.issue) : [];
}

/** The devnet is a development dependency, which an installation for production lacks. */
const checkDevnet = Effect.tryPromise(() => import("@millrace/devnet")).pipe(
  Effect.as([]),
  Effect.catch(({ cause }) => {
    const variables = networkPresets.map(({ id }) => rpcVariable(id)).join(" or ");
    const isMissing = (cause as { code?: unknown } | null)?.code === "ERR_MODULE_NOT_FOUND";
    return Effect.succeed([
      isMissing
        ? `the embedded devnet is not part of this installation: set ${variables} to JSON-RPC URLs (separated by commas) of a real chain, or MILLRACE_MARKET_FILE or MILLRACE_CONFIG to a file`
        : `the embedded devnet cannot be loaded: ${messageOf(cause)}`,
    ]);
  }),
);

function failureOf(attempt: () => void): string[] {
  try {
    attempt();
    return [];
  } catch (cause) {
    return [messageOf(cause)];
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : `${cause}`);
