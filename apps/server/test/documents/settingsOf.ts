import { type Schema, SchemaAST } from "effect";
import { ServerConfig } from "../../src/config/ServerConfig.ts";

/** A setting of the configuration file, as its page shows it. */
export interface Setting {
  /** Such as `networks[].anchors[].address`; in a source, starting at `source`. */
  readonly path: string;
  /** The allowed values. */
  readonly values: string;
  readonly isOptional: boolean;
}

/**
 * All settings of the schema by part of the page: `service` for the top level, else the first key,
 * and a part for each kind of source.
 */
export function settingsOf(): ReadonlyMap<string, ReadonlyArray<Setting>> {
  const parts = new Map<string, Setting[]>();
  const add = (part: string, setting: Setting) =>
    parts.set(part, [...(parts.get(part) ?? []), setting]);
  walk((ServerConfig as Schema.Top).ast, [], false, (keys, values, isOptional) => {
    const kind = keys.find((key) => key.startsWith("kind:"))?.slice("kind:".length);
    const path = keys.filter((key) => !key.startsWith("kind:")).join(".");
    if (kind === undefined) {
      add(keys.length === 1 ? "service" : keys[0]!.replace("[]", ""), { path, values, isOptional });
    } else if (keys.at(-1) !== "kind") {
      add(kind, { path: path.replace(/^networks\[\]\./, ""), values, isOptional });
    }
  });
  return parts;
}

type Found = (keys: ReadonlyArray<string>, values: string, isOptional: boolean) => void;

function walk(ast: SchemaAST.AST, keys: string[], isOptional: boolean, found: Found): void {
  if (SchemaAST.isObjects(ast)) {
    for (const { name, type } of ast.propertySignatures)
      walk(type, [...keys, String(name)], SchemaAST.isOptional(type), found);
    return;
  }
  if (SchemaAST.isArrays(ast)) {
    const last = keys.at(-1)!;
    return walk(ast.rest[0]!, [...keys.slice(0, -1), `${last}[]`], isOptional, found);
  }
  if (SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isObjects)) {
    for (const type of ast.types) walk(type, [...keys, `kind:${kindOf(type)}`], false, found);
    return;
  }
  found(keys, valuesOf(ast), isOptional);
}

const kindOf = (type: SchemaAST.Objects): string =>
  valuesOf(type.propertySignatures.find(({ name }) => name === "kind")!.type).replaceAll("`", "");

/** The values in words: literals, or the expectations of its checks, as in error messages. */
function valuesOf(ast: SchemaAST.AST): string {
  if (SchemaAST.isLiteral(ast)) return `\`${String(ast.literal)}\``;
  if (SchemaAST.isNull(ast)) return "`null`";
  if (SchemaAST.isBoolean(ast)) return "`true`, `false`";
  if (SchemaAST.isUnion(ast)) return ast.types.map(valuesOf).join(", ");
  if (SchemaAST.isArrays(ast)) return `a list: ${valuesOf(ast.rest[0]!)}`;
  const expected = ast.checks?.map(({ annotations }) => annotations?.["expected"]);
  const [words] = expected?.filter((text) => typeof text === "string") ?? [];
  return typeof words === "string" ? words : "a text";
}
