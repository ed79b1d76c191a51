/** A node of a parsed module, as far as it matters here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly instead: string;
}

/** Fields of schemas that only the reference shows. */
const FIELDS = new Set(["description", "examples", "identifier", "summary"]);
/** Values that are written where they stand. What has another name is needed for more. */
const WRITTEN = new Set(["ArrayExpression", "BinaryExpression", "Literal", "TemplateLiteral"]);

/**
 * A module of the interface's schemas without what it says to readers: descriptions, examples,
 * names of schemas, and sentences that are given to functions. `module` is the module parsed.
 */
export function withoutDescriptions(code: string, module: unknown): string {
  const cuts: Cut[] = [];
  visit(module, cuts);
  // From the end on: what is before stays where it was.
  return cuts
    .sort((a, b) => b.start - a.start)
    .reduce(
      (left, { start, end, instead }) => left.slice(0, start) + instead + left.slice(end),
      code,
    );
}

function visit(value: unknown, cuts: Cut[]): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const one of value) visit(one, cuts);
    return;
  }
  const node = value as Node;
  const annotated = annotatedBy(node);
  if (annotated !== undefined) {
    cuts.push({ start: annotated.end, end: node.end, instead: "" });
    visit(annotated, cuts);
  } else if (isSentence(node)) cuts.push({ start: node.start, end: node.end, instead: '""' });
  else if (node.type === "ObjectExpression") visitFields(node, cuts);
  else for (const child of Object.values(node)) visit(child, cuts);
}

/** Of `schema.annotate({…})` the schema, where all that it is annotated with is for readers. */
function annotatedBy({ type, callee, arguments: given }: Node): Node | undefined {
  if (type !== "CallExpression") return undefined;
  const { object, property } = callee as Node;
  const [first] = given as ReadonlyArray<Node>;
  const name = (property as { readonly name?: string } | undefined)?.name;
  if (name !== "annotate" && name !== "annotateKey") return undefined;
  const isForReaders = first?.type === "ObjectExpression" && fieldsOf(first).every(isField);
  return isForReaders ? (object as Node) : undefined;
}

const fieldsOf = ({ properties }: Node) => properties as ReadonlyArray<Node>;

function isField({ type, key, value }: Node): boolean {
  const name = (key as { readonly name?: string } | undefined)?.name ?? "";
  return type === "Property" && FIELDS.has(name) && WRITTEN.has((value as Node).type);
}

function visitFields(node: Node, cuts: Cut[]): void {
  const fields = fieldsOf(node);
  for (const [at, field] of fields.entries()) {
    // With the comma behind it, or up to the brace.
    const end = fields[at + 1]?.start ?? node.end - 1;
    if (isField(field)) cuts.push({ start: field.start, end, instead: "" });
    else visit(field, cuts);
  }
}

/** Nothing but a description ends with a full stop: what an error says has none. */
function isSentence(node: Node): boolean {
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string" && /\s.*\.$/su.test(node["value"]);
    case "TemplateLiteral": {
      const [last] = (node["quasis"] as ReadonlyArray<TemplateText>).slice(-1);
      return /\s.*\.$/su.test(last!.value.raw);
    }
    case "BinaryExpression":
      return node["operator"] === "+" && isSentence(node["right"] as Node);
    default:
      return false;
  }
}

interface TemplateText {
  readonly value: { readonly raw: string };
}
