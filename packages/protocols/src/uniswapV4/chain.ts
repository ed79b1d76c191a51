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
import { addressInWord, callOfWords, NATIVE_ADDRESS, wordsOf } from "../chainWords.ts";
import { concentratedLiquidity } from "../curves/ticks/pool.ts";
import { UNISWAP_V4_STEPS } from "../curves/ticks/StepRule.ts";
import { decodeConcentrated } from "../curves/ticks/state.ts";
import { ContractAddress } from "../dexSettings.ts";
import {
  ANY_TICK_POOL,
  afterFirstPrice,
  afterPosition,
  afterTickSwap,
  headIn,
  isPriced,
  type PositionChange,
  readTickBook,
  swapOf,
  type TickHead,
  type TickSwap,
  tickIn,
  tickState,
  UNPRICED_TICKS,
  virtualReservesAt,
  withFees,
} from "../tickState.ts";
import { firstAmount } from "../v3Pools.ts";
import { encodePoolKey, holdsNative, readPoolKey } from "./calldata.ts";

const CREATED = toEventSelector(
  "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)",
);
const LIQUIDITY_MODIFIED = toEventSelector(
  "ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)",
);
const SWAPPED = toEventSelector("Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)");
const PROTOCOL_FEE_UPDATED = toEventSelector("ProtocolFeeUpdated(bytes32,uint24)");

const GET_SLOT0 = toFunctionSelector("getSlot0(bytes32)");
const GET_LIQUIDITY = toFunctionSelector("getLiquidity(bytes32)");
const GET_TICK_BITMAP = toFunctionSelector("getTickBitmap(bytes32,int16)");
const GET_TICK_LIQUIDITY = toFunctionSelector("getTickLiquidity(bytes32,int24)");
const QUOTE = toFunctionSelector(
  "quoteExactInputSingle(((address,address,uint24,int24,address),bool,uint128,bytes))",
);

const PIPS = 1_000_000n;
/** Instead of a fee: a hook sets it. */
const DYNAMIC_FEE = 0x80_0000n;
/** Bits of a hook's address: before and after swaps, and amounts of its own in both. */
const SWAP_HOOKS = (1n << 7n) | (1n << 6n) | (1n << 3n) | (1n << 2n);
/** Two fees of 12 bits each, at most 0.1 %: the low one of zeroForOne. */
const PROTOCOL_FEE_BITS = 12n;
const PROTOCOL_FEE_MAX = 1_000n;

const HOOKED: PoolRefusal = { refused: "a hook in swaps" };
const DYNAMIC: PoolRefusal = { refused: "a dynamic fee" };
const ONE_TOKEN: PoolRefusal = { refused: "the native token against its wrapped form" };

const settings = {
  /** StateView of the pool manager, from which pools are read. */
  stateView: ContractAddress,
  /** V4Quoter, which quotes swaps. */
  quoter: Schema.optionalKey(ContractAddress),
};
const Settings = Schema.Struct(settings);
const decodeSettings = Schema.decodeUnknownSync(Settings);

/**
 * Uniswap V4: one manager holds all pools, and emits their logs; `factory` is its address. The
 * pool's key alone determines its swaps, unless a hook takes part: such pools are refused. The
 * native token is a token of its own, at the address 0, unless its wrapped form is known.
 */
export const uniswapV4Chain: ChainProtocol = {
  name: "uniswap-v4",
  settings,
  open: (dex, wrappedNative) => {
    const { stateView, quoter } = decodeSettings(dex);
    const manager = dex.factory.toLowerCase() as Address;
    const view = (selector: Hex, pool: PoolListing, ...words: ReadonlyArray<number>): ChainCall =>
      callOfWords(stateView as Address, selector, [BigInt(idOf(pool)), ...words.map(BigInt)]);
    const shallowRead = (pool: PoolListing) => [view(GET_SLOT0, pool), view(GET_LIQUIDITY, pool)];
    return {
      dex,
      creationTopics: [CREATED],
      decodeCreation: (log) => decodeCreation(dex, manager, wrappedNative, log),
      poolTopics: [LIQUIDITY_MODIFIED, SWAPPED, PROTOCOL_FEE_UPDATED],
      sharedLogs: {
        contracts: [manager],
        keyOf: ({ topics }) => (wordsOf(topics[1], 1) ? poolKey(topics[1]!) : undefined),
      },
      applyLog,
      decodeSwap: (pool, log) => {
        const swapped = log.topics[0] === SWAPPED ? swapIn(pool, log) : undefined;
        return swapped && swapOf(swapped);
      },
      *read(pool): Asking<FollowedState | undefined> {
        if (pool.parameter < 1) return undefined;
        const answers = yield* readTickBook(
          pool.parameter,
          shallowRead(pool),
          (position) => view(GET_TICK_BITMAP, pool, position),
          (tick) => view(GET_TICK_LIQUIDITY, pool, tick),
        );
        const head = answers && headOf(answers.head);
        if (answers === undefined || head?.lpFee !== BigInt(readPoolKey(pool).fee))
          return undefined;
        return tickState({ ...head, feesPips: feesOf(head.lpFee, head.protocolFee) }, answers);
      },
      shallowRead,
      virtualReserves: (_pool, answers) => virtualReservesAt(headOf(answers)),
      ...(quoter !== undefined && {
        quoteCall: (pool, positionIn, _positionOut, amountIn): QuoteCall => {
          const { fee, tickSpacing, hooks } = readPoolKey(pool);
          const [token0, token1] = pool.tokens;
          const currency0 = holdsNative(pool) ? NATIVE_ADDRESS : token0!;
          const key = [currency0, token1!, fee, tickSpacing, hooks].map(BigInt);
          // Offsets of the tuple and of the hook's data, which are empty.
          const words = [32n, ...key, positionIn === 0 ? 1n : 0n, amountIn, 256n, 0n];
          return { call: callOfWords(quoter as Address, QUOTE, words), amountOut: firstAmount };
        },
      }),
    };
  },
};

function decodeCreation(
  dex: ChainDex,
  manager: Address,
  wrappedNative: Address | undefined,
  log: ChainLog,
): Creation | undefined {
  const { topics, data } = log;
  if (log.address !== manager || topics[0] !== CREATED || topics.length !== 4) return undefined;
  const words = wordsOf(data, 5);
  const [token0, token1] = [addressInWord(topics[2]!), addressInWord(topics[3]!)];
  if (words === undefined || token0 === undefined || token1 === undefined) return undefined;
  const [fee, spacing, hooks, sqrtPriceX96, tick] = words as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  // The id is abi.encode(currency0, currency1, fee, tickSpacing, hooks): what does not fit its type
  // has no id.
  const encoded = `${topics[2]!}${topics[3]!.slice(2)}${data.slice(2, 2 + 3 * 64)}` as Hex;
  if (token0 >= token1 || topics[1] !== keccak256(encoded)) return undefined;
  const parameter = tickIn(spacing, 1);
  if (parameter === undefined || hooks >> 160n !== 0n) return undefined;
  if (fee === DYNAMIC_FEE) return DYNAMIC;
  if ((hooks & SWAP_HOOKS) !== 0n) return HOOKED;
  const id = topics[1] as PoolId;
  const listed0 = token0 === NATIVE_ADDRESS ? (wrappedNative ?? NATIVE_ADDRESS) : token0;
  if (listed0 === token1) return ONE_TOKEN;
  const isNativeWrapped = listed0 !== token0;
  const key = encodePoolKey(UNISWAP_V4_STEPS, fee, hooks, isNativeWrapped);
  const constants = encodePoolId(id, key);
  const shape = { feePips: FEE_IN_STATE, parameter, constants };
  if (fee > PIPS || concentratedLiquidity.check({ ...ANY_TICK_POOL, ...shape }, undefined)) {
    return undefined;
  }
  const created = afterFirstPrice(UNPRICED_TICKS, headIn(sqrtPriceX96, tick, 0n));
  if (created === IMPOSSIBLE) return undefined;
  const listing: PoolListing = {
    ...{ address: poolKey(id), dexId: dex.id, curve: concentratedLiquidity.name },
    ...{ tokens: [listed0, token1], ...shape },
  };
  return { listing, created: withFees(created.state, feesOf(fee, 0n)) };
}

function applyLog(
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect | typeof IMPOSSIBLE | undefined {
  switch (log.topics[0]) {
    case LIQUIDITY_MODIFIED:
      return afterPosition(state, positionIn(pool, log));
    case SWAPPED:
      return afterSwap(state, swapIn(pool, log));
    case PROTOCOL_FEE_UPDATED:
      return afterProtocolFee(pool, state, log);
    default:
      return undefined;
  }
}

function afterSwap(
  state: FollowedState,
  swapped: FeeSwap | undefined,
): LogEffect | typeof IMPOSSIBLE {
  if (swapped === undefined) return IMPOSSIBLE;
  const { amount0, amount1, feePips } = swapped;
  const { feesPips } = decodeConcentrated(state.words);
  const direction = amount0 > 0n || amount1 < 0n ? 0 : 1;
  // Where nothing came in or out, the direction is unknown.
  const hasMoved = amount0 !== 0n || amount1 !== 0n;
  if (hasMoved && feePips !== BigInt(feesPips[direction])) return IMPOSSIBLE;
  return afterTickSwap(state, swapped);
}

function afterProtocolFee(
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect | typeof IMPOSSIBLE {
  const [protocolFee] = (log.topics.length === 2 && isOf(pool, log) && wordsOf(log.data, 1)) || [];
  if (protocolFee === undefined || protocolFee >> (2n * PROTOCOL_FEE_BITS) !== 0n) {
    return IMPOSSIBLE;
  }
  if (halvesOf(protocolFee).some((half) => half > PROTOCOL_FEE_MAX)) return IMPOSSIBLE;
  if (!isPriced(decodeConcentrated(state.words))) return IMPOSSIBLE;
  return { state: withFees(state, feesOf(BigInt(readPoolKey(pool).fee), protocolFee)) };
}

/** A swap, and the fee that was charged. */
interface FeeSwap extends TickSwap {
  readonly feePips: bigint;
}

/** The swap in a Swap log, whose amounts are the swapper's. */
function swapIn(pool: PoolListing, log: ChainLog): FeeSwap | undefined {
  const words = isOfSender(pool, log) ? wordsOf(log.data, 6) : undefined;
  const after = words && headIn(words[2]!, words[4]!, words[3]!);
  if (words === undefined || !isPriced(after)) return undefined;
  const [amount0, amount1] = [-BigInt.asIntN(256, words[0]!), -BigInt.asIntN(256, words[1]!)];
  const isWide = [amount0, amount1].some((amount) => BigInt.asIntN(128, -amount) !== -amount);
  return isWide ? undefined : { after, amount0, amount1, feePips: words[5]! };
}

function positionIn(
  { parameter, ...pool }: PoolListing,
  log: ChainLog,
): PositionChange | undefined {
  const words = isOfSender(pool, log) ? wordsOf(log.data, 4) : undefined;
  if (words === undefined) return undefined;
  const lower = tickIn(words[0], parameter);
  const upper = tickIn(words[1], parameter);
  const change = BigInt.asIntN(256, words[2]!);
  if (lower === undefined || upper === undefined || BigInt.asIntN(128, change) !== change) {
    return undefined;
  }
  return { lower, upper, change };
}

/** Whether a log names the pool and a sender. */
function isOfSender(pool: Pick<PoolListing, "address" | "constants">, log: ChainLog): boolean {
  return log.topics.length === 3 && isOf(pool, log) && addressInWord(log.topics[2]!) !== undefined;
}

/** Another pool's id may begin with the same key, after a long search for one. */
function isOf(pool: Pick<PoolListing, "address" | "constants">, { topics }: ChainLog): boolean {
  return topics[1] === idOf(pool);
}

function idOf({ address, constants = NO_CONSTANTS }: Pick<PoolListing, "address" | "constants">) {
  return decodePoolId(address, constants) ?? address;
}

/** What `getSlot0` and `getLiquidity` gave. */
function headOf(
  answers: ReadonlyArray<CallAnswer>,
): (TickHead & { readonly lpFee: bigint; readonly protocolFee: bigint }) | undefined {
  const slot0 = wordsOf(answers[0], 4);
  const [liquidity] = wordsOf(answers[1], 1) ?? [];
  if (slot0 === undefined || liquidity === undefined) return undefined;
  const [sqrtPriceX96, tick, protocolFee, lpFee] = slot0 as [bigint, bigint, bigint, bigint];
  const head = headIn(sqrtPriceX96, tick, liquidity);
  if (!isPriced(head) || lpFee > PIPS || protocolFee >> (2n * PROTOCOL_FEE_BITS) !== 0n) {
    return undefined;
  }
  return { ...head, lpFee, protocolFee };
}

function halvesOf(protocolFee: bigint): readonly [bigint, bigint] {
  return [BigInt.asUintN(Number(PROTOCOL_FEE_BITS), protocolFee), protocolFee >> PROTOCOL_FEE_BITS];
}

/** What each direction pays: the protocol first, the pool of the rest (`calculateSwapFee`). */
function feesOf(lpFee: bigint, protocolFee: bigint): readonly [number, number] {
  const [low, high] = halvesOf(protocolFee).map((half) =>
    Number(half + lpFee - (half * lpFee) / PIPS),
  );
  return [low!, high!];
}
