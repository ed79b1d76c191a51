import { Schema } from "effect";
import { poolKinds } from "./kinds/poolKinds.ts";
import { AddressText, integerIn, matching, reader } from "./reader.ts";

/**
 * The JSON of a market file. Each part has its own decoder, so that a fault in one does not hide
 * those in others. Other keys are notes of the recorder, and are ignored.
 */

const DECIMALS_MAX = 255;
/** Numbers of blocks and seconds: far past any real one, and safe to multiply by 12,000. */
const COUNT_MAX = 100_000_000_000;

const Count = integerIn(0, COUNT_MAX);

const File = Schema.Struct({
  chainId: integerIn(1, Number.MAX_SAFE_INTEGER),
  block: Schema.optionalKey(Schema.NullOr(Count)),
  blockTimestamp: Schema.optionalKey(Schema.NullOr(Count)),
  tokens: Schema.Array(Schema.Unknown),
  pools: Schema.Array(Schema.Unknown),
  updates: Schema.optionalKey(Schema.Array(Schema.Unknown)),
});

const Token = Schema.Struct({
  address: AddressText,
  symbol: Schema.String,
  name: Schema.optionalKey(Schema.String),
  decimals: integerIn(0, DECIMALS_MAX),
});

/** The common fields of all pools. */
const Pool = Schema.Struct({
  id: matching(
    /^(0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})|(?!0x).{1,100})$/i,
    "an address, an id of 32 bytes, or a label of 1 to 100 characters",
  ),
  dex: Schema.optionalKey(matching(/^[A-Za-z0-9_-]{1,64}$/, "a DEX's id (letters, digits, _, -)")),
  kind: Schema.Literals([...poolKinds.keys()]),
});

const TokenPair = Schema.Struct({ token0: AddressText, token1: AddressText });
const Tokens = Schema.Struct({ tokens: Schema.Array(AddressText) });
const Update = Schema.Struct({ block: Count, pools: Schema.Unknown });

export type RecordedPool = typeof Pool.Type;

export const readFileShape = reader(File);
export const readTokenShape = reader(Token);
export const readPoolShape = reader(Pool);
export const readTokenPairShape = reader(TokenPair);
export const readTokensShape = reader(Tokens);
export const readUpdateShape = reader(Update);
