import type { Address } from "@millrace/core";
import { keccak256, stringToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { ExecutorFixture, type Outcome } from "./ExecutorFixture.ts";
import {
  encodeSwap,
  FAR,
  feeOf,
  type Order,
  type OrderLeg,
  type Path,
  type Permit,
  pathOf,
} from "./orders.ts";

export const ONE = 10n ** 18n;
const SOLIDLY_FEE_PIPS = 500;

/** A swap of the sender. The defaults are those of a plain order. */
export interface FixtureSwap {
  readonly kind: "exactIn" | "exactOut";
  readonly paths: ReadonlyArray<Path>;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOutMin?: bigint;
  readonly recipient?: Address;
  readonly fee?: { readonly recipient: Address; readonly bps: number };
  readonly deadline?: bigint;
  readonly nativeOut?: boolean;
  readonly value?: bigint;
  readonly permit?: Permit;
}

/** The changes of all participants' balances. */
export interface ExecutedSwap {
  readonly outcome: Outcome;
  /** By default of the native token; without the transaction's own cost. */
  readonly change: (token: Address | undefined, holder: Address) => bigint;
}

/** Three tokens and the wrapped native one, pools of each kind between them, and accounts. */
export class PoolFixture {
  readonly arena: ExecutorFixture;
  /** Has a key, so that it can sign permits. */
  readonly account = privateKeyToAccount(keccak256(stringToHex("a sender on the stage")));
  readonly sender: Address = this.account.address.toLowerCase() as Address;
  recipient!: Address;
  partner!: Address;
  a!: Address;
  b!: Address;
  c!: Address;
  legs!: Readonly<
    Record<"abPair" | "abForkPair" | "abV3" | "bcVolatile" | "bcV3" | "bcPair", OrderLeg>
  >;
  wrapped!: Readonly<Record<"waPair" | "waV3", OrderLeg>>;

  private constructor(arena: ExecutorFixture) {
    this.arena = arena;
  }

  static async open(seed: number): Promise<PoolFixture> {
    const arena = await ExecutorFixture.open(seed);
    const stage = new PoolFixture(arena);
    await stage.#build();
    return stage;
  }

  async #build(): Promise<void> {
    const { arena } = this;
    await arena.endow(this.sender);
    this.recipient = await arena.account();
    this.partner = await arena.account();
    const [a, b, c] = [await arena.token(), await arena.token(), await arena.token()];
    const w = arena.wrappedNative;
    Object.assign(this, { a, b, c });
    const leg = (
      kind: OrderLeg["kind"],
      pool: Address,
      tokenIn: Address,
      tokenOut: Address,
      feePips = 3_000,
    ): OrderLeg => ({ kind, pool, tokenIn, tokenOut, feePips });
    const side = (token: Address, amount: bigint) => [token, amount * ONE] as const;
    const fork = arena.devnet.contracts.v2ForkFactory;
    const depth = 100_000n * ONE;
    this.legs = {
      abPair: leg("pair", await arena.pair(side(a, 90_000n), side(b, 110_000n)), a, b),
      abForkPair: leg(
        ...([
          "pair",
          await arena.pair(side(a, 50_000n), side(b, 55_000n), fork),
          a,
          b,
          2_000,
        ] as const),
      ),
      abV3: leg("concentrated", await arena.concentratedPool([a, b], 3_000, depth), a, b),
      bcVolatile: leg(
        "volatile",
        await arena.solidlyPair(side(b, 70_000n), side(c, 60_000n), BigInt(SOLIDLY_FEE_PIPS)),
        ...([b, c, SOLIDLY_FEE_PIPS] as const),
      ),
      bcPair: leg("pair", await arena.pair(side(b, 80_000n), side(c, 70_000n)), b, c),
      bcV3: leg(
        "concentrated",
        await arena.concentratedPool([b, c], 500, depth, 887_270),
        b,
        c,
        500,
      ),
    };
    this.wrapped = {
      waPair: leg("pair", await arena.pair(side(w, 4_000n), side(a, 40_000n)), w, a),
      waV3: leg("concentrated", await arena.concentratedPool([w, a], 3_000, 4_000n * ONE), w, a),
    };
    for (const token of [a, b, c]) await arena.fund(token, this.sender, 10n ** 30n);
    await arena.fund(w, this.sender, 1_000n * ONE);
  }

  close(): Promise<void> {
    return this.arena.close();
  }

  async play(swap: FixtureSwap, watched: ReadonlyArray<Address> = []): Promise<ExecutedSwap> {
    const { arena, sender } = this;
    const tokens = [this.a, this.b, this.c, arena.wrappedNative, undefined, ...watched];
    const holders = [
      ...[sender, this.recipient, this.partner, arena.executor],
      ...(swap.recipient === undefined ? [] : [swap.recipient]),
    ];
    const balances = tokens.flatMap((token) => holders.map((holder) => [token, holder] as const));
    const key = (token: Address | undefined, holder: Address) => `${token} ${holder}`;
    const read = async () => {
      const amounts = await arena.balances(balances);
      return new Map(balances.map((balance, at) => [key(...balance), amounts[at]!]));
    };
    const before = await read();
    const outcome = await this.#send(swap);
    const after = await read();
    return {
      outcome,
      change: (token, holder) => {
        const cost = token === undefined && holder === sender ? outcome.costWei : 0n;
        return after.get(key(token, holder))! - before.get(key(token, holder))! + cost;
      },
    };
  }

  #send(swap: FixtureSwap): Promise<Outcome> {
    const { arena, sender: from } = this;
    const data = encodeSwap(swap.kind, this.order(swap), swap.paths, swap.permit);
    return arena.send({ from, to: arena.executor, value: swap.value ?? 0n, data });
  }

  /** The name of the error that a swap reverts with. */
  async refusal(swap: FixtureSwap): Promise<string> {
    const outcome = await this.#send(swap);
    return outcome.succeeded ? "none" : outcome.error;
  }

  order(swap: FixtureSwap): Order {
    const { tokenIn, tokenOut, amountIn, amountOutMin = 1n, deadline = FAR } = swap;
    const { recipient = this.sender, fee, nativeOut = false } = swap;
    return {
      ...{ tokenIn, tokenOut, amountIn, amountOutMin, recipient, deadline, nativeOut },
      fee: fee === undefined ? 0n : feeOf(fee.recipient, fee.bps),
    };
  }
}

/** A leg in the other direction. */
export const back = (leg: OrderLeg): OrderLeg => ({
  ...leg,
  tokenIn: leg.tokenOut,
  tokenOut: leg.tokenIn,
});

export const concentrated = (pool: Address, tokenIn: Address, tokenOut: Address): OrderLeg => ({
  ...{ kind: "concentrated", pool, tokenIn, tokenOut },
});

/** A leg of a pool manager like Uniswap V4's. */
export const managed = (pool: Address, tokenIn: Address, tokenOut: Address): OrderLeg => ({
  ...{ kind: "managed", pool, tokenIn, tokenOut },
});

/** A swap over one path. */
export const swapOver = (
  kind: FixtureSwap["kind"],
  ...legs: ReadonlyArray<OrderLeg>
): FixtureSwap => ({
  ...{ kind, tokenIn: legs[0]!.tokenIn, tokenOut: legs.at(-1)!.tokenOut },
  ...{ amountIn: ONE, paths: [pathOf(ONE, ...legs)] },
});
