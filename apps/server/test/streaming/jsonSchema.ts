/** A JSON Schema of draft 7, with the keywords that our documents use. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords for people, which do not affect validity. */
const ANNOTATIONS = new Set(["title", "description", "examples", "default", "format"]);

/**
 * All faults of a value, each with its place; none when it is valid. References start at `root`.
 * Throws for an unknown keyword.
 */
export function faultsOf(schema: JsonSchema, value: unknown, root: JsonSchema, at = ""): string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    if (ANNOTATIONS.has(keyword)) return [];
    const check = CHECKS[keyword];
    if (check === undefined) throw new Error(`unknown keyword: ${keyword}`);
    return check({ rule, value, at, schema, root });
  });
}

/** The schema that a reference names. */
export function resolve(reference: string, root: JsonSchema): JsonSchema {
  const found = reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((node, key) => (node as JsonSchema | undefined)?.[key], root);
  if (!isRecord(found)) throw new Error(`nothing at ${reference}`);
  return found;
}

interface Asked {
  readonly rule: unknown;
  readonly value: unknown;
  readonly at: string;
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
}

type Check = (asked: Asked) => string[];

const CHECKS: Readonly<Record<string, Check>> = {
  $ref: ({ rule, value, root, at }) => faultsOf(resolve(String(rule), root), value, root, at),
  type: ({ rule, value, at }) => fault(TYPES[String(rule)]!(value), at, `no ${rule}`),
  enum: ({ rule, value, at }) => fault((rule as unknown[]).includes(value), at, `not of ${rule}`),
  pattern: ({ rule, value, at }) =>
    fault(!isText(value) || new RegExp(String(rule), "u").test(value), at, `not as ${rule}`),
  minLength: ({ rule, value, at }) =>
    fault(!isText(value) || value.length >= Number(rule), at, "too short"),
  maxLength: ({ rule, value, at }) =>
    fault(!isText(value) || value.length <= Number(rule), at, "too long"),
  minimum: ({ rule, value, at }) =>
    fault(typeof value !== "number" || value >= Number(rule), at, "too small"),
  maximum: ({ rule, value, at }) =>
    fault(typeof value !== "number" || value <= Number(rule), at, "too big"),
  minItems: ({ rule, value, at }) =>
    fault(!Array.isArray(value) || value.length >= Number(rule), at, "too few"),
  maxItems: ({ rule, value, at }) =>
    fault(!Array.isArray(value) || value.length <= Number(rule), at, "too many"),
  items: ({ rule, value, root, at }) => {
    if (!Array.isArray(value)) return [];
    return value.flatMap((item, index) => {
      const schema = Array.isArray(rule) ? rule[index] : rule;
      return schema === undefined
        ? []
        : faultsOf(schema as JsonSchema, item, root, `${at}/${index}`);
    });
  },
  required: ({ rule, value, at }) =>
    isRecord(value)
      ? (rule as string[]).flatMap((key) => fault(Object.hasOwn(value, key), at, `no ${key}`))
      : [],
  properties: ({ rule, value, root, at }) =>
    isRecord(value)
      ? Object.entries(rule as Record<string, JsonSchema>).flatMap(([key, schema]) =>
          Object.hasOwn(value, key) ? faultsOf(schema, value[key], root, `${at}/${key}`) : [],
        )
      : [],
  additionalProperties: ({ rule, value, schema, root, at }) => {
    if (!isRecord(value)) return [];
    const known = isRecord(schema["properties"]) ? schema["properties"] : {};
    return Object.keys(value)
      .filter((key) => !Object.hasOwn(known, key))
      .flatMap((key) =>
        typeof rule === "boolean"
          ? fault(rule, at, `unknown ${key}`)
          : faultsOf(rule as JsonSchema, value[key], root, `${at}/${key}`),
      );
  },
  allOf: ({ rule, value, root, at }) =>
    (rule as JsonSchema[]).flatMap((schema) => faultsOf(schema, value, root, at)),
  anyOf: (asked) => fault(fittingCount(asked) > 0, asked.at, "fits none"),
  oneOf: (asked) => fault(fittingCount(asked) === 1, asked.at, "fits not exactly one"),
};

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isText,
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isRecord,
};

const fittingCount = ({ rule, value, root }: Asked): number =>
  (rule as JsonSchema[]).filter((schema) => faultsOf(schema, value, root).length === 0).length;

const fault = (isFine: boolean, at: string, what: string): string[] =>
  isFine ? [] : [`${at}: ${what}`];

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
