import { NATIVE_TOKEN } from "../address.ts";
import { type Json, lastOf, list, object, shownText } from "./html.ts";

/** Examples in the reference page's shell commands. */
export interface ReferenceExamples {
  /** A network's id. */
  readonly network: string;
  /** Address of one of its tokens, not the native one. */
  readonly token: string;
  /** Address or id of one of its pools. */
  readonly pool: string;
}

/** On Ethereum: USDC, and its pool with WETH on Uniswap V2. */
export const DEFAULT_EXAMPLES: ReferenceExamples = {
  network: "ETH",
  token: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
  pool: "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc",
};

/** An operation of the OpenAPI document. */
export interface ReferenceOperation {
  /** In upper case. */
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly operation: Json;
}

/** Where a service listens by default. curl assumes http. */
export const USUAL_ADDRESS = "127.0.0.1:8080";

/**
 * The shell command for an operation, with the given examples and those of the schemas; "" for
 * operations that only the service's own pages may use.
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
  // Some shells take a question mark for a file name pattern.
  const asked = `curl -s ${path.includes("?") ? quoted(address) : address}`;
  return body === undefined ? asked : `${asked} -d ${quoted(JSON.stringify(body))}`;
}

/** A request for what one native token buys. */
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

/** A path segment that is safe in a URL and in a shell. */
const plainWord = (value: string): string =>
  encodeURIComponent(value).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );

/** Quoted for a shell, which then takes every character literally. */
const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;
