import { type Address, FEE_IN_STATE, type PoolListing } from "@millrace/core";
import { toFunctionSelector } from "viem/utils";
import {
  addressesIn,
  addressOfWord,
  areNarrow,
  arrayIn,
  isContract,
  NO_ADDRESS,
} from "../balancerChain.ts";
import { encodeBalancerState, ONE_E18 } from "../balancerState.ts";
import type {
  Asking,
  CallAnswer,
  ChainCall,
  FollowedState,
  NewPool,
  PoolRefusal,
} from "../ChainProtocol.ts";
import { callOfWords, wordsOf } from "../chainWords.ts";
import { balancerStable, NO_OWN_TOKEN } from "../curves/balancerStable/pool.ts";
import { WEIGHTED_V3_LEAST, weighted } from "../curves/weighted/pool.ts";
import {
  atV3Rates,
  encodeStoredTokens,
  type StoredToken,
  v3Constants,
  v3HookOf,
  v3ProvidersOf,
  v3RateCalls,
} from "./rates.ts";
import type { BalancerV3Dex, PoolVersion } from "./settings.ts";

const GET_POOL_CONFIG = toFunctionSelector("getPoolConfig(address)");
const GET_HOOKS_CONFIG = toFunctionSelector("getHooksConfig(address)");
const GET_TOKEN_INFO = toFunctionSelector("getPoolTokenInfo(address)");
const GET_TOKEN_RATES = toFunctionSelector("getPoolTokenRates(address)");
const IS_VAULT_PAUSED = toFunctionSelector("isVaultPaused()");
const IS_POOL_PAUSED = toFunctionSelector("isPoolPaused(address)");
const GET_WEIGHTS = toFunctionSelector("getNormalizedWeights()");
const GET_LEAST_BALANCES = toFunctionSelector("getMinTokenBalances()");
const GET_AMPLIFICATION = toFunctionSelector("getAmplificationParameter()");
const GET_SURGE_THRESHOLD = toFunctionSelector("getSurgeThresholdPercentage(address)");
const GET_SURGE_MAX = toFunctionSelector("getMaxSurgeFeePercentage(address)");

const TOKENS_MIN = 2;
const TOKENS_MAX = 8;
const AMP_PRECISION = 1_000n;
const EXPONENT_MAX = 18;
/** Of `PoolConfig`. */
const CONFIG_WORDS = 13;
const STATIC_FEE = 4;
const AGGREGATE_SWAP_FEE = 5;
const AGGREGATE_YIELD_FEE = 6;
const IN_RECOVERY = 12;
/** Of `HooksConfig`: the flags of swaps, and the contract. */
const HOOK_WORDS = 11;
const ADJUSTS_AMOUNTS = 0;
const DYNAMIC_FEE = 3;
const BEFORE_SWAP = 4;
const AFTER_SWAP = 5;
const HOOK = 10;
/** Of `TokenInfo`: its kind, a provider of its rate, whether yields are charged. */
const INFO_WORDS = 3;
const WITH_RATE = 1n;

const UNKNOWN_FACTORY: PoolRefusal = { refused: "an unknown factory" };
const ODD_SHAPE: PoolRefusal = { refused: "a shape that no curve has" };
const UNKNOWN_HOOK: PoolRefusal = { refused: "a hook" };
const UNKNOWN_RATE: PoolRefusal = { refused: "a rate provider that is not allowed" };
const RECOVERING: PoolRefusal = { refused: "recovery mode" };
const RAMPING: PoolRefusal = { refused: "an amplification that ramps" };

const ofPool = (to: Address, selector: `0x${string}`, pool: Address): ChainCall =>
  callOfWords(to, selector, [BigInt(pool)]);

/** A pool of a known factory, with what never changes of it. */
export function* resolveV3Pool(
  { dex, vault, versions, surgeHooks, rateProviders }: BalancerV3Dex,
  address: Address,
  factory: Address,
): Asking<NewPool | PoolRefusal | undefined> {
  const version = versions.get(factory);
  if (version === undefined) return UNKNOWN_FACTORY;
  const { isStable, rule } = version;
  const [hooks, info, rates, weights, least] = yield [
    ofPool(vault, GET_HOOKS_CONFIG, address),
    ofPool(vault, GET_TOKEN_INFO, address),
    ofPool(vault, GET_TOKEN_RATES, address),
    ...(isStable
      ? []
      : [
          { to: address, data: GET_WEIGHTS },
          { to: address, data: GET_LEAST_BALANCES },
        ]),
  ];
  const hook = hookIn(hooks, version, surgeHooks);
  if (hook === undefined || typeof hook !== "string") return hook;
  const tokens = addressesIn(info, 0);
  const infos = arrayIn(info, 1, INFO_WORDS);
  const exponents = arrayIn(rates, 0)?.map(exponentOf);
  if (tokens === undefined || infos?.length !== INFO_WORDS * tokens.length) return undefined;
  if (exponents?.length !== tokens.length) return undefined;
  if (!exponents.every((each) => each !== undefined)) return undefined;
  if (tokens.length < TOKENS_MIN || tokens.length > TOKENS_MAX) return ODD_SHAPE;
  const providers = tokens.map((_, at) =>
    infos[INFO_WORDS * at] === WITH_RATE ? addressOfWord(infos[INFO_WORDS * at + 1]!) : NO_ADDRESS,
  );
  if (!providers.every((provider) => provider !== undefined)) return undefined;
  const isKnown = (provider: Address) => !isContract(provider) || rateProviders.has(provider);
  if (!providers.every(isKnown)) return UNKNOWN_RATE;
  const own = isStable
    ? [NO_OWN_TOKEN]
    : [
        ...(arrayIn(weights, 0) ?? []),
        ...(rule === WEIGHTED_V3_LEAST ? (arrayIn(least, 0) ?? []) : []),
      ];
  if (own.some((word) => word >> 64n !== 0n)) return undefined;
  const constants = v3Constants(rule, exponents, own, providers, hook);
  const curve = isStable ? balancerStable : weighted;
  const lists = isStable ? 0 : rule === WEIGHTED_V3_LEAST ? 2 : 1;
  if (!isStable && own.length !== lists * tokens.length) return undefined;
  const shape = { feePips: FEE_IN_STATE, parameter: 0, constants };
  if (curve.check({ ...shape, decimals: tokens.map(() => 18) }, undefined)) return ODD_SHAPE;
  const listing = { address, dexId: dex.id, curve: curve.name, tokens, ...shape };
  return { listing, created: undefined };
}

/** The hook: StableSurge or none. All others are refused: they may do anything in a swap. */
function hookIn(
  answer: CallAnswer,
  { isStable }: PoolVersion,
  surgeHooks: ReadonlySet<Address>,
): Address | PoolRefusal | undefined {
  const words = wordsOf(answer, HOOK_WORDS);
  const hook = words && addressOfWord(words[HOOK]!);
  if (words === undefined || hook === undefined) return undefined;
  if (!isContract(hook)) return hook;
  const isSurge =
    isStable &&
    surgeHooks.has(hook) &&
    words[DYNAMIC_FEE] === 1n &&
    [ADJUSTS_AMOUNTS, BEFORE_SWAP, AFTER_SWAP].every((flag) => words[flag] === 0n);
  return isSurge ? hook : UNKNOWN_HOOK;
}

/** n of 10ⁿ. */
function exponentOf(factor: bigint): number | undefined {
  const exponent = String(factor).length - 1;
  return exponent <= EXPONENT_MAX && factor === 10n ** BigInt(exponent) ? exponent : undefined;
}

/** The calls for the whole state, except for the providers' rates. */
export function v3StateCalls(vault: Address, pool: PoolListing): ReadonlyArray<ChainCall> {
  const { address } = pool;
  const hook = v3HookOf(pool);
  return [
    ofPool(vault, GET_POOL_CONFIG, address),
    ofPool(vault, GET_TOKEN_INFO, address),
    ofPool(vault, GET_TOKEN_RATES, address),
    { to: vault, data: IS_VAULT_PAUSED },
    ofPool(vault, IS_POOL_PAUSED, address),
    ...(pool.curve === balancerStable.name ? [{ to: address, data: GET_AMPLIFICATION }] : []),
    ...(isContract(hook)
      ? [ofPool(hook, GET_SURGE_THRESHOLD, address), ofPool(hook, GET_SURGE_MAX, address)]
      : []),
  ];
}

/** The state in the answers to `v3StateCalls`. */
export function v3StateIn(
  pool: PoolListing,
  answers: ReadonlyArray<CallAnswer>,
): FollowedState | PoolRefusal | undefined {
  const [config, info, rates, vaultPaused, poolPaused, amplification, threshold, max] = answers;
  const words = wordsOf(config, CONFIG_WORDS);
  const pauses = [vaultPaused, poolPaused].map((answer) => wordsOf(answer, 1)?.[0]);
  const ratesE18 = arrayIn(rates, 1);
  const stored = storedIn(pool, info);
  if (words === undefined || stored === undefined || pauses.includes(undefined)) return undefined;
  if (ratesE18?.length !== pool.tokens.length) return undefined;
  if (ratesE18.includes(0n) || !areNarrow(ratesE18)) return undefined;
  if (words[IN_RECOVERY] !== 0n) return RECOVERING;
  const [feeE18, aggregateFeeE18] = [words[STATIC_FEE]!, words[AGGREGATE_SWAP_FEE]!];
  const yieldFeeE18 = words[AGGREGATE_YIELD_FEE]!;
  if (feeE18 >= ONE_E18 || aggregateFeeE18 > ONE_E18 || yieldFeeE18 > ONE_E18) return undefined;
  const balances = stored.map(({ balance }) => balance);
  const isPaused = pauses.includes(1n);
  const state = { balances, ratesE18, feeE18, aggregateFeeE18, isPaused };
  const notes = encodeStoredTokens(stored, yieldFeeE18);
  if (pool.curve !== balancerStable.name) return { ...encodeBalancerState(state), notes };
  const [ampE3, isRamping, precision] = wordsOf(amplification, 3) ?? [];
  const [surgeThresholdE18, surgeMaxE18] = isContract(v3HookOf(pool))
    ? [threshold, max].map((answer) => wordsOf(answer, 1)?.[0])
    : [0n, 0n];
  if (ampE3 === undefined || precision !== AMP_PRECISION || ampE3 >> 64n !== 0n) return undefined;
  if (surgeThresholdE18 === undefined || surgeThresholdE18 > ONE_E18) return undefined;
  if (surgeMaxE18 === undefined || surgeMaxE18 > ONE_E18) return undefined;
  if (isRamping !== 0n) return RAMPING;
  const stable = { ampE3, surgeThresholdE18, surgeMaxE18 };
  return { ...encodeBalancerState({ ...state, stable }), notes };
}

/** What the Vault has stored; undefined unless it has these tokens with these providers. */
function storedIn(pool: PoolListing, info: CallAnswer): StoredToken[] | undefined {
  const tokens = addressesIn(info, 0);
  const infos = arrayIn(info, 1, INFO_WORDS);
  const balances = arrayIn(info, 2);
  const lastE18 = arrayIn(info, 3);
  const count = pool.tokens.length;
  if (tokens?.length !== count || infos?.length !== INFO_WORDS * count) return undefined;
  if (balances?.length !== count || lastE18?.length !== count) return undefined;
  const providers = v3ProvidersOf(pool);
  const isOf = pool.tokens.every(
    (token, at) =>
      token === tokens[at] &&
      infos[INFO_WORDS * at] === (isContract(providers[at]!) ? WITH_RATE : 0n) &&
      infos[INFO_WORDS * at + 1] === BigInt(providers[at]!),
  );
  if (!isOf || !areNarrow(balances) || !areNarrow(lastE18)) return undefined;
  return balances.map((balance, at) => ({
    balance,
    lastBalanceE18: lastE18[at]!,
    paysYieldFees: infos[INFO_WORDS * at + 2] === 1n,
  }));
}

/** The whole state at a block. */
export function* readV3Pool(
  { vault }: BalancerV3Dex,
  pool: PoolListing,
): Asking<FollowedState | PoolRefusal | undefined> {
  const found = v3StateIn(pool, yield v3StateCalls(vault, pool));
  if (found === undefined || "refused" in found) return found;
  const calls = v3RateCalls(pool);
  return atV3Rates(pool, found, calls.length === 0 ? [] : yield calls);
}
