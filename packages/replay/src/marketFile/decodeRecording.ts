import { type Address, type MarketBlock, NO_HASH, type TokenListing } from "@millrace/core";
import { decodePools } from "./decodePools.ts";
import { decodeUpdates } from "./decodeUpdates.ts";
import type { Faults } from "./Faults.ts";
import { readFileShape, readTokenShape } from "./shape.ts";

/** A market file, decoded. */
export interface Recording {
  readonly chainId: number;
  /** The market as recorded. */
  readonly first: MarketBlock;
  /** The blocks that followed, ascending. */
  readonly updates: ReadonlyArray<MarketBlock>;
}

const BLOCK_MS = 12_000;
const TEXT_LENGTH_MAX = 64;

/** The recording in a file's JSON. Adds all faults to `faults`. */
export function decodeRecording(json: unknown, faults: Faults): Recording | undefined {
  const file = readFileShape(json, "", faults);
  if (file === undefined) return undefined;
  const number = file.block ?? 0;
  const startMs = 1_000 * (file.blockTimestamp ?? 0);
  const blockAt = (at: number): MarketBlock => ({
    stamp: { number: at, hash: NO_HASH, timestampMs: startMs + BLOCK_MS * (at - number) },
    dexes: [],
    tokens: [],
    pools: [],
    removedPools: [],
    states: [],
    swaps: [],
    supplies: [],
  });

  const tokens = decodeTokens(file.tokens, faults);
  const { dexes, pools } = decodePools(file.chainId, file.pools, tokens, faults);
  const entries = [...pools.values()];
  return {
    chainId: file.chainId,
    first: {
      ...blockAt(number),
      dexes: [...dexes.values()],
      tokens: [...tokens.values()],
      pools: entries.map(({ listing }) => listing),
      states: entries.map(({ listing, state }) => ({ pool: listing.address, state })),
    },
    updates: decodeUpdates(file.updates ?? [], number, pools, faults).map(({ block, states }) => ({
      ...blockAt(block),
      states,
    })),
  };
}

function decodeTokens(
  inputs: ReadonlyArray<unknown>,
  faults: Faults,
): ReadonlyMap<string, TokenListing> {
  const tokens = new Map<string, TokenListing>();
  for (const [place, input] of inputs.entries()) {
    const path = `tokens[${place}]`;
    const token = readTokenShape(input, path, faults);
    if (token === undefined) continue;
    const address = token.address.toLowerCase() as Address;
    if (tokens.has(address)) faults.add(path, `${address} stands twice`);
    // A token without a name or symbol is shown by its address.
    const symbol = cleanText(token.symbol) || address;
    const name = cleanText(token.name ?? "") || symbol;
    tokens.set(address, { address, decimals: token.decimals, symbol, name });
  }
  return tokens;
}

/**
 * Text that is safe to show: short, and without control, bidirectional or zero-width characters.
 */
function cleanText(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, "").trim();
  return [...visible].slice(0, TEXT_LENGTH_MAX).join("");
}
