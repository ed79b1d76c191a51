import {
  type Address,
  decodePoolId,
  encodePoolId,
  FEE_IN_STATE,
  NO_CONSTANTS,
  type PoolId,
  type PoolListing,
  poolKey,
} from "@millrace/core";
import { toFunctionSelector } from "viem/utils";
import {
  addressesIn,
  areNarrow,
  arrayIn,
  exponentIn,
  isContract,
  NO_ADDRESS,
} from "../balancerChain.ts";
import { balancerConstants, encodeBalancerState, ONE_E18 } from "../balancerState.ts";
import type {
  Asking,
  CallAnswer,
  ChainCall,
  FollowedState,
  NewPool,
  PoolRefusal,
} from "../ChainProtocol.ts";
import { callOfWords, wordsOf } from "../chainWords.ts";
import { balancerStable, STABLE_V2_FIRST } from "../curves/balancerStable/pool.ts";
import { weighted } from "../curves/weighted/pool.ts";
import {
  atV2Rates,
  encodeKeptRates,
  type KeptRate,
  v2ProvidersOf,
  v2RateCalls,
  v2StableConstants,
} from "./rates.ts";
import type { BalancerV2Dex } from "./settings.ts";

const GET_POOL_TOKENS = toFunctionSelector("getPoolTokens(bytes32)");
const GET_POOL_TOKEN_INFO = toFunctionSelector("getPoolTokenInfo(bytes32,address)");
const GET_PAUSED_STATE = toFunctionSelector("getPausedState()");
const IS_FROM_FACTORY = toFunctionSelector("isPoolFromFactory(address)");
const GET_WEIGHTS = toFunctionSelector("getNormalizedWeights()");
const DECIMALS = toFunctionSelector("decimals()");
const GET_FEE = toFunctionSelector("getSwapFeePercentage()");
const IN_RECOVERY_MODE = toFunctionSelector("inRecoveryMode()");
const GET_AMPLIFICATION = toFunctionSelector("getAmplificationParameter()");
const GET_RATE_PROVIDERS = toFunctionSelector("getRateProviders()");
/** Of the first stable pools, and of composable ones. */
const GET_PRICE_RATE_CACHE = toFunctionSelector("getPriceRateCache(address)");
const GET_TOKEN_RATE_CACHE = toFunctionSelector("getTokenRateCache(address)");

const TOKENS_MIN = 2;
const TOKENS_MAX = 8;
const AMP_PRECISION = 1_000n;

const UNKNOWN_FACTORY: PoolRefusal = { refused: "an unknown factory" };
const ODD_SHAPE: PoolRefusal = { refused: "a shape that no curve has" };
const UNKNOWN_RATE: PoolRefusal = { refused: "a rate provider that is not allowed" };
const NO_CLOCK: PoolRefusal = { refused: "a rate, and no clock to tell when it expires" };
const RECOVERING: PoolRefusal = { refused: "recovery mode" };
const RAMPING: PoolRefusal = { refused: "an amplification that ramps" };
export const MANAGED: PoolRefusal = { refused: "funds with an asset manager" };

/** The pool of an id, created by a known factory, with what never changes of it. */
export function* resolveV2Pool(
  { dex, vault, versions, rateProviders, clock }: BalancerV2Dex,
  id: PoolId,
): Asking<NewPool | PoolRefusal | undefined> {
  const address = poolKey(id);
  const [listed, ...made] = yield [
    callOfWords(vault, GET_POOL_TOKENS, [BigInt(id)]),
    ...versions.map(({ factory }) => callOfWords(factory, IS_FROM_FACTORY, [BigInt(address)])),
  ];
  const version = versions.find((_, at) => wordsOf(made[at], 1)?.[0] === 1n);
  if (version === undefined) return UNKNOWN_FACTORY;
  const registered = addressesIn(listed, 0);
  const tokens = registered?.filter((token) => token !== address);
  if (registered === undefined || tokens === undefined) return undefined;
  if (tokens.length < TOKENS_MIN || tokens.length > TOKENS_MAX) return ODD_SHAPE;
  const [described, ...digits] = yield [
    { to: address, data: version.isStable ? GET_RATE_PROVIDERS : GET_WEIGHTS },
    ...tokens.map((to) => ({ to, data: DECIMALS })),
  ];
  const exponents = digits.map((answer) => exponentIn(wordsOf(answer, 1)?.[0]));
  if (!exponents.every((each) => each !== undefined)) return undefined;
  let constants: BigUint64Array;
  if (version.isStable) {
    const providers = ratesBy(described, registered, tokens);
    if (providers === undefined) return undefined;
    const used = providers.filter(isContract);
    if (!used.every((provider) => rateProviders.has(provider))) return UNKNOWN_RATE;
    if (used.length > 0 && clock === undefined) return NO_CLOCK;
    constants = v2StableConstants(version.rule, exponents, providers);
  } else {
    const weights = arrayIn(described, 0);
    if (weights?.length !== tokens.length || weights.some((weight) => weight > ONE_E18)) {
      return undefined;
    }
    constants = balancerConstants(version.rule, exponents, weights);
  }
  const curve = version.isStable ? balancerStable : weighted;
  const shape = { feePips: FEE_IN_STATE, parameter: 0, constants: encodePoolId(id, constants) };
  const decimals = tokens.map(() => 18);
  if (curve.check({ ...shape, decimals }, undefined) !== undefined) return ODD_SHAPE;
  const listing = { address, dexId: dex.id, curve: curve.name, tokens, ...shape };
  return { listing, created: undefined };
}

/** Rate providers of the tokens; a pool without that function has none. */
function ratesBy(
  answer: CallAnswer,
  registered: ReadonlyArray<Address>,
  tokens: ReadonlyArray<Address>,
): Address[] | undefined {
  if (answer === undefined) return tokens.map(() => NO_ADDRESS);
  const providers = addressesIn(answer, 0);
  if (providers?.length === tokens.length) return providers;
  if (providers?.length !== registered.length) return undefined;
  return providers.filter((_, at) => tokens.includes(registered[at]!));
}

export function v2PoolIdOf({ address, constants = NO_CONSTANTS }: PoolListing): PoolId | undefined {
  return decodePoolId(address, constants);
}

const isStablePool = ({ curve }: PoolListing) => curve === balancerStable.name;

/** The calls for the whole state, except for the providers' rates. */
export function v2StateCalls(vault: Address, pool: PoolListing): ReadonlyArray<ChainCall> {
  const { address, tokens, constants = NO_CONSTANTS } = pool;
  const id = BigInt(v2PoolIdOf(pool) ?? 0);
  const getKept = constants[0] === STABLE_V2_FIRST ? GET_PRICE_RATE_CACHE : GET_TOKEN_RATE_CACHE;
  return [
    callOfWords(vault, GET_POOL_TOKENS, [id]),
    { to: vault, data: GET_PAUSED_STATE },
    { to: address, data: GET_FEE },
    { to: address, data: GET_PAUSED_STATE },
    { to: address, data: IN_RECOVERY_MODE },
    ...tokens.map((token) => callOfWords(vault, GET_POOL_TOKEN_INFO, [id, BigInt(token)])),
    ...(isStablePool(pool)
      ? [
          { to: address, data: GET_AMPLIFICATION },
          ...tokens.map((token) => callOfWords(address, getKept, [BigInt(token)])),
        ]
      : []),
  ];
}

/** The state in the answers to `v2StateCalls`, with the cached rates. */
export function v2StateIn(
  pool: PoolListing,
  answers: ReadonlyArray<CallAnswer>,
): FollowedState | PoolRefusal | undefined {
  const { tokens } = pool;
  const count = tokens.length;
  const [listed, vaultPaused, fee, paused, recovering, ...rest] = answers;
  const registered = addressesIn(listed, 0);
  const amounts = arrayIn(listed, 1);
  const [feeE18] = wordsOf(fee, 1) ?? [];
  const pauses = [vaultPaused, paused].map((answer) => wordsOf(answer, 3)?.[0]);
  if (registered === undefined || amounts?.length !== registered.length) return undefined;
  if (feeE18 === undefined || feeE18 >= ONE_E18 || pauses.some((flag) => flag === undefined)) {
    return undefined;
  }
  if (wordsOf(recovering, 1)?.[0] === 1n) return RECOVERING;
  const managers = rest.slice(0, count).map((answer) => wordsOf(answer, 4)?.[3]);
  if (managers.some((manager) => manager === undefined)) return undefined;
  if (managers.some((manager) => manager !== 0n)) return MANAGED;
  const balances = tokens.map((token) => amounts[registered.indexOf(token)] ?? -1n);
  if (!areNarrow(balances)) return undefined;
  const isPaused = pauses.includes(1n);
  const state = { balances, feeE18, isPaused };
  if (!isStablePool(pool)) {
    return encodeBalancerState({ ...state, ratesE18: tokens.map(() => ONE_E18) });
  }
  const [amplification, ...caches] = rest.slice(count);
  const [ampE3, isRamping, precision] = wordsOf(amplification, 3) ?? [];
  if (ampE3 === undefined || precision !== AMP_PRECISION || ampE3 >> 64n !== 0n) return undefined;
  if (isRamping !== 0n) return RAMPING;
  const kept = v2ProvidersOf(pool).map((provider, at) =>
    isContract(provider) ? keptIn(caches[at]) : { rateE18: ONE_E18, expires: 0n },
  );
  if (!kept.every((each) => each !== undefined)) return undefined;
  const ratesE18 = kept.map(({ rateE18 }) => rateE18);
  return {
    ...encodeBalancerState({ ...state, ratesE18, stable: { ampE3 } }),
    notes: encodeKeptRates(kept),
  };
}

/** Rate, duration and expiry; later pools also give the old rate. */
function keptIn(answer: CallAnswer): KeptRate | undefined {
  const words = wordsOf(answer, 3) ?? wordsOf(answer, 4);
  const [rateE18, expires] = [words?.[0], words?.at(-1)];
  if (rateE18 === undefined || expires === undefined) return undefined;
  if (rateE18 === 0n || !areNarrow([rateE18]) || expires >> 64n !== 0n) return undefined;
  return { rateE18, expires };
}

/** The whole state at a block. */
export function* readV2Pool(
  { vault, clock }: BalancerV2Dex,
  pool: PoolListing,
): Asking<FollowedState | PoolRefusal | undefined> {
  const found = v2StateIn(pool, yield v2StateCalls(vault, pool));
  if (found === undefined || "refused" in found) return found;
  const calls = v2RateCalls(clock, pool);
  return calls.length === 0 ? found : atV2Rates(pool, found, yield calls);
}
