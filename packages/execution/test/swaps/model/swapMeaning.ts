import type { Address } from "@millrace/core";
import type { SwapCall } from "@millrace/execution";
import type { PlainPool } from "@millrace/testing/reference";
import { decodeAbiParameters, type Hex } from "viem";
import {
  ALL,
  executorCall,
  executorLegs,
  hopsOf,
  pathOfBytes,
  pathOfTokens,
  type RouterHop,
  routerCall,
  threeWords,
  twoWords,
  wrapperCall,
} from "./swapCalls.ts";
import { EXECUTOR, SENDER, UNIVERSAL, WRAPPED } from "./swapMarket.ts";

/** What a transaction does, in the words of a trader. */
export interface Meaning {
  readonly target: Address;
  readonly value: bigint;
  /** Pools with the token that each takes, then the last token; and the amount that is fixed. */
  readonly paths: ReadonlyArray<{ readonly hops: ReadonlyArray<string>; readonly amount: bigint }>;
  /** Which side of the paths is fixed. */
  readonly kind: "exactIn" | "exactOut";
  readonly mostIn: bigint;
  readonly leastOut: bigint;
  readonly recipient: Address;
  readonly fee: string;
  readonly deadline: number;
  readonly nativeOut: boolean;
  readonly permit: string;
  /**
   * Of the router's own: fees and kinds in the words of legs; who pays, holds and gets what is
   * left.
   */
  readonly others: ReadonlyArray<string>;
}

export const NO_FEE = "none";
export const NO_PERMIT = "none";

/**
 * Reads a call by viem, of which nothing else here knows; throws where it is not of a known form.
 */
export function meaningOf(
  call: SwapCall,
  pools: ReadonlyArray<PlainPool>,
  sender = SENDER,
): Meaning {
  if (call.to === EXECUTOR) return executorMeaning(call);
  if (call.to === UNIVERSAL) return new RouterReading(call, pools, sender).meaning();
  if (call.to === WRAPPED) return wrapperMeaning(call, sender);
  throw new Error(`no router: ${call.to}`);
}

const lower = (address: string) => address.toLowerCase() as Address;

export const hopOf = (pool: string, tokenIn: string): string =>
  `${lower(tokenIn)} > ${lower(pool)}`;

function executorMeaning({ to, data, value }: SwapCall): Meaning {
  const { isInput, order, paths, permit } = executorCall(data);
  const words: string[] = [];
  const read = paths.map(({ amount, legs }) => {
    let tokenIn = order.tokenIn;
    const hops = executorLegs(legs).map((leg) => {
      words.push(leg.head);
      const hop = hopOf(leg.target, tokenIn);
      tokenIn = leg.tokenOut;
      return hop;
    });
    return { amount, hops: [...hops, lower(tokenIn)] };
  });
  const bps = order.fee >> 160n;
  const partner = (order.fee & ((1n << 160n) - 1n)).toString(16).padStart(40, "0");
  return {
    target: to,
    value,
    paths: read,
    kind: isInput ? "exactIn" : "exactOut",
    mostIn: order.amountIn,
    leastOut: order.amountOutMin,
    recipient: lower(order.recipient),
    fee: bps === 0n ? NO_FEE : `${bps} to 0x${partner}`,
    deadline: Number(order.deadline),
    nativeOut: order.nativeOut,
    permit:
      permit === undefined
        ? NO_PERMIT
        : [permit.amount, permit.deadline, permit.r, permit.s, permit.v].join(),
    others: words,
  };
}

function wrapperMeaning({ to, data, value }: SwapCall, sender: Address): Meaning {
  const withdrawn = wrapperCall(data);
  const amount = withdrawn ?? value;
  return {
    ...{ target: to, value, paths: [], kind: "exactIn", mostIn: amount, leastOut: amount },
    ...{ recipient: sender, fee: NO_FEE, deadline: 0, permit: NO_PERMIT },
    nativeOut: withdrawn !== undefined,
    others: [],
  };
}

interface RouterSwap {
  readonly to: Address;
  readonly amount: bigint;
  readonly limit: bigint;
  readonly payerIsUser: boolean;
  readonly isOut: boolean;
  readonly hops: ReadonlyArray<RouterHop>;
}

/** The Universal Router's commands, followed in their order. */
class RouterReading {
  readonly #call: SwapCall;
  readonly #pools: ReadonlyArray<PlainPool>;
  readonly #sender: Address;
  readonly #paths: Array<{ hops: string[]; amount: bigint }> = [];
  /** The token that the path under way has come to. */
  #at = "";
  #isOut = false;
  /** Wrapped, of the value, less what exact inputs have taken. */
  #wrapped = 0n;
  #mostIn = 0n;
  #leastOut = 0n;
  #nativeOut = false;
  readonly #recipients = new Set<string>();
  readonly #fees: string[] = [];
  readonly #permits: string[] = [];
  /** What else is done, in its order. */
  readonly #others: string[] = [];

  constructor(call: SwapCall, pools: ReadonlyArray<PlainPool>, sender: Address) {
    this.#call = call;
    this.#pools = pools;
    this.#sender = sender;
  }

  meaning(): Meaning {
    const { commands, deadline } = routerCall(this.#call.data);
    for (const [byte, input] of commands) this.#run(byte, input);
    return {
      ...{ target: this.#call.to, value: this.#call.value },
      paths: this.#paths.map(({ hops, amount }) => ({ amount, hops })),
      kind: this.#isOut ? "exactOut" : "exactIn",
      ...{ mostIn: this.#mostIn, leastOut: this.#leastOut },
      recipient: [...this.#recipients].join() as Address,
      fee: this.#fees.join() || NO_FEE,
      ...{ deadline: Number(deadline), nativeOut: this.#nativeOut },
      permit: this.#permits.join() || NO_PERMIT,
      others: this.#others,
    };
  }

  #run(byte: string, input: Hex): void {
    if (byte === "00" || byte === "01") {
      const [to, amount, limit, path, payerIsUser] = decodeAbiParameters(pathOfBytes, input);
      const isOut = byte === "01";
      return this.#swap({ to, amount, limit, payerIsUser, isOut, hops: hopsOf(path, isOut) });
    }
    if (byte === "08" || byte === "09") {
      const [to, amount, limit, tokens, payerIsUser] = decodeAbiParameters(pathOfTokens, input);
      const hops = tokens.slice(1).map((token, n) => [tokens[n]!, undefined, token] as const);
      return this.#swap({ to, amount, limit, payerIsUser, isOut: byte === "09", hops });
    }
    if (byte === "8a") {
      this.#permits.push(input);
      return;
    }
    if (byte === "0b" || byte === "0c") {
      const [to, amount] = decodeAbiParameters(twoWords, input);
      const wrapped = amount === ALL ? this.#call.value : amount;
      if (byte === "0b") this.#wrapped += wrapped;
      const name = byte === "0b" ? `wrap ${wrapped}` : "unwrap";
      if (byte === "0c" && amount > 0n) {
        this.#nativeOut = true;
        this.#handOut(to, amount);
      }
      this.#others.push(`${name} to ${this.#named(to)}`);
      return;
    }
    const [token, to, number] = decodeAbiParameters(threeWords, input);
    if (byte === "06") this.#fees.push(`${number} to ${this.#named(to)}`);
    else if (byte !== "04") throw new Error(`command ${byte}`);
    else if (number > 0n) this.#handOut(to, BigInt.asUintN(160, number));
    this.#others.push(`${byte} of ${lower(token)} to ${this.#named(to)}`);
  }

  #swap({ to, amount, limit, payerIsUser, isOut, hops }: RouterSwap): void {
    const pools = hops.map((hop) => hopOf(this.#poolOf(hop), hop[0]));
    const start = lower(hops[0]![0]);
    if (this.#paths.length > 0 && start === this.#at) {
      const path = this.#paths.at(-1)!;
      // Between pools it is the place that counts; of a pair that was paid nobody is the payer.
      const payer = amount === 0n ? "nobody" : `${payerIsUser} ${amount}`;
      path.hops.splice(-1, 1, ...pools);
      this.#others.push(`paid by ${payer}`);
    } else {
      const taken = amount === ALL && !isOut ? this.#wrapped : amount;
      if (!isOut) this.#wrapped -= taken;
      this.#paths.push({ amount: taken, hops: pools });
      this.#mostIn += isOut ? limit : taken;
      this.#isOut ||= isOut;
      this.#others.push(`the sender pays: ${payerIsUser}`);
    }
    this.#at = lower(hops.at(-1)![2]);
    this.#paths.at(-1)!.hops.push(this.#at);
    const isToPool = this.#pools.some(({ address }) => address === lower(to));
    this.#others.push(isToPool ? `to pool ${lower(to)}` : isRouter(to) ? "held" : "out");
    if (!isToPool && !isRouter(to)) this.#handOut(to, isOut ? amount : limit);
  }

  #handOut(to: string, least: bigint): void {
    this.#leastOut += least;
    this.#recipients.add(this.#named(to));
  }

  #poolOf([tokenIn, fee, tokenOut]: RouterHop): string {
    const ends = [lower(tokenIn), lower(tokenOut)];
    const dexId = fee === undefined ? "UNISWAP_V2" : "UNISWAP_V3";
    const pool = this.#pools.find(
      (one) =>
        one.dexId === dexId &&
        (fee === undefined || one.feePips === fee) &&
        ends.includes(one.token0) &&
        ends.includes(one.token1),
    );
    return pool?.address ?? `no pool of ${ends} ${fee}`;
  }

  #named(to: string): string {
    if (isRouter(to)) return "the router";
    return BigInt(to) === 1n ? this.#sender : lower(to);
  }
}

const isRouter = (to: string): boolean => BigInt(to) === 2n || lower(to) === UNIVERSAL;
