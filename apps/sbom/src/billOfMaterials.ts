import { hash } from "node:crypto";
import type { Dependencies, LockedGraph, LockedPackage } from "./lockfile.ts";

/** The input of a bill, in addition to the lockfile. */
export interface Product {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The folder of the running service; packages that only other folders need are excluded. */
  readonly service: string;
  /** As in package.json: `pnpm@VERSION+sha512.HASH`. */
  readonly packageManager: string;
  /** SHA-256 of native libraries: by package key, then by file. */
  readonly libraries: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

interface Component {
  readonly "bom-ref"?: string;
  readonly type: "application" | "library" | "file";
  readonly name: string;
  readonly [field: string]: unknown;
}

/**
 * The bill of materials of a lockfile: CycloneDX 1.6, as an object for JSON. The same lockfile
 * gives the same bill.
 */
export function billOfMaterials(graph: LockedGraph, product: Product) {
  const nodes = nodesOf(graph);
  const scopeOf = scopes(nodes, [workspace("."), workspace(product.service)]);
  const locked = [...graph.packages].map(([key, each]) =>
    component(key, each, scopeOf(key), product.libraries.get(key)),
  );
  const workspaces = [...graph.workspaces.keys()]
    .filter((folder) => folder !== ".")
    .map((folder): Component => {
      const key = workspace(folder);
      return { "bom-ref": key, type: "library", name: folder, scope: scopeOf(key) };
    });
  const manager = packageManager(product.packageManager);
  const components = [...locked, ...workspaces, manager].sort(byReference);
  const dependencies = [...nodes]
    .map(([ref, { required, optional, development }]) => ({
      ref,
      dependsOn: [...new Set([...required, ...optional, ...development])].sort(),
    }))
    .sort((a, b) => compare(a.ref, b.ref));
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${identifier(JSON.stringify([components, dependencies]))}`,
    version: 1,
    metadata: {
      lifecycles: [{ phase: "pre-build" }],
      component: {
        "bom-ref": workspace("."),
        type: "application",
        name: product.name,
        version: product.version,
        licenses: [{ license: { id: product.license } }],
      },
    },
    components,
    dependencies,
  };
}

type Scope = "required" | "optional" | "excluded";

function component(
  key: string,
  { name, version, integrity }: LockedPackage,
  scope: Scope,
  files: Readonly<Record<string, string>> = {},
): Component {
  const [algorithm, digest] = integrity.split("-") as [string, string];
  if (algorithm !== "sha512") throw new Error(`${key} has a hash of another kind: ${integrity}`);
  const content = Buffer.from(digest, "base64").toString("hex");
  const within = Object.entries(files).map(([file, sha256]) => ({
    type: "file",
    name: file,
    hashes: [{ alg: "SHA-256", content: sha256 }],
  }));
  return {
    ...npmPackage(key, name, version),
    scope,
    hashes: [{ alg: "SHA-512", content }],
    ...(within.length > 0 && { components: within }),
  };
}

function packageManager(text: string): Component {
  const [, name, version, content] = /^(\w+)@([^+]+)\+sha512\.(\w+)$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`no NAME@VERSION+sha512.HASH: ${text}`);
  const hashes = [{ alg: "SHA-512", content }];
  return { ...npmPackage(`${name}@${version}`, name, version!), scope: "excluded", hashes };
}

function npmPackage(key: string, name: string, version: string): Component {
  const [last, scope] = name.split("/").reverse() as [string, string?];
  return {
    "bom-ref": key,
    type: "library",
    ...(scope !== undefined && { group: scope }),
    name: last,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${encodeURIComponent(version)}`,
  };
}

const workspace = (folder: string): string => `workspace:${folder}`;

function nodesOf({ packages, workspaces }: LockedGraph): ReadonlyMap<string, Dependencies> {
  const folders = [...workspaces].map(([folder, each]) => [workspace(folder), each] as const);
  return new Map<string, Dependencies>([...packages, ...folders]);
}

/** Whether the running service needs a package, may have it, or never has it. */
function scopes(nodes: ReadonlyMap<string, Dependencies>, starts: ReadonlyArray<string>) {
  const reach = (edges: (node: Dependencies) => Iterable<string>): ReadonlySet<string> => {
    const reached = new Set(starts);
    // Iterating a set also visits elements that are added during the iteration.
    for (const key of reached) for (const next of edges(nodes.get(key)!)) reached.add(next);
    return reached;
  };
  const needed = reach(({ required }) => required);
  const possible = reach(({ required, optional }) => [...required, ...optional]);
  return (key: string): Scope => {
    if (needed.has(key)) return "required";
    return possible.has(key) ? "optional" : "excluded";
  };
}

/** A UUID of version 8 (free content), from the hash of a text. */
function identifier(text: string): string {
  const digits = hash("sha256", text);
  const part = (from: number, to: number) => digits.slice(from, to);
  return `${part(0, 8)}-${part(8, 12)}-8${part(12, 15)}-8${part(15, 18)}-${part(18, 30)}`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const byReference = (a: Component, b: Component): number =>
  compare(a["bom-ref"] ?? "", b["bom-ref"] ?? "");
