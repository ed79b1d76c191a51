import { openApiDocument } from "../openApi.ts";
import { PROBLEMS } from "../problems.ts";
import {
  type AsyncApiDocument,
  type AsyncApiMessage,
  asyncApiDocument,
  type StreamOperation,
} from "../streaming/asyncApi.ts";
import {
  curlLines,
  DEFAULT_EXAMPLES,
  type ReferenceExamples,
  type ReferenceOperation,
} from "./curlLine.ts";
import { escape, type Json, lastOf, list, object, prose, shownText } from "./html.ts";
import { quickstart } from "./quickstart.ts";
import { REFERENCE_STYLE } from "./referenceStyle.ts";

/**
 * The reference as one HTML page, made from the OpenAPI and AsyncAPI documents. It has no scripts
 * and loads nothing, so that it works without a network. Its shell commands use the examples. The
 * first call takes tens of milliseconds.
 */
export function referencePage(examples: ReferenceExamples = DEFAULT_EXAMPLES): string {
  madeParts ??= makeParts();
  const { before, groups, schemas, after } = madeParts;
  const operations = groups.map(section(curlLines(schemas, examples)));
  return [before, quickstart(examples), ...operations, after].join("\n");
}

/** Parts of the page that do not depend on the examples. */
interface PageParts {
  readonly before: string;
  readonly groups: ReadonlyArray<Group>;
  /** Schemas of the OpenAPI document. */
  readonly schemas: Json;
  readonly after: string;
}

let madeParts: PageParts | undefined;

function makeParts(): PageParts {
  const spec = openApiDocument() as unknown as Json;
  const info = object(spec["info"]);
  const tags = list(spec["tags"]).map(object);
  const operations = operationsOf(object(spec["paths"]));
  const groups = tags.map((tag) => ({
    tag,
    operations: operations.filter(({ operation }) => list(operation["tags"]).includes(tag["name"])),
  }));
  const stream = asyncApiDocument();
  const schemas = object(object(spec["components"])["schemas"]);
  const shown = Object.entries({ ...stream.components.schemas, ...schemas })
    .filter(([name]) => !/Encoded$|_\d+$/.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const title = escape(`${shownText(info["title"])} ${shownText(info["version"])}`);
  const before = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body>
<nav><ul><li><a href="#quickstart">Quickstart</a></li></ul>${groups.map(navigation).join("")}
<h2>Streams</h2><ul><li><a href="#streams"><b>GET</b> ${stream.channels.stream.address}</a></li>${Object.keys(stream.operations).map(streamLink).join("")}</ul>
<h2>More</h2><ul><li><a href="#problems">Problems</a></li><li><a href="#schemas">Schemas</a></li><li><a href="/openapi.json">OpenAPI document</a></li><li><a href="/asyncapi.json">AsyncAPI document</a></li></ul></nav>
<main>
<h1>${title}</h1>
<p>${prose(info["description"])}</p>`;
  const after = `<h2 id="streams">Streams</h2>
<p><code><b>GET</b> ${stream.channels.stream.address}</code> upgrades to a WebSocket.</p>
${paragraphs(stream.channels.stream.description)}
${Object.entries(stream.operations).map(streamSection(stream)).join("\n")}
<h2 id="problems">Problems</h2>
<p>Failures outside the market-data interface are <code>application/problem+json</code> (RFC 9457): <code>type</code>, <code>title</code>, <code>status</code>, <code>detail</code>, <code>code</code>, and <code>issues</code> where input is invalid.</p>
<table><tr><th>code</th><th>status</th><th>title</th></tr>${problems()}</table>
<h2 id="schemas">Schemas</h2>
${shown.map(([name, schema]) => schemaSection(name, object(schema))).join("\n")}
</main>
</body>
</html>
`;
  return { before, groups, schemas, after };
}

interface Group {
  readonly tag: Json;
  readonly operations: ReadonlyArray<ReferenceOperation>;
}

function operationsOf(paths: Json): ReferenceOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(object(item)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: object(operation),
    })),
  );
}

const navigation = ({ tag, operations }: Group): string =>
  `<h2>${prose(tag["name"])}</h2><ul>${operations
    .map(
      ({ method, operation, path }) =>
        `<li><a href="#${anchor(operation)}"><b>${method}</b> ${escape(path)}</a></li>`,
    )
    .join("")}</ul>`;

const section =
  (curl: Curl) =>
  ({ tag, operations }: Group): string =>
    `<h2>${prose(tag["name"])}</h2>\n<p>${prose(tag["description"])}</p>\n${operations.map((operation) => operationSection(operation, curl(operation))).join("\n")}`;

type Curl = ReturnType<typeof curlLines>;

function operationSection({ method, path, operation }: ReferenceOperation, curl: string): string {
  const body = object(object(object(operation["requestBody"])["content"])["application/json"]);
  const responses = Object.entries(object(operation["responses"]));
  return `<section id="${anchor(operation)}">
<h3><code><b>${method}</b> ${escape(path)}</code></h3>
<p>${prose(operation["summary"])}. ${prose(operation["description"])}</p>
${curl === "" ? "" : `<pre>${escape(curl)}</pre>`}
${parameters(list(operation["parameters"]).map(object))}
${Object.keys(body).length === 0 ? "" : `<p>Body: ${type(object(body["schema"]))}</p>`}
<table><tr><th>status</th><th>answer</th></tr>${responses.map(response).join("")}</table>
</section>`;
}

function parameters(all: ReadonlyArray<Json>): string {
  if (all.length === 0) return "";
  const rows = all.map((parameter) => {
    const schema = object(parameter["schema"]);
    const required = parameter["required"] === true ? ", required" : "";
    return `<tr><td><code>${prose(parameter["name"])}</code></td><td>${prose(parameter["in"])}${required}</td><td>${type(schema)}</td><td>${prose(schema["description"])}</td></tr>`;
  });
  return `<table><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr>${rows.join("")}</table>`;
}

function response([status, answer]: [string, unknown]): string {
  const { content, description } = object(answer);
  const types = Object.entries(object(content)).map(
    ([contentType, media]) =>
      `${type(object(object(media)["schema"]))} <small>${escape(contentType)}</small>`,
  );
  // A success without a description still shows the name of its schema.
  const said = status.startsWith("2") ? "" : `${prose(description)} `;
  return `<tr><td>${escape(status)}</td><td>${said}${types.join("<br>")}</td></tr>`;
}

const problems = (): string =>
  Object.entries(PROBLEMS)
    .map(
      ([code, { status, title }]) =>
        `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${escape(title)}</td></tr>`,
    )
    .join("");

const streamLink = (name: string): string =>
  `<li><a href="#stream-${name}">${escape(name)}</a></li>`;

/** A stream operation: what one side sends, and what the other answers. */
const streamSection =
  ({ components }: AsyncApiDocument) =>
  ([name, { summary, messages, ...rest }]: [string, StreamOperation]): string => {
    const all = [...messages, ...(rest.reply?.messages ?? [])]
      .map(({ $ref }) => components.messages[lastOf($ref)]!)
      // An answer to several operations is shown with the first; `error` only with `subscribe`.
      .filter((message) => message.name !== "error" || name === "subscribe");
    return `<h3 id="stream-${name}">${escape(name)}</h3>\n<p>${prose(summary)}</p>\n${all.map(messageSection).join("\n")}`;
  };

function messageSection({ name, summary, payload, examples }: AsyncApiMessage): string {
  const shown = examples.map((example) => `<pre>${escape(JSON.stringify(example.payload))}</pre>`);
  return `<section id="message-${escape(name)}"><h4><code>${escape(name)}</code></h4><p>${prose(summary)}</p>${fieldTable(payload)}${shown.join("")}</section>`;
}

function schemaSection(name: string, schema: Json): string {
  const [example] = list(schema["examples"]);
  const shown =
    typeof example === "object" ? `<pre>${escape(JSON.stringify(example, null, 2))}</pre>` : "";
  return `<section id="schema-${escape(name)}"><h3>${escape(name)}</h3><p>${prose(schema["description"])}</p>${fieldTable(schema)}${shown}</section>`;
}

function fieldTable(schema: Json): string {
  const required = new Set(list(schema["required"]));
  const fields = Object.entries(object(schema["properties"])).map(([field, value]) => {
    const described = object(value);
    const optional = required.has(field) ? "" : " <small>optional</small>";
    return `<tr><td><code>${escape(field)}</code>${optional}</td><td>${type(described)}</td><td>${prose(descriptionOf(described))}</td></tr>`;
  });
  return fields.length === 0 ? `<p>${type(schema)}</p>` : `<table>${fields.join("")}</table>`;
}

/** A schema in a few words, with links to schemas that have a section. */
function type(schema: Json): string {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const name = lastOf(reference).replace(/_\d+$/, "");
    if (name.endsWith("Encoded")) return "";
    return `<a href="#schema-${escape(name)}">${escape(name)}</a>`;
  }
  const alternatives = list(schema["anyOf"] ?? schema["oneOf"]);
  if (alternatives.length > 0) {
    return [...new Set(alternatives.map((item) => type(object(item))))]
      .filter(Boolean)
      .join(" or ");
  }
  if (schema["type"] === undefined) {
    const [first] = list(schema["allOf"]);
    return first === undefined ? "any" : type(object(first));
  }
  if (schema["type"] === "array") {
    const [first] = list(schema["prefixItems"] ?? schema["items"]);
    return `list of ${type(object(first ?? schema["items"]))}`;
  }
  const values = list(schema["enum"]);
  const one =
    values.length > 0 && values.length <= 4 ? `: ${values.map(shownText).join(", ")}` : "";
  return `${prose(schema["type"])}${escape(one)}`;
}

function descriptionOf(schema: Json): unknown {
  const parts = list(schema["allOf"]).map(object);
  return schema["description"] ?? parts.find((part) => "description" in part)?.["description"];
}

const anchor = (operation: Json): string => escape(shownText(operation["operationId"]));

const paragraphs = (value: string): string =>
  value
    .split("\n\n")
    .map((paragraph) => `<p>${prose(paragraph)}</p>`)
    .join("\n");
