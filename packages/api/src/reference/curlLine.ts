import { NATIVE_TOKEN } from "../address.ts";
import { type Json, lastOf, list, object, shownText } from "./html.ts";

/** What the reference page asks for in its lines for a shell. */
export interface ReferenceExamples {
  /** A network's id. */
  readonly network: string;
  /** A token of it, by its address, which is not its native one. */
  readonly token: string;
  /** A pool of it, by its address or id. */
  readonly pool: string;
}

/** Of Ethereum: USDC, and its pool with WETH on Uniswap V2. */
export const DEFAULT_EXAMPLES: ReferenceExamples = {
  network: "ETH",
  token: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
  pool: "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc",
};

/** An operation of the OpenAPI document. */
export interface ReferenceOperation {
  /** In upper case. */
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly operation: Json;
}

/** Where a service listens that nobody configured. curl takes it for http. */
export const USUAL_ADDRESS = "127.0.0.1:8080";

/**
 * The line for a shell that asks for an operation, by the examples and those of the schemas; "" for
 * what pages of the service alone may ask.
 */
export const curlLines =
  (schemas: Json, examples: ReferenceExamples) =>
  ({ method, path, operation }: ReferenceOperation): string => {
    if ("403" in object(operation["responses"])) return "";
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      plainWord(parameterOf(path, name, examples)),
    );
    if (method === "GET") return curlLine(address);
    const body = object(object(object(operation["requestBody"])["content"])["application/json"]);
    return curlLine(address, bodyOf(object(body["schema"]), schemas, examples));
  };

/** A GET of a path, or a POST of a body. */
export function curlLine(path: string, body?: unknown): string {
  const address = `${USUAL_ADDRESS}${path}`;
  // Some shells take the mark for a pattern of file names.
  const asked = `curl -s ${path.includes("?") ? quoted(address) : address}`;
  return body === undefined ? asked : `${asked} -d ${quoted(JSON.stringify(body))}`;
}

/** What one native token buys. */
export const quoteOf = ({ token }: ReferenceExamples): Json => ({
  tokenA: NATIVE_TOKEN,
  tokenB: token,
  amountIn: "1000000000000000000",
});

function parameterOf(path: string, name: string, examples: ReferenceExamples): string {
  if (name === "network") return examples.network;
  if (name === "query") return "eth";
  return path.startsWith("/pools/") ? examples.pool : examples.token;
}

function bodyOf(schema: Json, schemas: Json, examples: ReferenceExamples): unknown {
  const name = lastOf(shownText(schema["$ref"]));
  const [example] = list(object(schemas[name])["examples"]);
  return name === "QuoteRequest" ? { ...object(example), ...quoteOf(examples) } : example;
}

/** A segment of a path that neither a URL nor a shell takes for anything else. */
const plainWord = (value: string): string =>
  encodeURIComponent(value).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );

/** For a shell: all that stands between its quotes is taken as it is. */
const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;
