import type { Address, PoolListing } from "@millrace/core";
import {
  answerOfRange,
  type CallAnswer,
  type ChainCall,
  type ChainLog,
  callsOfRange,
  chainProtocols,
  type FollowedDex,
  type FollowedState,
  type Hex,
  type LogEffect,
} from "@millrace/protocols";
import {
  computeSwapStep,
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  MAX_TICK,
  MIN_TICK,
  nextInitializedTickWithinOneWord,
  poolSwap,
  unlessReverted,
} from "@millrace/testing/reference";

/** First topics as block explorers show them: known constants, not computed as the families do. */
export const TOPICS = {
  pairCreated: "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9",
  sync: "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1",
  pairSwap: "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  poolCreated: "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118",
  initialize: "0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95",
  mint: "0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde",
  burn: "0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c",
  swap: "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  pancakeSwap: "0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83",
} as const;

const FACTORY: Address = `0x${"fa".repeat(20)}`;
/** What the protocols are configured with, together. */
const SETTINGS = {
  ...{ factory: FACTORY, startBlock: 0, feePips: 3000, stateView: FACTORY },
  vaults: [FACTORY],
};

/** A DEX of every protocol, with all that any of them is configured with. */
export const followedDexes: ReadonlyArray<FollowedDex> = chainProtocols.map((protocol) =>
  protocol.open({ ...{ id: "ANY", name: "Any", protocol: protocol.name }, ...SETTINGS }),
);
export const constantProduct = followedDexes[0]!;
export const concentratedLiquidity = followedDexes[1]!;

const POOL: Address = `0x${"aa".repeat(20)}`;
const SOMEBODY = 0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbn;

export function listing(parameter: number, feePips = 3000): PoolListing {
  const tokens: Address[] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`];
  return { address: POOL, dexId: "ANY", tokens, feePips, parameter };
}

/** A number, negative or not, as a 32-byte word without `0x`. */
function word(value: bigint | number): string {
  return BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0");
}

export function hexOf(...values: ReadonlyArray<bigint | number>): Hex {
  return `0x${values.map(word).join("")}`;
}

export function logOf(
  topic: Hex,
  indexed: ReadonlyArray<bigint | number>,
  data: ReadonlyArray<bigint | number>,
  address: Address = POOL,
): ChainLog {
  const topics = [topic, ...indexed.map((value) => hexOf(value))];
  return { address, topics, data: hexOf(...data), transactionHash: topic, logIndex: 0 };
}

/** The states that pools are created with. */
export const EMPTY_PAIR = createdBy(
  constantProduct,
  logOf(TOPICS.pairCreated, [1, 2], [BigInt(POOL), 1n], FACTORY),
);
export const EMPTY_BOOK = createdBy(
  concentratedLiquidity,
  logOf(TOPICS.poolCreated, [1, 2, 3000], [60n, BigInt(POOL)], FACTORY),
);

function createdBy(dex: FollowedDex, log: ChainLog): FollowedState {
  const creation = dex.decodeCreation(log);
  if (creation === undefined || !("listing" in creation)) throw new Error("nothing was created");
  return creation.created!;
}

/** Answers ranges of calls too. */
export const answering =
  (answer: (call: ChainCall) => CallAnswer) =>
  (call: ChainCall): CallAnswer =>
    call.range === undefined ? answer(call) : answerOfRange(callsOfRange(call).map(answer));

/** Runs `read` to its end against a contract. */
export function readFrom(
  dex: FollowedDex,
  pool: PoolListing,
  answer: (call: ChainCall) => CallAnswer,
): FollowedState | undefined {
  const reading = dex.read(pool);
  let step = reading.next();
  while (!step.done) step = reading.next(step.value.map(answering(answer)));
  if (step.value !== undefined && "refused" in step.value) throw new Error(step.value.refused);
  return step.value;
}

/** The state that a log of the DEX leads to; throws as `effectOf` does. */
export function stateAfter(
  dex: FollowedDex,
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): FollowedState {
  return effectOf(dex, pool, state, log).state;
}

/** What a log of the DEX does; throws where the DEX finds it impossible, or passes it over. */
export function effectOf(
  dex: FollowedDex,
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect {
  const effect = dex.applyLog(pool, state, log);
  if (typeof effect === "object" && "state" in effect) return effect;
  throw new Error(`${log.topics[0]}: ${JSON.stringify(effect)}`);
}

/** A log with data or topics missing, or too many. */
export function brokenShapes(log: ChainLog): ChainLog[] {
  const { topics, data } = log;
  const shapes: Array<Partial<ChainLog>> = [
    { data: "0x" },
    { data: data.slice(0, -64) as Hex },
    { data: data.slice(0, -1) as Hex },
    { data: `${data}00` },
    { data: `${data}${"0".repeat(64)}` },
    { data: `${data.slice(0, -1)}g` as Hex },
    { topics: [...topics, hexOf(1)] },
    ...(topics.length > 1 ? [{ topics: topics.slice(0, -1) }, { topics: topics.slice(0, 1) }] : []),
    ...(topics.length > 1 ? [{ topics: [...topics.slice(0, -1), "0x01" as Hex] }] : []),
  ];
  return shapes.map((shape) => ({ ...log, ...shape }));
}

/** What a contract with ticks keeps of a pool. */
interface KeptTicks {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  readonly ticks: ReadonlyMap<number, { readonly gross: bigint; readonly net: bigint }>;
}

/** The state that is followed of a pool with ticks and these fees by direction, encoded by hand. */
export function ticksByHand(
  { sqrtPriceX96, tick, liquidity, ticks }: KeptTicks,
  [fee0, fee1]: readonly [number, number],
): FollowedState {
  const ascending = [...ticks].sort(([left], [right]) => left - right);
  return {
    words: BigUint64Array.from([
      ...limbs(sqrtPriceX96, 3),
      ...limbs(liquidity, 2),
      ...limbs(BigInt(tick), 1),
      BigInt(fee0) + 2n ** 32n * BigInt(fee1),
    ]),
    book: {
      keys: Int32Array.from(ascending.map(([tick]) => tick)),
      words: BigInt64Array.from(
        ascending.flatMap(([, { net }]) => limbs(net, 2).map((limb) => BigInt.asIntN(64, limb))),
      ),
    },
    ledger: BigUint64Array.from(ascending.flatMap(([, { gross }]) => limbs(gross, 2))),
  };
}

/** A V3 pool as its contract keeps it, in the plainest form there is. */
export class NaivePool {
  readonly pool: PoolListing;
  readonly ticks = new Map<number, { gross: bigint; net: bigint }>();
  sqrtPriceX96 = 0n;
  tick = 0;
  liquidity = 0n;

  constructor(pool: PoolListing) {
    this.pool = pool;
  }

  initialize(sqrtPriceX96: bigint): ChainLog {
    this.sqrtPriceX96 = sqrtPriceX96;
    this.tick = getTickAtSqrtRatio(sqrtPriceX96);
    return logOf(TOPICS.initialize, [], [this.sqrtPriceX96, this.tick]);
  }

  mint(lower: number, upper: number, amount: bigint): ChainLog {
    this.#addLiquidity(lower, upper, amount);
    return logOf(TOPICS.mint, [SOMEBODY, lower, upper], [SOMEBODY, amount, 5n, 7n]);
  }

  burn(lower: number, upper: number, amount: bigint): ChainLog {
    this.#addLiquidity(lower, upper, -amount);
    return logOf(TOPICS.burn, [SOMEBODY, lower, upper], [amount, 5n, 7n]);
  }

  /** Undefined where the contract reverts. `fork` says whose event it is. */
  swap(
    zeroForOne: boolean,
    amountSpecified: bigint,
    fork: "uniswap" | "pancake",
  ): (ConcentratedAmounts & { readonly log: ChainLog }) | undefined {
    const plain = {
      feePips: this.pool.feePips,
      tickSpacing: this.pool.parameter,
      sqrtPriceX96: this.sqrtPriceX96,
      tick: this.tick,
      liquidity: this.liquidity,
      ticks: new Map([...this.ticks].map(([tick, { net }]) => [tick, net])),
    };
    const swap = unlessReverted(() => poolSwap(plain, zeroForOne, amountSpecified));
    if (swap === undefined) return undefined;
    this.sqrtPriceX96 = swap.sqrtPriceX96After;
    this.tick = swap.tickAfter;
    this.liquidity = swap.liquidityAfter;
    const { amountIn, amountOut } = swap;
    const amounts = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn];
    const data = [...amounts, this.sqrtPriceX96, this.liquidity, this.tick];
    const log =
      fork === "uniswap"
        ? logOf(TOPICS.swap, [SOMEBODY, SOMEBODY], data)
        : logOf(TOPICS.pancakeSwap, [SOMEBODY, SOMEBODY], [...data, 3n, 0n]);
    return { amountIn, amountOut, log };
  }

  /** The input that takes the price exactly to where the contract's next step ends. */
  stepIn(zeroForOne: boolean): bigint {
    const { parameter, feePips } = this.pool;
    const isKnown = (tick: number) => this.ticks.has(tick);
    const next = nextInitializedTickWithinOneWord(isKnown, this.tick, parameter, zeroForOne).tick;
    const target = getSqrtRatioAtTick(Math.min(Math.max(next, MIN_TICK), MAX_TICK));
    const step = computeSwapStep(
      this.sqrtPriceX96,
      target,
      this.liquidity,
      2n ** 250n,
      BigInt(feePips),
    );
    return step.amountIn + step.feeAmount;
  }

  /** What the contract's getters answer; slot0 with as many words as the fork has. */
  answer(call: ChainCall, fork: "uniswap" | "pancake" = "uniswap"): CallAnswer {
    const selector = call.data.slice(0, 10);
    const argument = Number(BigInt.asIntN(256, BigInt(`0x${call.data.slice(10) || "0"}`)));
    if (selector === "0x3850c7bd") {
      const feeProtocol = fork === "uniswap" ? 0x66 : 0xffff_ffff;
      return hexOf(this.sqrtPriceX96, this.tick, 7, 100, 100, feeProtocol, 1);
    }
    if (selector === "0x1a686502") return hexOf(this.liquidity);
    if (selector === "0x5339c296") return hexOf(this.#bitmapWord(argument));
    if (selector !== "0xf30dba93") return undefined;
    const { gross, net } = this.ticks.get(argument) ?? { gross: 0n, net: 0n };
    return hexOf(gross, net, 12n, 2n ** 256n - 1n, -5n, 3n, 4n, 1n);
  }

  /** The state that the family should have of it. */
  state(): FollowedState {
    return ticksByHand(this, [0, 0]); // no fees of its own
  }

  #addLiquidity(lower: number, upper: number, amount: bigint): void {
    for (const [tick, net] of [
      [lower, amount],
      [upper, -amount],
    ] as const) {
      const known = this.ticks.get(tick) ?? { gross: 0n, net: 0n };
      const changed = { gross: known.gross + amount, net: known.net + net };
      if (changed.gross === 0n) this.ticks.delete(tick);
      else this.ticks.set(tick, changed);
    }
    if (lower <= this.tick && this.tick < upper) this.liquidity += amount;
  }

  #bitmapWord(position: number): bigint {
    let bits = 0n;
    for (const tick of this.ticks.keys()) {
      const compressed = tick / this.pool.parameter;
      if (Math.floor(compressed / 256) === position) {
        bits |= 1n << BigInt(compressed - 256 * position);
      }
    }
    return bits;
  }
}

interface ConcentratedAmounts {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

function limbs(value: bigint, count: number): bigint[] {
  return Array.from({ length: count }, (_, index) =>
    BigInt.asUintN(64, value >> BigInt(64 * index)),
  );
}
