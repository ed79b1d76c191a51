import { type Address, FEE_IN_STATE } from "@millrace/core";
import {
  type CallAnswer,
  type ChainCall,
  type ChainLog,
  chainProtocols,
  type FollowedDex,
  type NewPool,
  type PoolRefusal,
} from "@millrace/protocols";
import { cryptoD, type PlainCrypto } from "@millrace/testing/reference";
import { parseAbi } from "viem";
import { answerCall, eventLog } from "./realEncodings.ts";

export const CRYPTO_POOL: Address = `0x${"cc".repeat(20)}`;
const CRYPTO_FACTORY: Address = `0x${"fc".repeat(20)}`;
const MATH: Address = `0x${"3a".repeat(20)}`;
export const CRYPTO_TOKENS: ReadonlyArray<Address> = ["33", "11", "22"].map(
  (byte): Address => `0x${byte.repeat(20)}`,
);
const SALT = `0x${"00".repeat(32)}`;
const MANY_TOKENS = 3;

export const curveCrypto: FollowedDex = chainProtocols
  .find(({ name }) => name === "curve-crypto")!
  .open({
    ...{ id: "CURVE_CRYPTO", name: "Curve", protocol: "curve-crypto" },
    ...{ factory: CRYPTO_FACTORY, startBlock: 0 },
  });

const POOL_ABI = parseAbi([
  "function version() view returns (string)",
  "function D() view returns (uint256)",
  "function A() view returns (uint256)",
  "function gamma() view returns (uint256)",
  "function mid_fee() view returns (uint256)",
  "function out_fee() view returns (uint256)",
  "function fee_gamma() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function virtual_price() view returns (uint256)",
  "function future_A_gamma() view returns (uint256)",
  "function balances(uint256) view returns (uint256)",
  "function get_dy(uint256,uint256,uint256) view returns (uint256)",
  "function donation_shares() view returns (uint256)",
]);
const TWO_ABI = parseAbi([
  "function precisions() view returns (uint256[2])",
  "function price_scale() view returns (uint256)",
  "function fee_calc(uint256[2]) view returns (uint256)",
]);
const THREE_ABI = parseAbi([
  "function precisions() view returns (uint256[3])",
  "function price_scale(uint256) view returns (uint256)",
]);

const TWO_DEPLOYED =
  "event TwocryptoPoolDeployed(address pool, string name, string symbol, address[2] coins, address math, bytes32 salt, uint256[2] precisions, uint256 packed_A_gamma, uint256 packed_fee_params, uint256 packed_rebalancing_params, uint256 packed_prices, address deployer)";
const THREE_DEPLOYED =
  "event TricryptoPoolDeployed(address pool, string name, string symbol, address weth, address[3] coins, address math, bytes32 salt, uint256 packed_precisions, uint256 packed_A_gamma, uint256 packed_fee_params, uint256 packed_rebalancing_params, uint256 packed_prices, address deployer)";
const EXCHANGE =
  "event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought, uint256 fee, uint256 packed_price_scale)";

/** A pool as its contract keeps it: A and gamma as they are now, and where a ramp takes them. */
export class NaiveCrypto {
  pool: PlainCrypto;
  future: { readonly A: bigint; readonly gamma: bigint };
  version: string;
  mathVersion: string;
  hasDonations: boolean;
  /** What `fee_calc` says beside what the version does. */
  oddFee = 0n;

  constructor(pool: PlainCrypto) {
    this.pool = pool;
    this.future = pool;
    this.version = pool.contract === "two21" || pool.contract === "two21b" ? "v2.1.0" : "v2.0.0";
    this.mathVersion = this.version;
    this.hasDonations = pool.contract === "two21b";
  }

  get tokens(): ReadonlyArray<Address> {
    return CRYPTO_TOKENS.slice(0, this.pool.balances.length);
  }

  created(name = "A pool of some length, which is told"): ChainLog {
    const { precisions } = this.pool;
    const head = [CRYPTO_POOL, name, "POOL"];
    const rest = [1n, 2n, 3n, 4n, CRYPTO_FACTORY];
    const values =
      this.tokens.length === MANY_TOKENS
        ? [...head, CRYPTO_TOKENS[0], this.tokens, MATH, SALT, 5n, ...rest]
        : [...head, this.tokens, MATH, SALT, precisions, ...rest];
    const event = this.tokens.length === MANY_TOKENS ? THREE_DEPLOYED : TWO_DEPLOYED;
    return eventLog(event, values, CRYPTO_FACTORY);
  }

  swapped(sold: number, amountIn: bigint, bought: number, amountOut: bigint): ChainLog {
    const amounts = [BigInt(sold), amountIn, BigInt(bought), amountOut, 7n, 9n];
    return eventLog(EXCHANGE, [CRYPTO_FACTORY, ...amounts], CRYPTO_POOL);
  }

  readonly answer = (call: ChainCall): CallAnswer => {
    if (call.to !== CRYPTO_POOL && call.to !== MATH) return undefined;
    const isMany = this.tokens.length === MANY_TOKENS;
    const abi = [...POOL_ABI, ...(isMany ? THREE_ABI : TWO_ABI)];
    try {
      return answerCall(abi, call, (name, args) => this.#value(name, args, call.to === MATH));
    } catch {
      return undefined; // the contract has no such function
    }
  };

  #value(name: string, args: ReadonlyArray<unknown>, isMath: boolean): unknown {
    const { pool, future } = this;
    const at = Number(args[0] ?? 0);
    const values: Readonly<Record<string, unknown>> = {
      version: isMath ? this.mathVersion : this.version,
      precisions: pool.precisions,
      balances: pool.balances[at],
      price_scale: pool.priceScale[at],
      D: pool.D,
      A: pool.A,
      gamma: pool.gamma,
      mid_fee: pool.midFee,
      out_fee: pool.outFee,
      fee_gamma: pool.feeGamma,
      totalSupply: pool.totalSupply,
      virtual_price: pool.virtualPrice,
      future_A_gamma: (future.A << 128n) + future.gamma,
      get_dy: 12_345n,
      donation_shares: this.hasDonations ? 1n : undefined,
      fee_calc: this.#feeOf(args[0] as ReadonlyArray<bigint>),
    };
    return values[name];
  }

  #feeOf(xp: ReadonlyArray<bigint> | bigint | undefined): bigint | undefined {
    if (!Array.isArray(xp)) return undefined;
    const [x, y] = xp as [bigint, bigint];
    const { midFee, outFee, feeGamma, contract } = this.pool;
    const one = 10n ** 18n;
    const k = (((4n * one * x) / (x + y)) * y) / (x + y);
    const f =
      contract === "two21b"
        ? (feeGamma * k) / ((feeGamma * k) / one + one - k)
        : (feeGamma * one) / (feeGamma + one - k);
    return (midFee * f + outFee * (one - f)) / one + this.oddFee;
  }

  /** D as a swap takes it during a ramp. */
  newD(): bigint {
    const { pool } = this;
    const xp = pool.balances.map((balance, at) => {
      const precise = balance * pool.precisions[at]!;
      return at === 0 ? precise : (precise * pool.priceScale[at - 1]!) / 10n ** 18n;
    });
    return cryptoD(pool, xp, 0n);
  }
}

export function askCrypto<A>(
  asking: Generator<ReadonlyArray<ChainCall>, A, ReadonlyArray<CallAnswer>>,
  answer: (call: ChainCall) => CallAnswer,
): A {
  let step = asking.next();
  while (!step.done) step = asking.next(step.value.map(answer));
  return step.value;
}

/** What comes of the factory's log. */
export function cryptoCreation(model: NaiveCrypto): NewPool | PoolRefusal | undefined {
  const creation = curveCrypto.decodeCreation(model.created());
  if (creation === undefined || !("resolve" in creation)) throw new Error("nothing is asked");
  const found = askCrypto(creation.resolve(), model.answer);
  if (found !== undefined && !("listing" in found || "refused" in found))
    throw new Error("several");
  return found;
}

export function cryptoListing(model: NaiveCrypto): NewPool["listing"] {
  const created = cryptoCreation(model);
  if (created === undefined || !("listing" in created)) throw new Error(JSON.stringify(created));
  if (created.listing.feePips !== FEE_IN_STATE) throw new Error("a fixed fee");
  return created.listing;
}
