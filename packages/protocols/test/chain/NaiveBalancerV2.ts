import type { Address } from "@millrace/core";
import { type ChainCall, type ChainLog, chainProtocols, type Hex } from "@millrace/protocols";
import type { BalancerPool } from "@millrace/testing/reference";
import { parseAbi } from "viem";
import { answerCall, eventLog } from "./realEncodings.ts";

// A pool of Balancer V2 as its contracts keep it, asked in the real encoding.

const repeated = (digits: string): Address => `0x${digits.repeat(20)}`;

export const VAULT_V2 = repeated("ba");
export const V2_POOL = repeated("b0");
export const V2_POOL_ID: Hex = `${V2_POOL}${"0a".repeat(12)}`;
export const PROVIDER = repeated("c3");
const CLOCK = repeated("c1");
/** By the setting that names them. */
export const V2_FACTORIES = {
  firstWeightedFactories: repeated("f1"),
  weightedFactories: repeated("f2"),
  stableFactories: repeated("f3"),
  composableFactories: repeated("f4"),
} as const;
const ONE = 10n ** 18n;
const NOBODY = repeated("00");

const ABI = parseAbi([
  "function getPoolTokens(bytes32) view returns (address[], uint256[], uint256)",
  "function getPoolTokenInfo(bytes32, address) view returns (uint256, uint256, uint256, address)",
  "function getPausedState() view returns (bool, uint256, uint256)",
  "function isPoolFromFactory(address) view returns (bool)",
  "function getNormalizedWeights() view returns (uint256[])",
  "function decimals() view returns (uint8)",
  "function getSwapFeePercentage() view returns (uint256)",
  "function inRecoveryMode() view returns (bool)",
  "function getAmplificationParameter() view returns (uint256, bool, uint256)",
  "function getRateProviders() view returns (address[])",
  "function getPriceRateCache(address) view returns (uint256, uint256, uint256)",
  "function getTokenRateCache(address) view returns (uint256, uint256, uint256, uint256)",
  "function getCurrentBlockTimestamp() view returns (uint256)",
  "function getRate() view returns (uint256)",
]);

export class NaiveBalancerV2 {
  pool: BalancerPool;
  /** What is asked of it, and of those that it trusts. */
  factory: keyof typeof V2_FACTORIES | undefined;
  /** The provider of each token; whose rates are in `pool.rates` until they expire. */
  readonly providers: ReadonlyArray<Address>;
  manager = NOBODY;
  isRecovering = false;
  isRamping = false;
  time = 1_000n;
  expires = 2_000n;
  providedRate = ONE;

  constructor(
    pool: BalancerPool,
    factory: keyof typeof V2_FACTORIES | undefined,
    providers: ReadonlyArray<Address> = pool.tokens.map(() => NOBODY),
  ) {
    this.pool = { ...pool, address: V2_POOL };
    this.factory = factory;
    this.providers = providers;
  }

  get isComposable(): boolean {
    return this.factory === "composableFactories";
  }

  /** Tokens as they are registered: a composable pool has its own last. */
  get registered(): ReadonlyArray<Address> {
    return this.isComposable ? [...this.pool.tokens, V2_POOL] : this.pool.tokens;
  }

  readonly answer = (call: ChainCall): Hex | undefined =>
    answerCall(ABI, call, (name, args) => this.#answer(call.to, name, args));

  #answer(to: Address, name: string, args: ReadonlyArray<unknown>): unknown {
    const { pool } = this;
    const { math } = pool;
    switch (name) {
      case "getPoolTokens": {
        const preminted = this.isComposable ? [2n ** 111n] : [];
        return args[0] === V2_POOL_ID
          ? [this.registered, [...pool.balances, ...preminted], 7n]
          : undefined;
      }
      case "getPoolTokenInfo":
        return [1n, 0n, 7n, this.manager];
      case "getPausedState":
        return [to === V2_POOL && pool.isPaused, 1n, 2n];
      case "isPoolFromFactory":
        return this.factory !== undefined && to === V2_FACTORIES[this.factory];
      case "getNormalizedWeights":
        return math.name === "weighted" ? math.weights : undefined;
      case "decimals":
        return 19 - pool.decimalScalingFactors[pool.tokens.indexOf(to)]!.toString().length;
      case "getSwapFeePercentage":
        return pool.fee;
      case "inRecoveryMode":
        return this.isRecovering;
      case "getAmplificationParameter":
        return math.name === "stable" ? [math.amp, this.isRamping, 1_000n] : undefined;
      case "getRateProviders":
        return this.isComposable ? [...this.providers, NOBODY] : this.providers;
      case "getPriceRateCache":
        return this.isComposable ? undefined : [this.#kept(args[0] as Address), 1n, this.expires];
      case "getTokenRateCache":
        return this.isComposable
          ? [this.#kept(args[0] as Address), 5n, 1n, this.expires]
          : undefined;
      case "getCurrentBlockTimestamp":
        return to === CLOCK ? this.time : undefined;
      case "getRate":
        return to === PROVIDER ? this.providedRate : undefined;
      default:
        return undefined;
    }
  }

  #kept(token: Address): bigint {
    return this.pool.rates[this.pool.tokens.indexOf(token.toLowerCase() as Address)]!;
  }

  created(address = VAULT_V2): ChainLog {
    const event = "event PoolRegistered(bytes32 indexed, address indexed, uint8)";
    return eventLog(event, [V2_POOL_ID, V2_POOL, 0], address);
  }

  swapLog(tokenIn: Address, tokenOut: Address, amountIn: bigint, amountOut: bigint): ChainLog {
    const event = "event Swap(bytes32 indexed, address indexed, address indexed, uint256, uint256)";
    return eventLog(event, [V2_POOL_ID, tokenIn, tokenOut, amountIn, amountOut], VAULT_V2);
  }

  changeLog(deltas: ReadonlyArray<bigint>, fees: ReadonlyArray<bigint>): ChainLog {
    const event =
      "event PoolBalanceChanged(bytes32 indexed, address indexed, address[], int256[], uint256[])";
    const more = this.isComposable ? [0n] : [];
    const values = [this.registered, [...deltas, ...more], [...fees, ...more]];
    return eventLog(event, [V2_POOL_ID, NOBODY, ...values], VAULT_V2);
  }

  managedLog(): ChainLog {
    const event =
      "event PoolBalanceManaged(bytes32 indexed, address indexed, address indexed, int256, int256)";
    return eventLog(event, [V2_POOL_ID, NOBODY, this.pool.tokens[0], -5n, 5n], VAULT_V2);
  }

  poolLog(event: string, values: ReadonlyArray<unknown>): ChainLog {
    return eventLog(event, values, V2_POOL);
  }
}

/** A DEX with all of the settings. */
export function openV2(settings: Readonly<Record<string, unknown>> = {}) {
  const factories = Object.fromEntries(
    Object.entries(V2_FACTORIES).map(([key, factory]) => [key, [factory]]),
  );
  const own = { clock: CLOCK, rateProviders: [PROVIDER], ...factories, ...settings };
  const named = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return chainProtocols
    .find(({ name }) => name === "balancer-v2")!
    .open({
      ...{ id: "BALANCER_V2", name: "Balancer V2", protocol: "balancer-v2" },
      ...{ factory: VAULT_V2, startBlock: 0, ...named },
    });
}
