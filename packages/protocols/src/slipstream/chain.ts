import { type Address, FEE_IN_STATE, type PoolListing } from "@millrace/core";
import { Schema } from "effect";
import { keccak256, toEventSelector, toFunctionSelector } from "viem/utils";
import {
  type Asking,
  type CallAnswer,
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  type Creation,
  EVERY_POOL,
  type FollowedState,
  type PoolRefusal,
} from "../ChainProtocol.ts";
import { addressInWord, newPairOf, wordsOf } from "../chainWords.ts";
import { concentratedLiquidity } from "../curves/ticks/pool.ts";
import { SLIPSTREAM_STEPS } from "../curves/ticks/StepRule.ts";
import { ContractAddress, derivedAddresses, isDerived } from "../dexSettings.ts";
import { ANY_TICK_POOL, tickIn, tickState, withFees } from "../tickState.ts";
import { INITIALIZE, quoteCall, readV3Book, v3Head, v3Pools } from "../v3Pools.ts";

const POOL_CREATED = toEventSelector("PoolCreated(address,address,int24,address)");
const SWAP_FEE_MODULE_CHANGED = toEventSelector("SwapFeeModuleChanged(address,address)");
const FEE = toFunctionSelector("fee()");
const SWAP_FEE_MODULE = toFunctionSelector("swapFeeModule()");
const QUOTE = toFunctionSelector("quoteExactInputSingle((address,address,uint256,int24,uint160))");

/** `CLFactory.getSwapFee` ignores a module that gives more. */
const FEE_MAX = 100_000n;
const CONSTANTS = BigUint64Array.of(SLIPSTREAM_STEPS);
const UNKNOWN_MODULE: PoolRefusal = { refused: "a fee module that is not known" };
const NO_FEE: PoolRefusal = { refused: "a fee that is not told" };

const settings = {
  ...derivedAddresses,
  /**
   * Fee modules that charge everybody the fee that they report. While the factory has another one,
   * its pools are left out. Without this key any module is trusted.
   */
  feeModules: Schema.optionalKey(Schema.Array(ContractAddress)),
  /** Its QuoterV2, which quotes swaps. */
  quoter: Schema.optionalKey(ContractAddress),
};
const Settings = Schema.Struct(settings);
const decodeSettings = Schema.decodeUnknownSync(Settings);

/**
 * Slipstream: V3's logs, steps and callback, with a fee that a module of the factory sets. It may
 * move with every second and without a log: it is read at each block, from the zero address, to
 * which no module gives a discount. Gauges only distribute fees, which does not affect swaps.
 */
export const slipstreamChain: ChainProtocol = {
  name: "slipstream",
  settings,
  open: (dex) => {
    const own = decodeSettings(dex);
    const factory = dex.factory.toLowerCase() as Address;
    return {
      dex,
      creationTopics: [POOL_CREATED],
      decodeCreation: (log) => decodeCreation(dex, own, log),
      ...v3Pools,
      poolTopics: [...v3Pools.poolTopics, SWAP_FEE_MODULE_CHANGED],
      sharedLogs: {
        contracts: [factory],
        keyOf: ({ topics }) => (topics[0] === SWAP_FEE_MODULE_CHANGED ? EVERY_POOL : undefined),
      },
      // A pool has its first price before its factory announces it, and no log gives its fee.
      readsAgain: ({ topics }) => topics[0] === SWAP_FEE_MODULE_CHANGED || topics[0] === INITIALIZE,
      eachBlock: {
        calls: ({ address }) => [{ to: address, data: FEE }],
        apply: (_pool, state, answers) => withFee(state, answers[0]),
      },
      read: (pool) => read(own, factory, pool),
      ...(own.quoter !== undefined && {
        quoteCall: quoteCall(own.quoter, QUOTE, ({ parameter }) => parameter),
      }),
    };
  },
};

function decodeCreation(
  dex: ChainDex,
  own: typeof Settings.Type,
  log: ChainLog,
): Creation | undefined {
  const { topics, data } = log;
  if (log.address !== dex.factory.toLowerCase()) return undefined;
  if (topics[0] !== POOL_CREATED || topics.length !== 4) return undefined;
  const pair = wordsOf(data, 1) && newPairOf(log, 0);
  const parameter = tickIn(wordsOf(topics[3], 1)?.[0], 1);
  if (pair === undefined || parameter === undefined) return undefined;
  const { token0, token1, address } = pair;
  const shape = { feePips: FEE_IN_STATE, parameter, constants: CONSTANTS };
  if (concentratedLiquidity.check({ ...ANY_TICK_POOL, ...shape }, undefined)) return undefined;
  // The topics are the salt of the clone: abi.encode(token0, token1, tickSpacing).
  const digits = topics.slice(1).map((topic) => topic.slice(2));
  if (!isDerived(address, dex, own, keccak256(`0x${digits.join("")}`))) return undefined;
  const listing: PoolListing = {
    ...{ address, dexId: dex.id, curve: concentratedLiquidity.name },
    ...{ tokens: [token0, token1], ...shape },
  };
  return { listing, created: undefined };
}

function* read(
  { feeModules }: typeof Settings.Type,
  factory: Address,
  pool: PoolListing,
): Asking<FollowedState | PoolRefusal | undefined> {
  const { address, parameter } = pool;
  if (parameter < 1) return undefined;
  const head = v3Pools.shallowRead(pool);
  const more = [
    { to: address, data: FEE },
    { to: factory, data: SWAP_FEE_MODULE },
  ];
  const answers = yield* readV3Book(pool, [...head, ...more]);
  if (answers === undefined) return undefined;
  const module = addressInWord(answers.head[head.length + 1] ?? "");
  if (module === undefined) return undefined;
  if (feeModules?.every((known) => known.toLowerCase() !== module)) return UNKNOWN_MODULE;
  const start = v3Head(answers.head);
  const state = start && tickState(start, answers);
  return state && withFee(state, answers.head[head.length]);
}

/** The state with the fee of an answer, the same in both directions. */
function withFee(state: FollowedState, answer: CallAnswer): FollowedState | PoolRefusal {
  const [fee] = wordsOf(answer, 1) ?? [];
  if (fee === undefined || fee > FEE_MAX) return NO_FEE;
  return withFees(state, [Number(fee), Number(fee)]);
}
