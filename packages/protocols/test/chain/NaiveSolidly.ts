import type { Address } from "@millrace/core";
import {
  type CallAnswer,
  type ChainCall,
  type ChainDex,
  type ChainLog,
  chainProtocols,
  type Hex,
  type NewPool,
} from "@millrace/protocols";
import {
  type SolidlyPool,
  swapConstantProduct,
  swapSolidlyStable,
} from "@millrace/testing/reference";
import fc from "fast-check";
import { encodePacked, keccak256, parseAbi } from "viem";
import { answerCall, eventLog } from "./realEncodings.ts";

export const AERODROME_FACTORY: Address = `0x${"fa".repeat(20)}`;
export const AERODROME_POOL: Address = `0x${"aa".repeat(20)}`;
export const AERODROME_TOKENS: readonly [Address, Address] = [
  `0x${"11".repeat(20)}`,
  `0x${"22".repeat(20)}`,
];
const SOMEBODY: Address = `0x${"bb".repeat(20)}`;

export const AERODROME_EVENTS = {
  poolCreated:
    "event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count)",
  setCustomFee: "event SetCustomFee(address indexed pool, uint256 fee)",
  setPauseState: "event SetPauseState(bool indexed state)",
  sync: "event Sync(uint256 reserve0, uint256 reserve1)",
  swap: "event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)",
} as const;

const abi = parseAbi([
  "function metadata() view returns (uint256 decimals0, uint256 decimals1, uint256 reserve0, uint256 reserve1, bool stable, address token0, address token1)",
  "function getReserves() view returns (uint256, uint256, uint256)",
  "function getAmountOut(uint256 amountIn, address tokenIn) view returns (uint256)",
  "function getFee(address pool, bool stable) view returns (uint256)",
  "function customFee(address pool) view returns (uint256)",
  "function stableFee() view returns (uint256)",
  "function volatileFee() view returns (uint256)",
  "function isPaused() view returns (bool)",
]);

/** A pool of Aerodrome and its factory, as the contracts keep them, in the plainest form. */
export class NaiveSolidly {
  readonly stable: boolean;
  readonly decimals: readonly [number, number];
  reserves: [bigint, bigint] = [0n, 0n];
  customFee = 0n;
  readonly kindFees = { stable: 5n, volatile: 30n };
  isPaused = false;

  constructor(stable: boolean, decimals: readonly [number, number]) {
    this.stable = stable;
    this.decimals = decimals;
  }

  /** In 1/10,000. */
  get fee(): bigint {
    if (this.customFee === 420n) return 0n;
    if (this.customFee !== 0n) return this.customFee;
    return this.stable ? this.kindFees.stable : this.kindFees.volatile;
  }

  created(): ChainLog {
    const args = [...AERODROME_TOKENS, this.stable, AERODROME_POOL, 7n];
    return eventLog(AERODROME_EVENTS.poolCreated, args, AERODROME_FACTORY);
  }

  /** Whatever mints, burns and syncs do. */
  sync(reserves: readonly [bigint, bigint]): ChainLog {
    this.reserves = [...reserves];
    return eventLog(AERODROME_EVENTS.sync, this.reserves, AERODROME_POOL);
  }

  /** Undefined where the contract has nothing to give. */
  swap(zeroForOne: boolean, amountIn: bigint): { amountOut: bigint; logs: ChainLog[] } | undefined {
    const amountOut = this.quote(zeroForOne, amountIn);
    if (amountOut === undefined || amountOut === 0n || this.isPaused) return undefined;
    const kept = amountIn - (amountIn * this.fee) / 10_000n;
    const [reserve0, reserve1] = this.reserves;
    const after = zeroForOne
      ? ([reserve0 + kept, reserve1 - amountOut] as const)
      : ([reserve0 - amountOut, reserve1 + kept] as const);
    const amounts = zeroForOne ? [amountIn, 0n, 0n, amountOut] : [0n, amountIn, amountOut, 0n];
    const swapped = eventLog(
      AERODROME_EVENTS.swap,
      [SOMEBODY, SOMEBODY, ...amounts],
      AERODROME_POOL,
    );
    return { amountOut, logs: [this.sync(after), swapped] };
  }

  quote(zeroForOne: boolean, amountIn: bigint): bigint | undefined {
    const [reserve0, reserve1] = this.reserves;
    const feePips = Number(this.fee) * 100;
    const reserves = { reserve0, reserve1, feePips };
    const [decimals0, decimals1] = this.decimals;
    const swap = this.stable
      ? swapSolidlyStable(
          { ...reserves, decimals0, decimals1 } satisfies SolidlyPool,
          zeroForOne,
          "exactIn",
          amountIn,
        )
      : swapConstantProduct({ ...reserves, rule: "feeFirst" }, zeroForOne, "exactIn", amountIn);
    return swap?.amountOut;
  }

  setCustomFee(fee: bigint): ChainLog {
    this.customFee = fee;
    return eventLog(AERODROME_EVENTS.setCustomFee, [AERODROME_POOL, fee], AERODROME_FACTORY);
  }

  setPauseState(isPaused: boolean): ChainLog {
    this.isPaused = isPaused;
    return eventLog(AERODROME_EVENTS.setPauseState, [isPaused], AERODROME_FACTORY);
  }

  /** What pool and factory answer. */
  readonly answer = (call: ChainCall): Hex | undefined => {
    const [decimals0, decimals1] = this.decimals.map((decimals) => 10n ** BigInt(decimals));
    const { stable, volatile } = this.kindFees;
    const answers: Readonly<Record<string, unknown>> =
      call.to === AERODROME_POOL
        ? {
            metadata: [decimals0, decimals1, ...this.reserves, this.stable, ...AERODROME_TOKENS],
            getReserves: [...this.reserves, 1_700_000_000n],
          }
        : {
            ...{ getFee: this.fee, customFee: this.customFee, isPaused: this.isPaused },
            ...{ stableFee: stable, volatileFee: volatile },
          };
    return answerCall(abi, call, (name, args) => {
      const isOther =
        (name === "getFee" && args[1] !== this.stable) ||
        (args.length > 0 && name !== "getAmountOut" && args[0] !== checksummed(AERODROME_POOL));
      if (isOther) throw new Error(`${name} of another pool`);
      if (name !== "getAmountOut") return answers[name];
      const [amountIn, tokenIn] = args as [bigint, Address];
      return this.quote(tokenIn.toLowerCase() === AERODROME_TOKENS[0], amountIn);
    });
  };
}

/** Where the factory's CREATE2 puts a pool. */
export function aerodromeAddress(
  tokens: readonly [Address, Address],
  stable: boolean,
  initCodeHash: Hex,
): Address {
  const salt = keccak256(encodePacked(["address", "address", "bool"], [...tokens, stable]));
  const packed = [AERODROME_FACTORY, salt, initCodeHash] as const;
  const hash = keccak256(
    encodePacked(["bytes1", "address", "bytes32", "bytes32"], ["0xff", ...packed]),
  );
  return `0x${hash.slice(-40)}`;
}

/** As viem decodes an address; those of the fixture have letters of one kind only. */
function checksummed(address: Address): Address {
  return answerAddress.get(address)!;
}

const answerAddress = new Map<Address, Address>([
  [AERODROME_POOL, "0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa"],
]);

export const AERODROME_DEX = {
  ...{ id: "AERODROME", name: "Aerodrome", protocol: "aerodrome" },
  ...{ factory: AERODROME_FACTORY, startBlock: 0 },
};
export const openAerodrome = (settings: Partial<ChainDex> = {}) =>
  chainProtocols.find(({ name }) => name === "aerodrome")!.open({ ...AERODROME_DEX, ...settings });
export const aerodrome = openAerodrome();

/** Runs what asks to its end against the contracts. */
export function askOf<A>(
  asking: Generator<ReadonlyArray<{ to: Address; data: Hex }>, A, ReadonlyArray<CallAnswer>>,
  answer: NaiveSolidly["answer"],
): A {
  let step = asking.next();
  while (!step.done) step = asking.next(step.value.map(answer));
  return step.value;
}

/** The pool that the factory's log tells of. */
export function createdBy(model: NaiveSolidly, dex = aerodrome): NewPool | undefined {
  const creation = dex.decodeCreation(model.created());
  if (creation === undefined || "refused" in creation) return undefined;
  const found = "resolve" in creation ? askOf(creation.resolve(), model.answer) : creation;
  if (found === undefined || !("listing" in found)) return undefined;
  listings.set(model, found.listing);
  return found;
}

/** Of models whose creation was heard of. */
const listings = new WeakMap<NaiveSolidly, NewPool["listing"]>();

export const readOf = (model: NaiveSolidly, answer = model.answer) =>
  askOf(aerodrome.read(listings.get(model) ?? createdBy(model)!.listing), answer);

/** Millionths of a token. */
export const microAmount = fc.oneof(
  fc.bigInt({ min: 0n, max: 9n }),
  fc.bigInt({ min: 10n ** 6n, max: 10n ** 13n }),
);
const command = fc.oneof(
  fc.record({
    kind: fc.constant("swap" as const),
    zeroForOne: fc.boolean(),
    amountIn: microAmount,
  }),
  fc.record({ kind: fc.constant("sync" as const), reserves: fc.tuple(microAmount, microAmount) }),
  fc.record({
    kind: fc.constant("customFee" as const),
    fee: fc.constantFrom(0n, 0n, 1n, 5n, 30n, 300n, 420n),
  }),
  fc.record({ kind: fc.constant("kindFee" as const), fee: fc.constantFrom(1n, 5n, 30n, 300n) }),
  fc.record({ kind: fc.constant("pause" as const), isPaused: fc.boolean() }),
);
/** What happens in some blocks. */
export const solidlyBlocks = fc.array(fc.array(command, { maxLength: 4 }), {
  minLength: 2,
  maxLength: 12,
});
