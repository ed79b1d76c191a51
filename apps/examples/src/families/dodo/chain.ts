import { FEE_IN_STATE, NO_CONSTANTS, type PoolListing, REFUSED, writeWords } from "@millrace/core";
import {
  type Asking,
  addressInWord,
  type CallAnswer,
  type ChainCall,
  type ChainProtocol,
  callOfWords,
  IMPOSSIBLE,
  loggedSwap,
  type NewPool,
  type PoolRefusal,
  wordsOf,
} from "@millrace/protocols";
import { toEventSelector, toFunctionSelector } from "viem/utils";
import { dodoTarget, ONE, RESERVE_END } from "./math.ts";
import { dodoCurve, dodoPool, dodoState, isEdge } from "./pool.ts";

const CREATED = toEventSelector("NewDVM(address,address,address,address)");
const SWAP = toEventSelector("DODOSwap(address,address,uint256,uint256,address,address)");
const BUY_SHARES = toEventSelector("BuyShares(address,uint256,uint256)");
const SELL_SHARES = toEventSelector("SellShares(address,address,uint256,uint256)");
const FLASH_LOAN = toEventSelector("DODOFlashLoan(address,address,uint256,uint256)");
const PMM_STATE = toFunctionSelector("getPMMStateForCall()");
const FEE_RATES = toFunctionSelector("getUserFeeRate(address)");
const SELL_BASE = toFunctionSelector("querySellBase(address,uint256)");
const SELL_QUOTE = toFunctionSelector("querySellQuote(address,uint256)");
/** `RState` of a pool whose base is what there is less of: a DVM's always. */
const ABOVE_ONE = 1n;

/** Pools of DODO V2's DVM factory. Logs tell no reserves: after each the pool is read again. */
export const dodoChain: ChainProtocol = {
  name: dodoCurve.name,
  settings: {},
  open: (dex) => ({
    dex,
    creationTopics: [CREATED],
    decodeCreation: ({ address: by, topics, data }) => {
      const words = topics[0] === CREATED && wordsOf(data, 4) ? data.slice(2).match(/.{64}/g)! : [];
      const [base, quote, , address] = words.map((word) => addressInWord(`0x${word}`));
      if (by !== dex.factory.toLowerCase() || !base || !quote || !address || base === quote)
        return undefined;
      const listing = { address, dexId: dex.id, tokens: [base, quote], parameter: 0 };
      return { resolve: () => resolve({ ...listing, feePips: FEE_IN_STATE }) };
    },
    poolTopics: [SWAP, BUY_SHARES, SELL_SHARES, FLASH_LOAN],
    readsAgain: () => true,
    applyLog: () => IMPOSSIBLE,
    decodeSwap: ({ tokens }, { topics, data }) => {
      const [from, , paid, given] = (topics[0] === SWAP && wordsOf(data, 6)) || [];
      if (from === BigInt(tokens[0]!)) return loggedSwap(paid!, -given!, 0);
      return from === BigInt(tokens[1]!) ? loggedSwap(-given!, paid!, 0) : undefined;
    },
    *read(pool) {
      const found = stateIn(pool, yield stateCalls(pool));
      return found && dodoState(found);
    },
    shallowRead: stateCalls,
    virtualReserves,
    quoteCall: ({ address }, from, _to, amountIn) => ({
      call: callOfWords(address, from === 0 ? SELL_BASE : SELL_QUOTE, [0n, amountIn]),
      amountOut: (answer) => (answer === undefined ? REFUSED : wordsOf(answer, 2)?.[0]),
    }),
  }),
};

const stateCalls = ({ address }: Pick<PoolListing, "address">): ReadonlyArray<ChainCall> => [
  { to: address, data: PMM_STATE },
  callOfWords(address, FEE_RATES, [0n]),
];

/** The price stands in the contract alone. It never changes. */
function* resolve(
  listing: Omit<PoolListing, "constants">,
): Asking<NewPool | PoolRefusal | undefined> {
  const [i, k] = wordsOf((yield stateCalls(listing))[0], 7) ?? [];
  if (i === undefined || k === undefined) return undefined;
  if (i === 0n || i > ONE ** 2n || isEdge(k)) return { refused: "a price without a curve" };
  const constants = new BigUint64Array(3);
  writeWords(constants, 0, 2, i);
  constants[2] = k;
  return { listing: { ...listing, constants }, created: undefined };
}

/** What the pool tells of itself; undefined where it is another, or no pool of this curve. */
function stateIn(
  { constants = NO_CONSTANTS, ...pool }: PoolListing,
  answers: ReadonlyArray<CallAnswer>,
) {
  const [i, k, base, quote, , quoteTarget, side] = wordsOf(answers[0], 7) ?? [];
  const [lpRate, mtRate] = wordsOf(answers[1], 2) ?? [];
  if (base === undefined || quote === undefined || lpRate === undefined || mtRate === undefined)
    return undefined;
  if (base >= RESERVE_END || quote >= RESERVE_END || lpRate + mtRate >= ONE) return undefined;
  const state = dodoState({ base, quote, lpRate, mtRate });
  const shape = { ...pool, decimals: [0, 0], constants };
  if (dodoCurve.check(shape, state) !== undefined) return undefined;
  const found = dodoPool(constants, state.words);
  const isThis = found.i === i && found.k === k && quoteTarget === 0n && side === ABOVE_ONE;
  return isThis ? found : undefined;
}

/** Of x·y = k with this price and, where that begins to fall, its fall: x = 2 × price / −price′. */
function virtualReserves(pool: PoolListing, answers: ReadonlyArray<CallAnswer>) {
  const found = stateIn(pool, answers);
  const target = found === undefined ? 0n : dodoTarget(found);
  if (found === undefined || target === 0n) return undefined;
  const [base, k] = [Number(found.base), Number(found.k) / 1e18];
  const c = k * (Number(target) / base) ** 2;
  const amount = base * (1 + (1 - k) / c);
  const worth = (amount * (1 - k + c) * Number(found.i)) / 1e18;
  return [BigInt(Math.floor(amount)), BigInt(Math.floor(worth))];
}
