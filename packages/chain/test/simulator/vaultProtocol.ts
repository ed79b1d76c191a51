import {
  type Address,
  FEE_IN_STATE,
  type PoolListing,
  REFUSED,
  type TokenPosition,
} from "@millrace/core";
import {
  type Asking,
  type CallAnswer,
  type ChainCall,
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  type Creation,
  constantProduct,
  EVERY_POOL,
  encodeReserves,
  FEE_INSIDE,
  type FollowedState,
  type Hex,
  type LogEffect,
  type NewPool,
  type PoolRefusal,
} from "@millrace/protocols";
import { Schema } from "effect";
import type { FollowedProtocol } from "../../src/ChainOptions.ts";
import { VAULT_METHODS, VAULT_TOPICS } from "./vaultContracts.ts";
import { addressAt, numberAt, word, wordAt } from "./words.ts";

/**
 * A protocol that uses every feature of the interface: one contract holds all pools, which have ids
 * of 32 bytes, and writes their logs; a module's logs change all pools of two DEXes at once; some
 * creations are refused, some have neither tokens nor state; some logs do not say what they
 * changed; the fees of one DEX change in each block. The curve is x·y = k.
 */
export const vaultProtocol: FollowedProtocol = {
  curves: [constantProduct],
  chain: {
    name: "vault",
    settings: { module: Schema.String, moves: Schema.Boolean },
    open,
  },
};

/** Reasons why pools are not loaded. */
export const VAULT_REFUSALS = { hook: "a hook", paused: "paused" } as const;

const decodeSettings = Schema.decodeUnknownSync(
  Schema.Struct({ module: Schema.TemplateLiteral(["0x", Schema.String]), moves: Schema.Boolean }),
);

function open(dex: ChainDex): ReturnType<ChainProtocol["open"]> {
  const { module, moves } = decodeSettings(dex);
  const { factory: vault } = dex;
  const ask = (method: Hex, pool: PoolListing): ChainCall => ({
    to: vault,
    data: `${method}${idOf(pool).slice(2)}`,
  });
  const feeOf = (pool: PoolListing) => [ask(VAULT_METHODS.feeOf, pool)];

  function* read(pool: PoolListing): Asking<FollowedState | PoolRefusal | undefined> {
    const [state, fee] = yield [ask(VAULT_METHODS.stateOf, pool), ...feeOf(pool)];
    if (state === undefined || state.length !== 2 + 4 * 64) return undefined;
    const [reserve0, reserve1, baseFee, paused] = [0, 1, 2, 3].map((at) =>
      wordAt(state.slice(2), at),
    ) as [bigint, bigint, bigint, bigint];
    if (paused !== 0n) return { refused: VAULT_REFUSALS.paused };
    const moved = moves ? wordIn(fee) : baseFee;
    return moved === undefined ? undefined : stateWith([reserve0, reserve1], Number(moved));
  }

  function decodeCreation(log: ChainLog): Creation | undefined {
    const [topic, id] = log.topics;
    if (log.address !== vault || topic !== VAULT_TOPICS.initialize || id === undefined) {
      return undefined;
    }
    const input = log.data.slice(2);
    if (input.length !== 6 * 64) return undefined;
    if (wordAt(input, 5) === 2n) return { refused: VAULT_REFUSALS.hook };
    if (wordAt(input, 5) === 1n) return { resolve: () => resolve(id) };
    const reserves = [wordAt(input, 2), wordAt(input, 3)];
    const created = stateWith(reserves, Number(wordAt(input, 4)));
    return { listing: listingOf(dex, id, input), created };
  }

  function* resolve(id: Hex): Asking<NewPool | undefined> {
    const [tokens] = yield [{ to: vault, data: `${VAULT_METHODS.tokensOf}${id.slice(2)}` }];
    if (tokens?.length !== 2 + 2 * 64) return undefined;
    return { listing: listingOf(dex, id, tokens.slice(2)), created: undefined };
  }

  return {
    dex,
    creationTopics: [VAULT_TOPICS.initialize],
    decodeCreation,
    poolTopics: [
      ...[VAULT_TOPICS.changed, VAULT_TOPICS.touched, VAULT_TOPICS.traded],
      ...[VAULT_TOPICS.feesSet, VAULT_TOPICS.shuffled, VAULT_TOPICS.paused],
    ],
    sharedLogs: {
      contracts: [vault, module],
      keyOf: ({ address, topics }) =>
        address === module ? EVERY_POOL : (topics[1]?.slice(0, 42) as Hex | undefined),
    },
    readsAgain: ({ topics: [topic] }) =>
      topic === VAULT_TOPICS.touched || topic === VAULT_TOPICS.shuffled,
    applyLog,
    decodeSwap,
    ...(moves && {
      eachBlock: {
        calls: feeOf,
        apply: (_pool: PoolListing, state: FollowedState, [fee]: ReadonlyArray<CallAnswer>) => {
          const word = wordIn(fee);
          return word === undefined ? undefined : withFee(state, Number(word));
        },
      },
    }),
    read,
    quoteCall: (pool, positionIn, _positionOut, amountIn) => ({
      call: callOfQuote(vault, pool, positionIn, amountIn),
      amountOut: (answer) => (answer === undefined ? REFUSED : wordIn(answer)),
    }),
    shallowRead: (pool) => [ask(VAULT_METHODS.stateOf, pool)],
    virtualReserves: (_pool, [state]) =>
      state === undefined ? undefined : [wordAt(state.slice(2), 0), wordAt(state.slice(2), 1)],
  };
}

function callOfQuote(
  to: Address,
  pool: PoolListing,
  positionIn: TokenPosition,
  amountIn: bigint,
): ChainCall {
  const rest = [word(positionIn), word(amountIn)].join("");
  return { to, data: `${VAULT_METHODS.quoteOf}${idOf(pool).slice(2)}${rest}` };
}

function applyLog(
  _pool: PoolListing,
  state: FollowedState,
  { topics: [topic], data }: ChainLog,
): LogEffect | PoolRefusal | undefined {
  const input = data.slice(2);
  switch (topic) {
    case VAULT_TOPICS.changed:
      return { state: stateWith([wordAt(input, 0), wordAt(input, 1)], Number(state.words[4])) };
    case VAULT_TOPICS.feesSet:
      return { state: withFee(state, numberAt(input, 0)) };
    case VAULT_TOPICS.paused:
      return wordAt(input, 0) === 1n ? { refused: VAULT_REFUSALS.paused } : { state };
    default:
      return undefined;
  }
}

function decodeSwap(_pool: PoolListing, log: ChainLog, before: ChainLog | undefined) {
  if (log.topics[0] !== VAULT_TOPICS.traded) return undefined;
  const [amountIn, amountOut, positionIn] = [0, 1, 2].map((at) => wordAt(log.data.slice(2), at));
  const isIn0 = positionIn === 0n;
  const reserves = before?.topics[0] === VAULT_TOPICS.changed ? before.data.slice(2) : undefined;
  const price =
    reserves === undefined ? 0 : Number(wordAt(reserves, 1)) / Number(wordAt(reserves, 0));
  return {
    ...(isIn0 ? { positionIn: 0, positionOut: 1 } : { positionIn: 1, positionOut: 0 }),
    ...{ amountIn: amountIn!, amountOut: amountOut! },
    priceAfter: price === 0 || isIn0 ? price : 1 / price,
  };
}

function listingOf({ id: dexId }: ChainDex, id: Hex, input: string): PoolListing {
  return {
    address: id.slice(0, 42) as Hex,
    dexId,
    curve: constantProduct.name,
    tokens: [addressAt(input, 0), addressAt(input, 1)],
    feePips: FEE_IN_STATE,
    parameter: FEE_INSIDE,
    constants: idWords(id),
  };
}

/** A pool's whole id, as the contract knows it. */
export function idWords(id: Hex): BigUint64Array {
  return BigUint64Array.from([0, 1, 2, 3], (at) =>
    BigInt(`0x${id.slice(2 + 16 * at, 18 + 16 * at)}`),
  );
}

function idOf({ constants }: PoolListing): Hex {
  return `0x${[...constants!].map((limb) => limb.toString(16).padStart(16, "0")).join("")}`;
}

/** A state with a note, which is read, followed, compared and kept like the rest. */
function stateWith(reserves: ReadonlyArray<bigint>, feePips: number): FollowedState {
  return { ...encodeReserves(reserves, feePips), notes: BigUint64Array.of(BigInt(feePips) ^ 1n) };
}

function withFee(state: FollowedState, feePips: number): FollowedState {
  if (state.words[4] === BigInt(feePips)) return state;
  const words = state.words.slice();
  words[4] = BigInt(feePips);
  return { words, notes: BigUint64Array.of(BigInt(feePips) ^ 1n) };
}

function wordIn(answer: CallAnswer): bigint | undefined {
  return answer?.length === 66 ? BigInt(answer) : undefined;
}
