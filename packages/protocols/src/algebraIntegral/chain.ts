import { type Address, FEE_IN_STATE, type PoolListing } from "@millrace/core";
import { Schema } from "effect";
import { keccak256, toEventSelector, toFunctionSelector } from "viem/utils";
import {
  type Asking,
  type CallAnswer,
  type ChainCall,
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  type Creation,
  type FollowedState,
  type Hex,
  IMPOSSIBLE,
  type LogEffect,
  type PoolRefusal,
  type QuoteCall,
} from "../ChainProtocol.ts";
import {
  addressInTopic,
  addressInWord,
  bitsOf,
  callOf,
  callOfWords,
  firstWordsOf,
  newPairOf,
  wordsOf,
} from "../chainWords.ts";
import { concentratedLiquidity } from "../curves/ticks/pool.ts";
import { ALGEBRA_INTEGRAL_STEPS } from "../curves/ticks/StepRule.ts";
import { decodeConcentrated } from "../curves/ticks/state.ts";
import { ContractAddress, derivedAddresses, isDerived } from "../dexSettings.ts";
import { burnIn, mintIn, tickSwapIn } from "../tickLogs.ts";
import {
  afterPosition,
  afterTickSwap,
  headIn,
  isPriced,
  swapOf,
  type TickHead,
  tickState,
  virtualReservesAt,
  withFees,
} from "../tickState.ts";
import { BURN, firstAmount, INITIALIZE, MINT, SWAP } from "../v3Pools.ts";

const POOL = toEventSelector("Pool(address,address,address)");
const CUSTOM_POOL = toEventSelector("CustomPool(address,address,address,address)");
/** One version's Swap: it also has the plugin's override of the fee, and the plugin's own fee. */
const SWAP_WITH_FEES = toEventSelector(
  "Swap(address,address,int256,int256,uint160,uint128,int24,uint24,uint24)",
);
const BURN_WITH_FEE = toEventSelector("Burn(address,int24,int24,uint128,uint256,uint256,uint24)");
/** Other versions emit these two fees before each Swap. */
const SWAP_FEE = toEventSelector("SwapFee(address,uint24,uint24)");
const PLUGIN = toEventSelector("Plugin(address)");
const PLUGIN_CONFIG = toEventSelector("PluginConfig(uint8)");
const FEE_CHANGED = toEventSelector("Fee(uint16)");

const GLOBAL_STATE = toFunctionSelector("globalState()");
const LIQUIDITY = toFunctionSelector("liquidity()");
const FEE = toFunctionSelector("fee()");
const TICKS = toFunctionSelector("ticks(int24)");
const TREE_ROOT = toFunctionSelector("tickTreeRoot()");
const SECOND_LAYER = toFunctionSelector("tickTreeSecondLayer(int16)");
const TICK_TABLE = toFunctionSelector("tickTable(int16)");
const QUOTE = toFunctionSelector(
  "quoteExactInputSingle((address,address,address,uint256,uint160))",
);

/** `TickTree`: words of ticks are numbered; the layer above counts them from the lowest. */
const WORD_BITS = 256;
const FIRST_LEAF = -3_466;
const TREE_NODES = 28;
/** Many times what any pool has; an answer with more is rejected. */
const TICK_COUNT_MAX = 1 << 16;
/** A fee is a uint16. */
const FEE_MAX = 65_535n;
/** Any tick may be initialised: the spacing may change, and binds only new positions. */
const ANY_SPACING = 1;
const CONSTANTS = BigUint64Array.of(ALGEBRA_INTEGRAL_STEPS);

const CUSTOM: PoolRefusal = { refused: "a pool of another deployer's plugin" };
const PLUGIN_FEE: PoolRefusal = { refused: "a plugin's own fee" };
const NO_FEE: PoolRefusal = { refused: "a fee that is not told" };

const settings = {
  ...derivedAddresses,
  /** Its QuoterV2, which quotes swaps. */
  quoter: Schema.optionalKey(ContractAddress),
};
const Settings = Schema.Struct(settings);
const decodeSettings = Schema.decodeUnknownSync(Settings);

/**
 * Algebra Integral: V3's logs, and a fee that a plugin sets within each swap, by time and
 * volatility; `fee()` gives what it would be now, and is read at each block. Only the factory's own
 * plugins are followed: pools of other deployers, and plugins that charge a further fee, are
 * refused.
 */
export const algebraChain: ChainProtocol = {
  name: "algebra-integral",
  settings,
  open: (dex) => {
    const own = decodeSettings(dex);
    const { quoter } = own;
    return {
      dex,
      creationTopics: [POOL, CUSTOM_POOL],
      decodeCreation: (log) => decodeCreation(dex, own, log),
      poolTopics: [
        ...[INITIALIZE, MINT, BURN, BURN_WITH_FEE, SWAP, SWAP_WITH_FEES, SWAP_FEE],
        ...[PLUGIN, PLUGIN_CONFIG, FEE_CHANGED],
      ],
      readsAgain: ({ topics }) => topics[0] === INITIALIZE || topics[0] === PLUGIN,
      applyLog: (_pool, state, log) => applyLog(state, log),
      decodeSwap: (_pool, log) => {
        const swapped = swapIn(log);
        return swapped && swapOf(swapped);
      },
      makerIn: addressInTopic(2),
      eachBlock: {
        calls: ({ address }) => [{ to: address, data: FEE }],
        apply: (_pool, state, answers) => withFee(state, answers[0]),
      },
      read,
      shallowRead,
      virtualReserves: (_pool, answers) => virtualReservesAt(headOf(answers)),
      ...(quoter !== undefined && {
        quoteCall: (pool, positionIn, positionOut, amountIn): QuoteCall => {
          const tokens = [pool.tokens[positionIn]!, pool.tokens[positionOut]!].map(BigInt);
          // No deployer means the factory's own pool; there is no price limit.
          const words = [...tokens, 0n, amountIn, 0n];
          return { call: callOfWords(quoter as Address, QUOTE, words), amountOut: firstAmount };
        },
      }),
    };
  },
};

function decodeCreation(
  dex: ChainDex,
  own: typeof Settings.Type,
  log: ChainLog,
): Creation | undefined {
  const { topics } = log;
  if (log.address !== dex.factory.toLowerCase() || wordsOf(log.data, 1) === undefined) {
    return undefined;
  }
  if (topics[0] === CUSTOM_POOL) return topics.length === 4 ? CUSTOM : undefined;
  if (topics[0] !== POOL || topics.length !== 3) return undefined;
  const pair = newPairOf(log, 0);
  if (pair === undefined) return undefined;
  const { token0, token1, address } = pair;
  // The topics are the salt: abi.encode(token0, token1).
  const digits = topics.slice(1).map((topic) => topic.slice(2));
  if (!isDerived(address, dex, own, keccak256(`0x${digits.join("")}`))) return undefined;
  const listing: PoolListing = {
    ...{ address, dexId: dex.id, curve: concentratedLiquidity.name, tokens: [token0, token1] },
    ...{ feePips: FEE_IN_STATE, parameter: ANY_SPACING, constants: CONSTANTS },
  };
  return { listing, created: undefined };
}

function applyLog(
  state: FollowedState,
  log: ChainLog,
): LogEffect | PoolRefusal | typeof IMPOSSIBLE | undefined {
  switch (log.topics[0]) {
    case MINT:
      return afterPosition(state, mintIn(log, ANY_SPACING));
    case BURN:
      return afterPosition(state, burnIn(log, ANY_SPACING));
    case BURN_WITH_FEE:
      return afterPosition(state, burnIn(log, ANY_SPACING, 4));
    case SWAP:
      return afterTickSwap(state, swapIn(log));
    case SWAP_WITH_FEES: {
      const [, , , , , , pluginFee] = wordsOf(log.data, 7) ?? [];
      return pluginFee === 0n ? afterTickSwap(state, swapIn(log)) : afterPluginFee(pluginFee);
    }
    case SWAP_FEE: {
      const isWhole = log.topics.length === 2 && addressInWord(log.topics[1]!) !== undefined;
      const [, pluginFee] = (isWhole && wordsOf(log.data, 2)) || [];
      return pluginFee === 0n ? { state } : afterPluginFee(pluginFee);
    }
    case FEE_CHANGED:
    case PLUGIN_CONFIG:
      // The resulting fee is read at the block's end.
      return { state };
    default:
      return undefined;
  }
}

/**
 * The effect of a fee that `fee()` does not include; `pluginFee` is undefined in a malformed log.
 */
function afterPluginFee(pluginFee: bigint | undefined): PoolRefusal | typeof IMPOSSIBLE {
  return pluginFee === undefined || pluginFee >> 24n !== 0n ? IMPOSSIBLE : PLUGIN_FEE;
}

function swapIn(log: ChainLog) {
  switch (log.topics[0]) {
    case SWAP:
      return tickSwapIn(log, 5);
    case SWAP_WITH_FEES:
      return tickSwapIn(log, 7);
    default:
      return undefined;
  }
}

/** Reads the tree from its root down: the second layer, the words of ticks, the ticks. */
function* read(pool: PoolListing): Asking<FollowedState | PoolRefusal | undefined> {
  const { address } = pool;
  const [first, second, fee, root] = yield [
    ...shallowRead(pool),
    ...[FEE, TREE_ROOT].map((data) => ({ to: address, data })),
  ];
  const head = headOf([first, second]);
  const nodes = bitsOf([root], TREE_NODES);
  if (head === undefined || nodes?.some((node) => node >= TREE_NODES) !== false) return undefined;
  const leaves = yield* bitsBelow(address, SECOND_LAYER, nodes, 0);
  const ticks = leaves && (yield* bitsBelow(address, TICK_TABLE, leaves, FIRST_LEAF));
  if (ticks === undefined) return undefined;
  const contents =
    ticks.length === 0 ? [] : yield ticks.map((tick) => callOf(address, TICKS, tick));
  const state = tickState(head, { ticks, contents });
  return state && withFee(state, fee);
}

/** Numbers of the bits set in the words at these indices; the word at index 0 has number `from`. */
function* bitsBelow(
  to: Address,
  selector: Hex,
  words: ReadonlyArray<number>,
  from: number,
): Asking<number[] | undefined> {
  const numbers = words.map((word) => word + from);
  const answers =
    numbers.length === 0 ? [] : yield numbers.map((word) => callOf(to, selector, word));
  const bits = answers.length === words.length ? bitsOf(answers, TICK_COUNT_MAX) : undefined;
  return bits?.map((bit) => WORD_BITS * numbers[Math.floor(bit / WORD_BITS)]! + (bit % WORD_BITS));
}

function shallowRead({ address: to }: PoolListing): ReadonlyArray<ChainCall> {
  return [GLOBAL_STATE, LIQUIDITY].map((data) => ({ to, data }));
}

/** What `globalState` and `liquidity` gave. */
function headOf(answers: ReadonlyArray<CallAnswer>): TickHead | undefined {
  const state = firstWordsOf(answers[0], 2);
  const [liquidity] = wordsOf(answers[1], 1) ?? [];
  if (state === undefined || liquidity === undefined) return undefined;
  return headIn(state[0]!, state[1]!, liquidity);
}

/** The state with the fee of an answer, the same in both directions; unchanged without a price. */
function withFee(state: FollowedState, answer: CallAnswer): FollowedState | PoolRefusal {
  if (!isPriced(decodeConcentrated(state.words))) return state;
  const [fee] = wordsOf(answer, 1) ?? [];
  if (fee === undefined || fee > FEE_MAX) return NO_FEE;
  return withFees(state, [Number(fee), Number(fee)]);
}
