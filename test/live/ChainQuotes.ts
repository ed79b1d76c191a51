import type { Address } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import type { Hex } from "@millrace/protocols";
import { getSqrtRatioAtTick, getTickAtSqrtRatio } from "@millrace/testing/reference";
import {
  type Abi,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  numberToHex,
  pad,
} from "viem";
import { quoterAbi, v2RouterAbi } from "./abis.ts";
import type { Call, Chain } from "./Chain.ts";
import { type Hop, type PathRequest, tokenInOf, tokenOutOf, tokensOf } from "./paths.ts";
import { v2PairAbi } from "./readPools.ts";
import { feeOf, oriented, packPath } from "./scene.ts";

/**
 * The contracts' answer: the other amount, 0n where nothing would come out, undefined where they
 * revert or fill only a part. Includes the prices of concentrated pools afterwards.
 */
export interface ChainQuote {
  readonly amount: bigint | undefined;
  readonly sqrtPricesX96After: ReadonlyArray<bigint>;
  /**
   * The gas of its swaps by the engine's bounds, computed from the quoters' measurements. Where a
   * transaction has less, the engine may refuse it.
   */
  readonly gas: bigint;
  /**
   * Whether the formula of some hop may ask for more than the least input: Router02's adds one
   * where its division is exact, and a concentrated pool's goes all the way to a tick where the
   * output up to there is exactly the wanted one.
   */
  readonly asksMore: boolean;
}

interface HopRequest extends Hop {
  readonly kind: PathRequest["kind"];
  readonly amount: bigint;
}

const REFUSED: ChainQuote = {
  ...{ amount: undefined, sqrtPricesX96After: [] },
  ...{ gas: 0n, asksMore: false },
};
/** The limit of EIP-7825, less the gas of a transaction besides its swaps. */
const SWAPS_GAS_MAX = 16_777_216n - 100_000n;
/** Gas of a swap in a pair, or in a concentrated pool without its crossings. */
const SWAP_GAS = 150_000n;
/** The excess of an initialised tick's bound over its measured gas. */
const CROSSING_EXCESS = 35_000n;
/** One inside the limits of TickMath, where swaps without a price limit end. */
const PRICE_ENDS = [4295128740n, 1461446703485210103287273052203988822378723970341n];
const RESERVE_MAX = 2n ** 112n - 1n;
const FORK_KEEPS = 998n;
/** Where WETH9 and the mintable tokens both keep their balances. */
const BALANCES_SLOT = 3n;

/** Asks QuoterV2, the Router02s, and the pairs themselves, at the newest block. */
export class ChainQuotes {
  readonly #chain: Chain;
  readonly #devnet: Devnet;

  constructor(chain: Chain, devnet: Devnet) {
    this.#chain = chain;
    this.#devnet = devnet;
  }

  /** Quotes paths that one contract answers as a whole: all pools of a Router02, or of QuoterV2. */
  async ofPaths(requests: ReadonlyArray<PathRequest>): Promise<ReadonlyArray<ChainQuote>> {
    const calls = requests.map((request) => this.#pathCall(request));
    const answers = await this.#chain.callEach(calls);
    return requests.map(({ hops, kind }, index) => {
      const data = answers[index];
      if (data === undefined) return REFUSED;
      if (hops[0]!.pool.deployment === "v3") return decodeQuoter(data, kind, hops.length > 1);
      const amounts = decodeAmounts(data, kind);
      const isFull = hops.every(({ pool, positionIn }, place) => {
        const [, , reserveIn] = oriented(pool, positionIn);
        return amounts[place + 1]! > 0n && reserveIn + amounts[place]! <= RESERVE_MAX;
      });
      if (kind === "exactIn") return isFull ? quoted(amounts.at(-1)!) : REFUSED;
      const asksMore = hops.some((hop, place) => asksOneMore(hop, amounts[place + 1]!));
      return { ...(isFull ? quoted(amounts[0]!) : REFUSED), asksMore };
    });
  }

  /** Quotes any paths, hop by hop. */
  async hopByHop(requests: ReadonlyArray<PathRequest>): Promise<ReadonlyArray<ChainQuote>> {
    const amounts: Array<bigint | undefined> = requests.map(({ amount }) => amount);
    const gas = requests.map(() => 0n);
    const asksMore = new Set<number>();
    const length = Math.max(...requests.map(({ hops }) => hops.length));
    for (let turn = 0; turn < length; turn++) {
      const asked = requests.flatMap(({ hops, kind }, index) => {
        const hop = kind === "exactIn" ? hops[turn] : hops[hops.length - 1 - turn];
        const amount = amounts[index];
        return hop === undefined || !amount ? [] : [{ index, request: { ...hop, kind, amount } }];
      });
      const answers = await this.ofHops(asked.map(({ request }) => request));
      for (const [place, { index }] of asked.entries()) {
        amounts[index] = answers[place]!.amount;
        gas[index]! += answers[place]!.gas;
        if (answers[place]!.asksMore) asksMore.add(index);
      }
    }
    return amounts.map((amount, index) => ({
      ...{ amount, sqrtPricesX96After: [] },
      ...{ gas: gas[index]!, asksMore: asksMore.has(index) },
    }));
  }

  async ofHops(requests: ReadonlyArray<HopRequest>): Promise<ReadonlyArray<ChainQuote>> {
    const isForks = ({ pool }: Hop) => pool.deployment === "v2Fork";
    const asPaths = requests
      .filter((request) => !isForks(request))
      .map(({ pool, positionIn, kind, amount }) => ({
        hops: [{ pool, positionIn }],
        kind,
        amount,
      }));
    const [ofPaths, ofForks] = [
      await this.ofPaths(asPaths),
      await this.#ofForks(requests.filter(isForks)),
    ].map((quotes) => quotes[Symbol.iterator]());
    return requests.map((request) => (isForks(request) ? ofForks : ofPaths)!.next().value!);
  }

  /**
   * Whether pairs accept these payments for these outputs: calls `swap` itself, with the payment
   * added to the pair's balance.
   */
  async swapsPass(
    swaps: ReadonlyArray<Hop & { readonly amountIn: bigint; readonly amountOut: bigint }>,
  ): Promise<ReadonlyArray<boolean>> {
    const [{ address: from } = { address: undefined }] = this.#devnet.traders;
    const answers = await this.#chain.batch(
      swaps.map(({ pool, positionIn, amountIn, amountOut }) => {
        const outs = positionIn === 0 ? [0n, amountOut] : [amountOut, 0n];
        const args = [outs[0]!, outs[1]!, from!, "0x"] as const;
        const data = encodeFunctionData({ abi: v2PairAbi, functionName: "swap", args });
        // A balance beyond a token's range reverts as well.
        const whole = pool.head[positionIn]! + amountIn;
        const balance = whole < 2n ** 256n ? whole : 2n ** 256n - 1n;
        const stateDiff = { [balanceSlot(pool.address)]: pad(numberToHex(balance)) };
        const token = tokenInOf({ pool, positionIn });
        return [
          "eth_call",
          [{ from, to: pool.address, data }, "latest", { [token]: { stateDiff } }],
        ];
      }),
    );
    return answers.map(({ error }) => error === undefined);
  }

  /**
   * A fork's pairs have no quotes: a quote is a swap that they accept where they accept no better
   * one.
   */
  async #ofForks(requests: ReadonlyArray<HopRequest>): Promise<ReadonlyArray<ChainQuote>> {
    const guesses = requests.map(guess);
    const trials = requests.flatMap((request, index) => {
      const { pool, positionIn, kind, amount } = request;
      const other = guesses[index];
      const swap = (amountIn: bigint, amountOut: bigint) => ({
        ...{ pool, positionIn, amountIn, amountOut },
      });
      const most = RESERVE_MAX - pool.head[positionIn]!;
      if (kind === "exactIn") return [swap(amount, other ?? 1n), swap(amount, (other ?? 1n) + 1n)];
      return other === undefined
        ? [swap(most, amount), swap(most, amount)]
        : [swap(other, amount), swap(other - 1n, amount)];
    });
    const passes = await this.swapsPass(trials);
    return requests.map((request, index) => {
      const [accepted, better] = [passes[2 * index]!, passes[2 * index + 1]!];
      const other = guesses[index];
      if (accepted === (other !== undefined) && !better)
        return other === undefined ? REFUSED : quoted(other);
      const { pool, kind, amount } = request;
      throw new Error(`${pool.address}: ${kind} ${amount} is not ${other}, ${accepted}, ${better}`);
    });
  }

  #pathCall({ hops, kind, amount }: PathRequest): Call {
    const { contracts } = this.#devnet;
    const tokens = tokensOf(hops);
    const { deployment } = hops[0]!.pool;
    if (deployment !== "v3") {
      const functionName = kind === "exactIn" ? "getAmountsOut" : "getAmountsIn";
      const args = [amount, tokens] as const;
      const data = encodeFunctionData({ abi: v2RouterAbi, functionName, args });
      return { to: deployment === "v2" ? contracts.v2Router : contracts.v2SisterRouter, data };
    }
    return { to: contracts.quoterV2, data: quoterData(hops, tokens, kind, amount) };
  }
}

function quoterData(
  hops: ReadonlyArray<Hop>,
  tokens: ReadonlyArray<Address>,
  kind: PathRequest["kind"],
  amount: bigint,
): Hex {
  const abi = quoterAbi;
  const fees = hops.map(({ pool }) => feeOf(pool));
  if (hops.length === 1) {
    const [tokenIn, tokenOut, fee] = [tokenInOf(hops[0]!), tokenOutOf(hops[0]!), fees[0]!];
    const pool = { tokenIn, tokenOut, fee, sqrtPriceLimitX96: 0n };
    return kind === "exactIn"
      ? encodeFunctionData({
          ...{ abi, functionName: "quoteExactInputSingle" },
          args: [{ ...pool, amountIn: amount }],
        })
      : encodeFunctionData({
          ...{ abi, functionName: "quoteExactOutputSingle" },
          args: [{ ...pool, amount }],
        });
  }
  return kind === "exactIn"
    ? encodeFunctionData({
        ...{ abi, functionName: "quoteExactInput" },
        args: [packPath(tokens, fees), amount],
      })
    : encodeFunctionData({
        ...{ abi, functionName: "quoteExactOutput" },
        args: [packPath([...tokens].reverse(), [...fees].reverse()), amount],
      });
}

/** A price at its end means a partial fill. */
function decodeQuoter(data: Hex, kind: PathRequest["kind"], isPath: boolean): ChainQuote {
  const abi: Abi = quoterAbi;
  const functionName = `quoteExact${kind === "exactIn" ? "Input" : "Output"}${isPath ? "" : "Single"}`;
  const [amount, after, crossed, measured] = decodeFunctionResult({ abi, functionName, data }) as [
    bigint,
    bigint | ReadonlyArray<bigint>,
    number | ReadonlyArray<number>,
    bigint,
  ];
  const sqrtPricesX96After = typeof after === "bigint" ? [after] : after;
  const isPart = sqrtPricesX96After.some((price) => PRICE_ENDS.includes(price));
  const crossings = (typeof crossed === "number" ? [crossed] : crossed).reduce((a, b) => a + b, 0);
  // A word of the bitmap is bounded by 8,100, and 7,200 are measured.
  const gas =
    (measured * 9n) / 8n +
    SWAP_GAS * BigInt(sqrtPricesX96After.length) +
    CROSSING_EXCESS * BigInt(crossings);
  const asksMore = kind === "exactOut" && sqrtPricesX96After.some(isOnTick);
  return { amount: isPart ? undefined : amount, sqrtPricesX96After, gas, asksMore };
}

function isOnTick(sqrtPriceX96: bigint): boolean {
  return getSqrtRatioAtTick(getTickAtSqrtRatio(sqrtPriceX96)) === sqrtPriceX96;
}

function decodeAmounts(data: Hex, kind: PathRequest["kind"]): ReadonlyArray<bigint> {
  const functionName = kind === "exactIn" ? "getAmountsOut" : "getAmountsIn";
  return decodeFunctionResult({ abi: v2RouterAbi, functionName, data });
}

/** Whether Router02's formula, floor plus one, is more than the quotient rounded up. */
function asksOneMore({ pool, positionIn }: Hop, amountOut: bigint): boolean {
  const [, , reserveIn, reserveOut] = oriented(pool, positionIn);
  return (reserveIn * amountOut * 1_000n) % ((reserveOut - amountOut) * 997n) === 0n;
}

/** The constant product to the wei: only a guess, which the pair itself then checks. */
function guess({ pool, positionIn, kind, amount }: HopRequest): bigint | undefined {
  const [, , reserveIn, reserveOut] = oriented(pool, positionIn);
  if (kind === "exactOut") {
    if (amount >= reserveOut) return undefined;
    const amountIn = (reserveIn * amount * 1_000n - 1n) / ((reserveOut - amount) * FORK_KEEPS) + 1n;
    return reserveIn + amountIn > RESERVE_MAX ? undefined : amountIn;
  }
  const kept = amount * FORK_KEEPS;
  if (reserveOut === 0n || reserveIn + amount > RESERVE_MAX) return undefined;
  const amountOut = (kept * reserveOut) / (reserveIn * 1_000n + kept);
  return amountOut === 0n ? undefined : amountOut;
}

/** Whether one transaction certainly has the gas for a quote's swaps. */
export const isExecutable = ({ gas }: ChainQuote): boolean => gas <= SWAPS_GAS_MAX;

const quoted = (amount: bigint): ChainQuote => ({
  ...{ amount, sqrtPricesX96After: [], gas: SWAP_GAS, asksMore: false },
});

const balanceSlot = (holder: Address): Hex =>
  keccak256(
    encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [holder, BALANCES_SLOT]),
  );
