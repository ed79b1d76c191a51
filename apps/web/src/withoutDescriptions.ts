/** The parts of a syntax node that matter here. */
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

/** Fields of schemas that only the API reference shows. */
const FIELDS = new Set(["description", "examples", "identifier", "summary"]);
/** Inline values. A value that is a name is also needed elsewhere. */
const WRITTEN = new Set(["ArrayExpression", "BinaryExpression", "Literal", "TemplateLiteral"]);

/**
 * The code of a module of schemas without its texts for readers: descriptions, examples, names of
 * schemas, and sentences that are arguments of functions. `module` is its syntax tree.
 */
export function withoutDescriptions(code: string, module: unknown): string {
  const cuts: Cut[] = [];
  visit(module, cuts);
  // From the end, so that earlier offsets stay valid.
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

/** The schema of `schema.annotate({…})`, if all of its annotations are for readers. */
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
    // Including the comma behind it, or up to the brace.
    const end = fields[at + 1]?.start ?? node.end - 1;
    if (isField(field)) cuts.push({ start: field.start, end, instead: "" });
    else visit(field, cuts);
  }
}

/** Only descriptions end with a full stop; messages of errors have none. */
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
