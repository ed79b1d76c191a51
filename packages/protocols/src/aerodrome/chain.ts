import {
  type Address,
  FEE_IN_STATE,
  type PoolListing,
  REFUSED,
  type TokenPosition,
} from "@millrace/core";
import { Schema } from "effect";
import { keccak256, toEventSelector, toFunctionSelector } from "viem/utils";
import {
  type Asking,
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  type Creation,
  EVERY_POOL,
  type FollowedDex,
  type FollowedState,
  IMPOSSIBLE,
  type LogEffect,
  type LoggedSwap,
  type NewPool,
  type PoolRefusal,
  type QuoteCall,
} from "../ChainProtocol.ts";
import {
  addressInTopic,
  addressInWord,
  callOfWords,
  firstWordsOf,
  loggedSwap,
  newPairOf,
  wordsOf,
} from "../chainWords.ts";
import { FEE_FIRST } from "../curves/constantProduct/math.ts";
import { constantProduct } from "../curves/constantProduct/pool.ts";
import { solidlyStable } from "../curves/solidlyStable/pool.ts";
import { derivedAddresses, isDerived } from "../dexSettings.ts";
import { readFeePips, readReserves } from "../pairState.ts";
import {
  areHeld,
  chargedFee,
  customFeeOf,
  FEE_END,
  isStablePool,
  PIPS_A_POINT,
  type Reserves,
  solidlyPrice,
  solidlyState,
  solidlyVirtualReserves,
  withKindFee,
} from "../solidlyState.ts";

const POOL_CREATED = toEventSelector("PoolCreated(address,address,bool,address,uint256)");
const SET_CUSTOM_FEE = toEventSelector("SetCustomFee(address,uint256)");
const SET_PAUSE_STATE = toEventSelector("SetPauseState(bool)");
/** Not `Sync(uint112,uint112)`, which is another topic and belongs to Uniswap V2's family. */
const SYNC = toEventSelector("Sync(uint256,uint256)");
const SWAP = toEventSelector("Swap(address,address,uint256,uint256,uint256,uint256)");

const METADATA = toFunctionSelector("metadata()");
const GET_RESERVES = toFunctionSelector("getReserves()");
const GET_AMOUNT_OUT = toFunctionSelector("getAmountOut(uint256,address)");
const GET_FEE = toFunctionSelector("getFee(address,bool)");
const CUSTOM_FEE = toFunctionSelector("customFee(address)");
const STABLE_FEE = toFunctionSelector("stableFee()");
const VOLATILE_FEE = toFunctionSelector("volatileFee()");
const IS_PAUSED = toFunctionSelector("isPaused()");

/** The contract cannot be made for tokens with more: 10^78 does not fit 256 bits. */
const DECIMALS_MAX = 77;

const PAUSED: PoolRefusal = { refused: "paused" };
const ODD_FEE: PoolRefusal = { refused: "a fee that no rule describes" };
const WIDE_RESERVE: PoolRefusal = { refused: "a reserve of more than 128 bits" };

const settings = derivedAddresses;
const Settings = Schema.Struct(settings);
const decodeSettings = Schema.decodeUnknownSync(Settings);

/**
 * Pools of Aerodrome and Velodrome V2: volatile along x·y = k, stable along x³y + xy³ = k. `Sync`
 * gives the reserves after the fees have left; every change of them emits it.
 *
 * The factory keeps the fees: a pool's own where one is set, which a log reports; otherwise that of
 * its kind, which changes without a log and is read at every block, once for all pools. While the
 * factory is paused no pool swaps, and none is in the market. The state's one note is the fee that
 * was set for the pool, as the factory encodes it.
 */
export const aerodromeChain: ChainProtocol = { name: "aerodrome", settings, open };

function open(dex: ChainDex): FollowedDex {
  const own = decodeSettings(dex);
  const factory = dex.factory.toLowerCase() as Address;
  const kindFee = new Map(
    [true, false].map((stable) => [
      stable,
      [{ to: factory, data: stable ? STABLE_FEE : VOLATILE_FEE }],
    ]),
  );
  return {
    dex,
    creationTopics: [POOL_CREATED],
    decodeCreation: (log) => decodeCreation(dex, own, log),
    creationNumber: ({ data }) => wordsOf(data, 2)?.[1],
    poolTopics: [SYNC, SWAP, SET_CUSTOM_FEE, SET_PAUSE_STATE],
    sharedLogs: {
      contracts: [factory],
      keyOf: ({ topics: [topic, pool = ""] }) => {
        if (topic === SET_PAUSE_STATE) return EVERY_POOL;
        return topic === SET_CUSTOM_FEE ? addressInWord(pool) : undefined;
      },
    },
    applyLog,
    decodeSwap,
    makerIn: addressInTopic(2),
    eachBlock: {
      calls: (pool) => kindFee.get(isStablePool(pool))!,
      apply: (_pool, state, [answer]) => withKindFee(state, answer),
    },
    read: (pool) => read(factory, pool),
    shallowRead: ({ address }) => [{ to: address, data: GET_RESERVES }],
    virtualReserves: solidlyVirtualReserves,
    quoteCall,
  };
}

function decodeCreation(
  dex: ChainDex,
  own: typeof Settings.Type,
  log: ChainLog,
): Creation | undefined {
  const { topics, data } = log;
  if (log.address !== dex.factory.toLowerCase()) return undefined;
  if (topics[0] !== POOL_CREATED || topics.length !== 4) return undefined;
  const pair = wordsOf(data, 2) && newPairOf(log, 0);
  const [stable] = wordsOf(topics[3], 1) ?? [];
  if (pair === undefined || stable === undefined || stable > 1n) return undefined;
  const { token0, token1, address } = pair;
  const salt = keccak256(`${token0}${token1.slice(2)}0${stable}`);
  if (!isDerived(address, dex, own, salt)) return undefined;
  const listing = {
    ...{ address, dexId: dex.id, tokens: [token0, token1] },
    feePips: FEE_IN_STATE,
  };
  if (stable === 1n) return { resolve: () => resolveStable(listing) };
  // The log does not tell the fee.
  return {
    listing: { ...listing, curve: constantProduct.name, parameter: FEE_FIRST },
    created: undefined,
  };
}

/** The curve computes with the decimals that the tokens had when the pool was created. */
function* resolveStable(
  listing: Omit<PoolListing, "parameter" | "curve">,
): Asking<NewPool | undefined> {
  const [answer] = yield [{ to: listing.address, data: METADATA }];
  const decimals = firstWordsOf(answer, 2)?.map(decimalsOf);
  if (decimals?.every((each) => each !== undefined) !== true) return undefined;
  const constants = BigUint64Array.from(decimals, (each) => BigInt(each!));
  return {
    listing: { ...listing, curve: solidlyStable.name, parameter: 0, constants },
    created: undefined,
  };
}

/** n of 10ⁿ; undefined of other numbers. */
function decimalsOf(multiplier: bigint): number | undefined {
  const decimals = String(multiplier).length - 1;
  return decimals <= DECIMALS_MAX && multiplier === 10n ** BigInt(decimals) ? decimals : undefined;
}

function applyLog(
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect | PoolRefusal | typeof IMPOSSIBLE | undefined {
  switch (log.topics[0]) {
    case SYNC:
      return afterSync(pool, state, log);
    case SWAP:
      return ofSwap(pool, state, log);
    case SET_CUSTOM_FEE:
      return afterCustomFee(pool, state, log);
    case SET_PAUSE_STATE:
      return afterPause(state, log);
    default:
      return undefined;
  }
}

function afterSync(
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect | PoolRefusal | typeof IMPOSSIBLE {
  const reserves = syncIn(log);
  if (reserves === undefined) return IMPOSSIBLE;
  if (!areHeld(pool, reserves)) return WIDE_RESERVE;
  return { state: solidlyState(state, reserves, readFeePips(state), customFeeOf(state)) };
}

/** The pool's `Sync` came before its `Swap`: there is nothing left to change. */
function ofSwap(
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect | typeof IMPOSSIBLE {
  const amounts = amountsIn(log);
  if (amounts === undefined) return IMPOSSIBLE;
  const swap = loggedSwap(...amounts, solidlyPrice(pool, readReserves(state)));
  return swap === undefined ? { state } : { state, swap };
}

/** When a pool's own fee is removed, the fee of its kind is read at the end of the block. */
function afterCustomFee(
  pool: PoolListing,
  state: FollowedState,
  { topics, data }: ChainLog,
): LogEffect | typeof IMPOSSIBLE {
  const isOfPool = topics.length === 2 && addressInWord(topics[1]!) === pool.address;
  const [customFee] = isOfPool ? (wordsOf(data, 1) ?? []) : [];
  if (customFee === undefined || customFee >= FEE_END) return IMPOSSIBLE;
  const feePips = customFee === 0n ? readFeePips(state) : PIPS_A_POINT * chargedFee(customFee, 0n);
  return { state: solidlyState(state, readReserves(state), feePips, customFee) };
}

function afterPause(
  state: FollowedState,
  { topics, data }: ChainLog,
): LogEffect | PoolRefusal | typeof IMPOSSIBLE {
  const [isPaused] = topics.length === 2 && data === "0x" ? (wordsOf(topics[1], 1) ?? []) : [];
  if (isPaused === undefined || isPaused > 1n) return IMPOSSIBLE;
  return isPaused === 1n ? PAUSED : { state };
}

function decodeSwap(
  pool: PoolListing,
  log: ChainLog,
  before: ChainLog | undefined,
): LoggedSwap | undefined {
  const amounts = log.topics[0] === SWAP ? amountsIn(log) : undefined;
  if (amounts === undefined) return undefined;
  const reserves = before?.topics[0] === SYNC ? syncIn(before) : undefined;
  return loggedSwap(...amounts, reserves === undefined ? 0 : solidlyPrice(pool, reserves));
}

/** The reserves of a Sync, of any width. */
function syncIn({ topics, data }: ChainLog): Reserves | undefined {
  const reserves = topics.length === 1 ? wordsOf(data, 2) : undefined;
  return reserves && [reserves[0]!, reserves[1]!];
}

/** By how much a Swap made the two reserves grow, its fees included. */
function amountsIn({ topics, data }: ChainLog): [bigint, bigint] | undefined {
  const isWhole = topics.length === 3 && topics.slice(1).every(addressInWord);
  const amounts = isWhole ? wordsOf(data, 4) : undefined;
  if (amounts === undefined) return undefined;
  const [in0, in1, out0, out1] = amounts as [bigint, bigint, bigint, bigint];
  return [in0 - out0, in1 - out1];
}

function* read(
  factory: Address,
  pool: PoolListing,
): Asking<FollowedState | PoolRefusal | undefined> {
  const kind = isStablePool(pool) ? 1n : 0n;
  const address = BigInt(pool.address);
  const [metadata, ...answers] = yield [
    { to: pool.address, data: METADATA },
    callOfWords(factory, GET_FEE, [address, kind]),
    callOfWords(factory, CUSTOM_FEE, [address]),
    { to: factory, data: isStablePool(pool) ? STABLE_FEE : VOLATILE_FEE },
    { to: factory, data: IS_PAUSED },
  ];
  const described = wordsOf(metadata, 7);
  const [fee, customFee, kindFee, isPaused] = answers.map((answer) => wordsOf(answer, 1)?.[0]);
  if (described === undefined || !isOf(pool, described)) return undefined;
  if (fee === undefined || isPaused === undefined || isPaused > 1n) return undefined;
  if (isPaused === 1n) return PAUSED;
  // If a factory computes fees in another way, nobody knows when they change.
  if (customFee === undefined || kindFee === undefined || customFee >= FEE_END) return ODD_FEE;
  if (fee !== chargedFee(customFee, kindFee) || fee >= FEE_END) return ODD_FEE;
  const reserves: Reserves = [described[2]!, described[3]!];
  if (!areHeld(pool, reserves)) return WIDE_RESERVE;
  return solidlyState(undefined, reserves, PIPS_A_POINT * fee, customFee);
}

/** Whether `metadata` describes this pool: decimals, kind, tokens. */
function isOf(pool: PoolListing, described: ReadonlyArray<bigint>): boolean {
  const { tokens, constants } = pool;
  if (described[4] !== (isStablePool(pool) ? 1n : 0n)) return false;
  if (!tokens.every((token, position) => BigInt(token) === described[5 + position])) return false;
  if (!isStablePool(pool)) return true;
  return [0, 1].every(
    (position) => decimalsOf(described[position]!) === Number(constants?.[position]),
  );
}

/** A paused pool answers too, but it is not in the market. */
function quoteCall(
  { address, tokens }: PoolListing,
  positionIn: TokenPosition,
  _positionOut: TokenPosition,
  amountIn: bigint,
): QuoteCall {
  return {
    call: callOfWords(address, GET_AMOUNT_OUT, [amountIn, BigInt(tokens[positionIn]!)]),
    amountOut: (answer) => (answer === undefined ? REFUSED : wordsOf(answer, 1)?.[0]),
  };
}
