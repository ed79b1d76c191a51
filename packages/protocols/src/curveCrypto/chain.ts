import { type Address, FEE_IN_STATE, type PoolListing, REFUSED } from "@millrace/core";
import { toEventSelector, toFunctionSelector } from "viem/utils";
import {
  type Asking,
  type CallAnswer,
  type ChainCall,
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  type Creation,
  type FollowedDex,
  IMPOSSIBLE,
  type LoggedSwap,
  type NewPool,
  type PoolRefusal,
} from "../ChainProtocol.ts";
import {
  addressInTopic,
  addressInWord,
  callOfWords,
  firstWordsOf,
  wordsOf,
} from "../chainWords.ts";
import { CRYPTO_CONTRACTS } from "../curves/cryptoSwap/contracts.ts";
import { cryptoVirtualBalances } from "../curves/cryptoSwap/estimates.ts";
import { encodeCryptoConstants } from "../curves/cryptoSwap/state.ts";
import { afterRamp, cryptoStateIn, poolOfPrices } from "./state.ts";

const TWO_DEPLOYED = toEventSelector(
  "TwocryptoPoolDeployed(address,string,string,address[2],address,bytes32,uint256[2],uint256,uint256,uint256,uint256,address)",
);
const THREE_DEPLOYED = toEventSelector(
  "TricryptoPoolDeployed(address,string,string,address,address[3],address,bytes32,uint256,uint256,uint256,uint256,uint256,address)",
);
const EXCHANGE = toEventSelector(
  "TokenExchange(address,uint256,uint256,uint256,uint256,uint256,uint256)",
);
/** All else that changes a pool. Some differ by the number of tokens, and by version. */
const CHANGES = [
  "AddLiquidity(address,uint256[2],uint256,uint256,uint256)",
  "AddLiquidity(address,uint256[3],uint256,uint256,uint256)",
  "RemoveLiquidity(address,uint256[2],uint256)",
  "RemoveLiquidity(address,uint256[3],uint256)",
  "RemoveLiquidityOne(address,uint256,uint256,uint256,uint256,uint256)",
  "RemoveLiquidityImbalance(address,uint256,uint256[2],uint256,uint256)",
  "NewParameters(uint256,uint256,uint256,uint256,uint256,uint256)",
  "NewParameters(uint256,uint256,uint256,uint256,uint256,uint256,uint256)",
  "RampAgamma(uint256,uint256,uint256,uint256,uint256,uint256)",
  "StopRampA(uint256,uint256,uint256)",
  "ClaimAdminFee(address,uint256)",
  "ClaimAdminFee(address,uint256[2])",
].map((event) => toEventSelector(event));

const VERSION = toFunctionSelector("version()");
const PRECISIONS = toFunctionSelector("precisions()");
const BALANCES = toFunctionSelector("balances(uint256)");
const PRICE_SCALE = toFunctionSelector("price_scale()");
const PRICE_SCALE_OF = toFunctionSelector("price_scale(uint256)");
const D = toFunctionSelector("D()");
const A = toFunctionSelector("A()");
const GAMMA = toFunctionSelector("gamma()");
const MID_FEE = toFunctionSelector("mid_fee()");
const OUT_FEE = toFunctionSelector("out_fee()");
const FEE_GAMMA = toFunctionSelector("fee_gamma()");
const TOTAL_SUPPLY = toFunctionSelector("totalSupply()");
const VIRTUAL_PRICE = toFunctionSelector("virtual_price()");
const FUTURE_A_GAMMA = toFunctionSelector("future_A_gamma()");
const FEE_OF_TWO = toFunctionSelector("fee_calc(uint256[2])");
const DONATION_SHARES = toFunctionSelector("donation_shares()");
const GET_DY = toFunctionSelector("get_dy(uint256,uint256,uint256)");

const E18 = 10n ** 18n;
const A_MULTIPLIER = 10_000n;
const WORD_DIGITS = 64;

const UNKNOWN_VERSION: PoolRefusal = { refused: "an unknown version" };
const ODD_FEE: PoolRefusal = { refused: "a fee that no known version charges" };
const ODD_PRECISIONS: PoolRefusal = { refused: "precisions that its factory does not give" };

/**
 * Curve's crypto pools of the new generation: of two tokens (Twocrypto-NG) and of three
 * (Tricrypto-NG), each with a factory of its own; either may be a DEX's. Their logs give amounts,
 * not balances, and D and the price scale move with a swap: so the pool is read again after each
 * log. A and gamma move with time during a ramp: they are read at every block, with D.
 */
export const curveCryptoChain: ChainProtocol = { name: "curve-crypto", settings: {}, open };

function open(dex: ChainDex): FollowedDex {
  return {
    dex,
    creationTopics: [TWO_DEPLOYED, THREE_DEPLOYED],
    decodeCreation: (log) => decodeCreation(dex, log),
    poolTopics: [EXCHANGE, ...CHANGES],
    readsAgain: () => true,
    applyLog: () => IMPOSSIBLE,
    decodeSwap,
    makerIn: addressInTopic(1),
    eachBlock: { calls: rampCalls, apply: afterRamp },
    *read(pool) {
      return cryptoStateIn(pool, yield stateCalls(pool));
    },
    shallowRead: priceCalls,
    virtualReserves: (listing, answers) => {
      const pool = poolOfPrices(listing, answers);
      return pool === undefined || "refused" in pool ? undefined : cryptoVirtualBalances(pool);
    },
    quoteCall: ({ address }, positionIn, positionOut, amountIn) => ({
      call: callOfWords(address, GET_DY, [BigInt(positionIn), BigInt(positionOut), amountIn]),
      amountOut: (answer) => (answer === undefined ? REFUSED : wordsOf(answer, 1)?.[0]),
    }),
  };
}

/** The calls for A and gamma, which move during a ramp, and for D, which counts when it is over. */
const rampCalls = ({ address }: Pick<PoolListing, "address">): ReadonlyArray<ChainCall> =>
  [A, GAMMA, D].map((data) => ({ to: address, data }));

/** The calls for balances and prices, and the ramp calls. */
function priceCalls(pool: Pick<PoolListing, "address" | "tokens">): ReadonlyArray<ChainCall> {
  const { address, tokens } = pool;
  const prices =
    tokens.length === 2
      ? [{ to: address, data: PRICE_SCALE }]
      : tokens.slice(1).map((_, at) => callOfWords(address, PRICE_SCALE_OF, [BigInt(at)]));
  return [
    ...tokens.map((_, at) => callOfWords(address, BALANCES, [BigInt(at)])),
    ...prices,
    ...rampCalls(pool),
  ];
}

/** The calls for a whole state. */
const stateCalls = (pool: PoolListing): ReadonlyArray<ChainCall> => [
  ...priceCalls(pool),
  ...[MID_FEE, OUT_FEE, FEE_GAMMA, TOTAL_SUPPLY, VIRTUAL_PRICE, FUTURE_A_GAMMA].map((data) => ({
    to: pool.address,
    data,
  })),
];

/** Words of the two logs before their texts, and where tokens and the contract's math stand. */
const LOGS = new Map([
  [TWO_DEPLOYED, { tokensAt: 3, tokenCount: 2, mathAt: 5, wordCount: 14 }],
  [THREE_DEPLOYED, { tokensAt: 4, tokenCount: 3, mathAt: 7, wordCount: 15 }],
]);

function decodeCreation(
  dex: ChainDex,
  { address: by, topics, data }: ChainLog,
): Creation | undefined {
  const shape = LOGS.get(topics[0] ?? "0x");
  if (shape === undefined || topics.length !== 1 || by !== dex.factory.toLowerCase()) {
    return undefined;
  }
  if (firstWordsOf(data, shape.wordCount) === undefined) return undefined;
  const wordAt = (at: number) => data.slice(2 + at * WORD_DIGITS, 2 + (at + 1) * WORD_DIGITS);
  const addressAt = (at: number) => addressInWord(`0x${wordAt(at)}`);
  const tokens = Array.from({ length: shape.tokenCount }, (_, at) =>
    addressAt(shape.tokensAt + at),
  );
  const [address, math] = [addressAt(0), addressAt(shape.mathAt)];
  const isWhole = tokens.every((token) => token !== undefined && BigInt(token) !== 0n);
  if (!isWhole || new Set(tokens).size !== tokens.length) return undefined;
  if (address === undefined || math === undefined || BigInt(address) === 0n) return undefined;
  const listing = { address, dexId: dex.id, tokens: tokens as Address[], feePips: FEE_IN_STATE };
  return { resolve: () => resolve({ ...listing, curve: "crypto-swap", parameter: 0 }, math) };
}

/** The log does not tell which of its versions the contract is. */
function* resolve(
  listing: Omit<PoolListing, "constants">,
  math: Address,
): Asking<NewPool | PoolRefusal | undefined> {
  const { address, tokens } = listing;
  const n = tokens.length;
  const answers = yield [
    { to: address, data: VERSION },
    { to: math, data: VERSION },
    { to: address, data: PRECISIONS },
  ];
  const version = shortTextIn(answers[0]);
  // A pool may have been created with the math of another version, whose limits nobody knows.
  if (version === undefined || shortTextIn(answers[1]) !== version) return UNKNOWN_VERSION;
  const precisions = wordsOf(answers[2], n);
  if (precisions === undefined || !precisions.every(isPrecision)) return ODD_PRECISIONS;
  const isNewer = n === 2 && version !== "v2.0.0" ? yield* hasNewerFee(address) : false;
  if (isNewer === undefined) return ODD_FEE;
  const place = CRYPTO_CONTRACTS.findIndex(
    (each) => each.tokenCount === n && each.version === version && each.reachesOutFee === isNewer,
  );
  if (place < 0) return UNKNOWN_VERSION;
  const constants = encodeCryptoConstants(place, A_MULTIPLIER, precisions);
  return { listing: { ...listing, constants }, created: undefined };
}

/** Whether it is a power of ten up to 10^18, as 10^(18 − decimals) of a token is. */
function isPrecision(precision: bigint): boolean {
  return (
    precision > 0n && precision <= E18 && E18 % precision === 0n && /^10*$/.test(`${precision}`)
  );
}

/**
 * Whether the fee reaches `out_fee` out of balance, as it does in pools that take donations.
 * Undefined where the pool's fee for balances of one to three does not agree with that.
 */
function* hasNewerFee(address: Address): Asking<boolean | undefined> {
  const [charged, donations, ...rest] = yield [
    callOfWords(address, FEE_OF_TWO, [E18, 3n * E18]),
    { to: address, data: DONATION_SHARES },
    ...[MID_FEE, OUT_FEE, FEE_GAMMA].map((data) => ({ to: address, data })),
  ];
  const [fee] = wordsOf(charged, 1) ?? [];
  const [midFee, outFee, feeGamma] = rest.map((answer) => wordsOf(answer, 1)?.[0]);
  if (midFee === undefined || outFee === undefined || !feeGamma) return undefined;
  const isNewer = wordsOf(donations, 1) !== undefined;
  const balance = (3n * E18) / 4n;
  const part = isNewer
    ? (feeGamma * balance) / ((feeGamma * balance) / E18 + E18 - balance)
    : (feeGamma * E18) / (feeGamma + E18 - balance);
  return fee === (midFee * part + outFee * (E18 - part)) / E18 ? isNewer : undefined;
}

/** A text of up to 32 bytes, as the ABI returns it. */
function shortTextIn(answer: CallAnswer): string | undefined {
  const [offset, length, digits] = wordsOf(answer, 3) ?? [];
  if (offset !== 32n || length === undefined || length > 32n) return undefined;
  const bytes = digits!
    .toString(16)
    .padStart(WORD_DIGITS, "0")
    .slice(0, 2 * Number(length));
  return Buffer.from(bytes, "hex").toString("latin1");
}

function decodeSwap({ tokens }: PoolListing, { topics, data }: ChainLog): LoggedSwap | undefined {
  const [sold, amountIn, bought, amountOut] = (topics[0] === EXCHANGE && wordsOf(data, 6)) || [];
  if (sold === undefined || bought === undefined || !amountIn || !amountOut) return undefined;
  const count = BigInt(tokens.length);
  if (sold >= count || bought >= count || sold === bought) return undefined;
  const positions = { positionIn: Number(sold), positionOut: Number(bought) };
  return { ...positions, amountIn, amountOut, priceAfter: 0 };
}
