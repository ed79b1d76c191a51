import type { Address } from "@millrace/core";
import { type ChainCall, type ChainLog, chainProtocols, type Hex } from "@millrace/protocols";
import type { BalancerPool } from "@millrace/testing/reference";
import { parseAbi } from "viem";
import { answerCall, eventLog } from "./realEncodings.ts";

// A pool of Balancer V3 as its Vault keeps it, asked in the real encoding.

const repeated = (digits: string): Address => `0x${digits.repeat(20)}`;

export const VAULT_V3 = repeated("bb");
export const V3_POOL = repeated("b3");
export const SURGE_HOOK = repeated("50");
export const ROUTER = repeated("60");
/** By the setting that names them. */
export const V3_FACTORIES = {
  weightedFactories: repeated("f5"),
  leastBalanceWeightedFactories: repeated("f6"),
  stableFactories: repeated("f7"),
  boundedStableFactories: repeated("f8"),
} as const;
const ONE = 10n ** 18n;
const NOBODY = repeated("00");
const providerOf = (at: number): Address => `0x${"c3".repeat(19)}0${at}`;
const PROVIDERS = Array.from({ length: 8 }, (_, at) => providerOf(at));

const ABI = parseAbi([
  "struct Liquidity { bool a; bool b; bool c; bool d; }",
  "struct Config { Liquidity liquidity; uint256 fee; uint256 aggregateSwapFee; uint256 aggregateYieldFee; uint40 diffs; uint32 end; bool isRegistered; bool isInitialized; bool isPaused; bool isRecovering; }",
  "struct Hooks { bool adjusts; bool b; bool c; bool dynamicFee; bool beforeSwap; bool afterSwap; bool g; bool h; bool i; bool j; address hook; }",
  "struct Info { uint8 kind; address provider; bool paysYieldFees; }",
  "function getPoolConfig(address) view returns (Config)",
  "function getHooksConfig(address) view returns (Hooks)",
  "function getPoolTokenInfo(address) view returns (address[], Info[], uint256[], uint256[])",
  "function getPoolTokenRates(address) view returns (uint256[], uint256[])",
  "function isVaultPaused() view returns (bool)",
  "function isPoolPaused(address) view returns (bool)",
  "function getNormalizedWeights() view returns (uint256[])",
  "function getMinTokenBalances() view returns (uint256[])",
  "function getAmplificationParameter() view returns (uint256, bool, uint256)",
  "function getSurgeThresholdPercentage(address) view returns (uint256)",
  "function getMaxSurgeFeePercentage(address) view returns (uint256)",
  "function getRate() view returns (uint256)",
]);

export class NaiveBalancerV3 {
  /** As stored: with the balances of the last swap. */
  pool: BalancerPool;
  readonly factory: Address;
  hook: Address;
  isRecovering = false;
  isVaultPaused = false;
  isRamping = false;
  hasBeforeSwap = false;
  yieldFee = ONE / 10n;
  /** Of the last swap. */
  lastRates: ReadonlyArray<bigint>;

  constructor(pool: BalancerPool, factory: keyof typeof V3_FACTORIES) {
    this.pool = { ...pool, address: V3_POOL };
    this.factory = V3_FACTORIES[factory];
    this.hook = pool.math.name === "stable" && pool.math.surge ? SURGE_HOOK : NOBODY;
    this.lastRates = pool.rates;
  }

  readonly answer = (call: ChainCall): Hex | undefined =>
    answerCall(ABI, call, (name) => this.#answer(call.to, name));

  #live(at: number, rates: ReadonlyArray<bigint>): bigint {
    const { balances, decimalScalingFactors } = this.pool;
    return (balances[at]! * decimalScalingFactors[at]! * rates[at]!) / ONE;
  }

  /** What the next swap starts from: yields since the last one have left. */
  get current(): BalancerPool {
    const { pool, yieldFee } = this;
    const balances = pool.balances.map((balance, at) => {
      const growth = this.#live(at, pool.rates) - this.#live(at, this.lastRates);
      if (growth <= 0n || !this.#hasRate(at)) return balance;
      const fee = (growth * yieldFee + ONE - 1n) / ONE;
      return balance - (fee * ONE) / (pool.decimalScalingFactors[at]! * pool.rates[at]!);
    });
    return { ...pool, balances };
  }

  /** The first token is one without a rate. */
  #hasRate(at: number): boolean {
    return at > 0;
  }

  #answer(to: Address, name: string): unknown {
    const { pool } = this;
    const { math } = pool;
    const surge = math.name === "stable" ? math.surge : undefined;
    switch (name) {
      case "getPoolConfig":
        return {
          liquidity: { a: false, b: false, c: true, d: false },
          ...{
            fee: pool.fee,
            aggregateSwapFee: pool.aggregateFee,
            aggregateYieldFee: this.yieldFee,
          },
          ...{ diffs: 5, end: 6, isRegistered: true, isInitialized: true },
          ...{ isPaused: pool.isPaused, isRecovering: this.isRecovering },
        };
      case "getHooksConfig": {
        const isSurge = this.hook === SURGE_HOOK;
        return {
          ...{ adjusts: false, b: false, c: false, dynamicFee: isSurge },
          ...{ beforeSwap: this.hasBeforeSwap, afterSwap: false },
          ...{ g: false, h: isSurge, i: false, j: isSurge, hook: this.hook },
        };
      }
      case "getPoolTokenInfo":
        return [
          pool.tokens,
          pool.tokens.map((_, at) => ({
            kind: this.#hasRate(at) ? 1 : 0,
            provider: this.#hasRate(at) ? PROVIDERS[at]! : NOBODY,
            paysYieldFees: this.#hasRate(at),
          })),
          pool.balances,
          pool.balances.map((_, at) => this.#live(at, this.lastRates)),
        ];
      case "getPoolTokenRates":
        return [pool.decimalScalingFactors, pool.rates];
      case "isVaultPaused":
        return this.isVaultPaused;
      case "isPoolPaused":
        return pool.isPaused;
      case "getNormalizedWeights":
        return math.name === "weighted" ? math.weights : undefined;
      case "getMinTokenBalances":
        return math.name === "weighted" ? math.minTokenBalances : undefined;
      case "getAmplificationParameter":
        return math.name === "stable" ? [math.amp, this.isRamping, 1_000n] : undefined;
      case "getSurgeThresholdPercentage":
        return to === this.hook ? (surge?.threshold ?? 0n) : undefined;
      case "getMaxSurgeFeePercentage":
        return to === this.hook ? (surge?.max ?? 0n) : undefined;
      case "getRate":
        return pool.rates[PROVIDERS.indexOf(to)];
      default:
        return undefined;
    }
  }

  created(address = VAULT_V3): ChainLog {
    const event =
      "event PoolRegistered(address indexed pool, address indexed factory, (address, uint8, address, bool)[] tokens, uint256 fee, uint32 end, (address, address, address) roles, (bool, bool, bool, bool, bool, bool, bool, bool, bool, bool, address) hooks, (bool, bool, bool, bool) liquidity)";
    const no = false;
    const flags = [no, no, no, no, no, no, no, no, no, no, this.hook];
    const roles = [NOBODY, NOBODY, NOBODY];
    const values = [V3_POOL, this.factory, [], 1n, 2, roles, flags, [no, no, no, no]];
    return eventLog(event, values, address);
  }

  swapLog(from: number, to: number, amountIn: bigint, amountOut: bigint): ChainLog {
    const event =
      "event Swap(address indexed, address indexed, address indexed, uint256, uint256, uint256, uint256)";
    const [tokenIn, tokenOut] = [this.pool.tokens[from], this.pool.tokens[to]];
    return eventLog(event, [V3_POOL, tokenIn, tokenOut, amountIn, amountOut, 1n, 2n], VAULT_V3);
  }
}

/** A DEX with all of the settings. */
export function openV3(settings: Readonly<Record<string, unknown>> = {}) {
  const factories = Object.fromEntries(
    Object.entries(V3_FACTORIES).map(([key, factory]) => [key, [factory]]),
  );
  return chainProtocols
    .find(({ name }) => name === "balancer-v3")!
    .open({
      ...{ id: "BALANCER_V3", name: "Balancer V3", protocol: "balancer-v3" },
      ...{ factory: VAULT_V3, startBlock: 0, router: ROUTER, surgeHooks: [SURGE_HOOK] },
      ...{ rateProviders: PROVIDERS, ...factories, ...settings },
    });
}
