import type { Address } from "@millrace/core";
import { fieldsOf, readAddress } from "./jsonFields.ts";
import type { ListedToken } from "./ListedToken.ts";
import { Problems } from "./Problems.ts";
import { cleanText, isSafeText } from "./safeText.ts";

/** Number of entries read of one list; the largest lists in use have some ten thousand. */
const ENTRIES_MAX = 200_000;
/** In code points: more than any serious token has; the chain's own texts are bounded as well. */
const SYMBOL_MAX = 32;
const NAME_MAX = 64;
const DECIMALS_MAX = 255;

/** The tokens of one list on one chain. */
export interface TokenList {
  readonly tokens: ReadonlyMap<Address, ListedToken>;
  /** Why entries, or the whole list, were left out: the first reasons, then how many more. */
  readonly problems: ReadonlyArray<string>;
}

/**
 * Reads a token list in the Uniswap format (https://uniswap.org/tokenlist.schema.json): the tokens
 * of one chain, by address. Such lists are not trusted: an entry counts only when all of it is
 * sound, and an unsound one does not affect the others. Entries of other chains are ignored; of two
 * for one address, the first counts. Never throws.
 */
export function parseTokenList(json: unknown, chainId: number): TokenList {
  const tokens = new Map<Address, ListedToken>();
  const problems = new Problems();
  const entries = fieldsOf(json)?.["tokens"];
  if (!Array.isArray(entries)) {
    problems.add("no token list: there is no array `tokens`");
    return { tokens, problems: problems.list() };
  }
  if (entries.length > ENTRIES_MAX) {
    problems.add(`only the first ${ENTRIES_MAX} of ${entries.length} entries are read`);
  }
  for (let position = 0; position < Math.min(entries.length, ENTRIES_MAX); position++) {
    const entry = readEntry(entries[position], chainId);
    if (entry === undefined) continue;
    if (typeof entry === "string") problems.add(`entry ${position}: ${entry}`);
    else if (tokens.has(entry.address)) problems.add(repetition(tokens, position, entry));
    else tokens.set(entry.address, entry.token);
  }
  return { tokens, problems: problems.list() };
}

interface Entry {
  readonly address: Address;
  readonly token: ListedToken;
}

/**
 * A sound entry, a text about what is wrong with it, or undefined for an entry of another chain.
 */
function readEntry(json: unknown, chainId: number): Entry | string | undefined {
  const fields = fieldsOf(json);
  if (fields === undefined) return "it is no object";
  if (!isWholeUpTo(fields["chainId"], Number.MAX_SAFE_INTEGER)) return "its chainId is no number";
  if (fields["chainId"] !== chainId) return undefined;
  const address = readAddress(fields["address"]);
  if (address === undefined) return "its address is none";
  const decimals = fields["decimals"];
  if (!isWholeUpTo(decimals, DECIMALS_MAX)) return `${address} has impossible decimals`;
  const symbol = readText(fields["symbol"], SYMBOL_MAX);
  if (symbol === undefined) return `${address} has no symbol that can be shown`;
  const name = readText(fields["name"], NAME_MAX);
  if (name === undefined) return `${address} has no name that can be shown`;
  return { address, token: { symbol, name, decimals } };
}

function isWholeUpTo(json: unknown, most: number): json is number {
  return Number.isInteger(json) && (json as number) >= 0 && (json as number) <= most;
}

/**
 * A text of at most `most` code points, apart from surrounding blanks; undefined for one with
 * hidden characters.
 */
function readText(json: unknown, most: number): string | undefined {
  // Two units per code point, and some blanks.
  if (typeof json !== "string" || json.length > 4 * most) return undefined;
  const text = json.trim();
  return isSafeText(text) && [...text].length <= most ? cleanText(text) : undefined;
}

function repetition(
  tokens: ReadonlyMap<Address, ListedToken>,
  position: number,
  { address, token }: Entry,
): string {
  const first = tokens.get(address)!.decimals;
  const contradiction =
    first === token.decimals ? "" : `, with ${token.decimals} decimals instead of ${first}`;
  return `entry ${position}: ${address} is listed before${contradiction}`;
}
