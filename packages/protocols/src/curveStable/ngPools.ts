import { type Address, FEE_IN_STATE } from "@millrace/core";
import { toFunctionSelector } from "viem/utils";
import type { Asking, CallAnswer, ChainDex, NewPool, PoolRefusal } from "../ChainProtocol.ts";
import { callOfWords } from "../chainWords.ts";
import { stableSwap } from "../curves/stableSwap/pool.ts";
import { addressesOf, addressIn, listIn, numberIn, textAnswer } from "./answers.ts";
import {
  BASE_POOL,
  encodeRateSources,
  ORACLE,
  PLAIN,
  type RateSource,
  REBASING,
  VAULT,
} from "./rates.ts";
import { type CurveSettings, NG_VERSION } from "./settings.ts";

const FIND_POOL = toFunctionSelector("find_pool_for_coins(address,address,uint256)");
const GET_COINS = toFunctionSelector("get_coins(address)");
const GET_DECIMALS = toFunctionSelector("get_decimals(address)");
const GET_ASSET_TYPES = toFunctionSelector("get_pool_asset_types(address)");
const GET_BASE_POOL = toFunctionSelector("get_base_pool(address)");
const VERSION = toFunctionSelector("version()");
const COINS = toFunctionSelector("coins(uint256)");
const ASSET = toFunctionSelector("asset()");
const DECIMALS = toFunctionSelector("decimals()");

/** The version whose arithmetic the curve has. */
const KNOWN_VERSION = textAnswer("v7.0.0");
/** Pools of the same coins that are looked at. */
const NAMESAKES_MAX = 32;
const DECIMALS_MAX = 18;

const UNKNOWN_VERSION: PoolRefusal = { refused: "an unknown version" };
const REBASING_COIN: PoolRefusal = { refused: "a rebasing coin" };
const UNLISTED_ORACLE: PoolRefusal = { refused: "an oracle that is not listed" };
const UNLISTED_COIN: PoolRefusal = { refused: "a metapool of a coin that is not listed" };
const ODD_COIN: PoolRefusal = { refused: "a coin of an unknown type" };

/** What the factory's log says of a pool; its address is not among it. */
export type LoggedPool =
  | { readonly coins: ReadonlyArray<Address> }
  | { readonly coin: Address; readonly basePool: Address };

/** What a factory says of a pool. */
interface Described {
  readonly address: Address;
  readonly coins: ReadonlyArray<Address>;
  readonly decimals: ReadonlyArray<number>;
  readonly types: ReadonlyArray<number>;
  readonly isKnown: boolean;
}

/**
 * The factory's pools that a log may be of: all with these coins, since nothing else tells them
 * apart. A refusal counts only where no pool is left.
 */
export function* resolveNg(
  dex: ChainDex,
  settings: CurveSettings,
  logged: LoggedPool,
): Asking<ReadonlyArray<NewPool> | PoolRefusal | undefined> {
  const factory = dex.factory.toLowerCase() as Address;
  const basePool = "basePool" in logged ? logged.basePool : undefined;
  const pair = "coins" in logged ? logged.coins.slice(0, 2) : yield* pairOf(logged);
  if (pair?.length !== 2) return undefined;
  const words = pair.map(BigInt);
  const answers = yield Array.from({ length: NAMESAKES_MAX }, (_, index) =>
    callOfWords(factory, FIND_POOL, [...words, BigInt(index)]),
  );
  const found = new Set(answers.flatMap((answer) => addressIn(answer) ?? []));
  const described: Described[] = [];
  for (const address of found) {
    const pool = yield* describe(factory, address, basePool);
    if (pool !== undefined && isOfLog(pool, logged)) described.push(pool);
  }
  const pools: NewPool[] = [];
  let refusal: PoolRefusal | undefined;
  for (const pool of described) {
    const resolved = yield* listingOf(dex, settings, pool, basePool);
    if ("refused" in resolved) refusal = resolved;
    else pools.push(resolved);
  }
  return pools.length > 0 ? pools : refusal;
}

/** A metapool is listed for its coin and the coins of its base pool. */
function* pairOf({ coin, basePool }: Extract<LoggedPool, { coin: Address }>) {
  const [answer]: ReadonlyArray<CallAnswer> = yield [callOfWords(basePool, COINS, [0n])];
  const first = addressIn(answer);
  return first && [coin, first];
}

function isOfLog({ coins }: Described, logged: LoggedPool): boolean {
  if ("coin" in logged) return coins.length === 2 && coins[0] === logged.coin;
  return coins.join() === logged.coins.join();
}

/** Undefined where the pool has another base pool, or the factory's answers make no sense. */
function* describe(factory: Address, address: Address, basePool: Address | undefined) {
  const word = BigInt(address);
  const answers: ReadonlyArray<CallAnswer> = yield [
    ...[GET_COINS, GET_DECIMALS, GET_ASSET_TYPES, GET_BASE_POOL].map((selector) =>
      callOfWords(factory, selector, [word]),
    ),
    { to: address, data: VERSION },
  ];
  const coins = addressesOf(listIn(answers[0]));
  const decimals = listIn(answers[1])?.map(Number);
  const types = listIn(answers[2])?.map(Number);
  if (coins === undefined || decimals === undefined || types === undefined) return undefined;
  if (addressIn(answers[3]) !== basePool || decimals.length !== coins.length) return undefined;
  if (coins.length < 2 || decimals.some((each) => each > DECIMALS_MAX)) return undefined;
  return { address, coins, decimals, types, isKnown: answers[4] === KNOWN_VERSION };
}

function* listingOf(
  dex: ChainDex,
  settings: CurveSettings,
  { address, coins, decimals, types, isKnown }: Described,
  basePool: Address | undefined,
) {
  if (!isKnown) return UNKNOWN_VERSION;
  if (basePool !== undefined && !settings.ordinaryCoins.has(coins[0]!)) return UNLISTED_COIN;
  const sources: RateSource[] = [];
  for (const [position, coin] of coins.entries()) {
    // For a metapool the factory gives the types of its base pool's coins.
    const type = basePool === undefined ? types[position] : PLAIN;
    if (type === REBASING) return REBASING_COIN;
    if (type === ORACLE && !settings.oracles.has(coin)) return UNLISTED_ORACLE;
    if (type !== PLAIN && type !== ORACLE && type !== VAULT) return ODD_COIN;
    const assetDecimals = type === VAULT ? yield* assetDecimalsOf(coin) : 0;
    if (assetDecimals === undefined) return ODD_COIN;
    const kind = basePool !== undefined && position === 1 ? BASE_POOL : type;
    sources.push({ kind, decimals: decimals[position]!, assetDecimals });
  }
  const { rules, aPrecision } = NG_VERSION;
  const resolved: NewPool = {
    listing: {
      ...{ address, dexId: dex.id, curve: stableSwap.name, tokens: coins },
      ...{ feePips: FEE_IN_STATE, parameter: rules },
      constants: encodeRateSources(aPrecision, false, sources, basePool),
    },
    created: undefined,
  };
  return resolved;
}

function* assetDecimalsOf(vault: Address) {
  const [answer]: ReadonlyArray<CallAnswer> = yield [{ to: vault, data: ASSET }];
  const asset = addressIn(answer);
  if (asset === undefined) return undefined;
  const [found]: ReadonlyArray<CallAnswer> = yield [{ to: asset, data: DECIMALS }];
  const decimals = numberIn(found);
  return decimals !== undefined && decimals <= DECIMALS_MAX ? Number(decimals) : undefined;
}
