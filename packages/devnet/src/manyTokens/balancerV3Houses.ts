import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  keccak256,
  numberToHex,
  parseAbiParameters,
  zeroAddress,
} from "viem";
import { devnetTokenAbi, permit2ApprovalAbi } from "../contracts/abis.ts";
import { poolCreationCode } from "../contracts/artifacts.ts";
import {
  balancerV3RouterAbi as abi,
  balancerV3StableFactoryAbi,
  balancerV3VaultAbi,
  balancerV3WeightedFactoryAbi,
  rateProviderAbi,
} from "../contracts/balancerAbis.ts";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import { devnetRouterAbi, swapQuoterAbi } from "../contracts/familyAbis.ts";
import { MAX_UINT160, MAX_UINT256, type MarketToken, NO_DEADLINE } from "../market/Market.ts";
import {
  pickExactOutput,
  pickRate,
  pickShare,
  pickWeighted,
  provideRates,
  SHARE_WHOLE,
  type Weights,
  weightsE18,
} from "./balancerTerms.ts";
import type { ChangeSituation, Errand, Ground, ManyTokenHouse } from "./ManyTokenHouse.ts";
import type { ManyTokenPool, PlacedSwap, PoolRate } from "./ManyTokenPool.ts";

/**
 * Pools of Balancer V3, made by its factories. The devnet's router may pause them and change their
 * fees.
 */

const NAME = "Devnet";
const SYMBOL = "DEV";
const VERSION = "1";
const STANDARD = 0;
const WITH_RATE = 1;
const PERMIT_EXPIRATION = 2 ** 48 - 1;
/** With 18 decimals: the minimum of `MinTokenBalanceLib`, or one unit of the token. */
const LEAST_BALANCE = 1_000_000n;
const NO_DATA: Hex = "0x";

const WEIGHTED_POOL = parseAbiParameters([
  "Params params, address vault",
  "struct Params { string name; string symbol; uint256 numTokens; uint256[] normalizedWeights; string version; uint256[] minTokenBalances; }",
]);
const STABLE_POOL = parseAbiParameters([
  "Params params, address vault",
  "struct Params { string name; string symbol; uint256 amplificationParameter; string version; }",
]);
const SALTED = parseAbiParameters("address, uint256, bytes32");

const common = {
  kind: "balancer-v3",
  isSorted: true,
  fill,
  swap: swapInV3,
  quote,
  change,
} as const;

export const weightedV3House = (weights: Weights, feeE18: bigint): ManyTokenHouse => ({
  ...{ ...common, version: "weighted" },
  create: (ground, tokens) => {
    const { weightedFactory, vault } = ground.families.balancerV3;
    const normalizedWeights = weightsE18(tokens, weights);
    const salt = saltOf(ground);
    const data = encodeFunctionData({
      ...{ abi: balancerV3WeightedFactoryAbi, functionName: "create" },
      args: [
        ...([NAME, SYMBOL, configsOf(tokens, []), normalizedWeights, rolesOf(ground)] as const),
        ...([feeE18, zeroAddress, false, false, salt] as const),
      ],
    });
    const minTokenBalances = tokens.map(({ decimals }) => {
      const unit = 10n ** BigInt(18 - decimals);
      return unit > LEAST_BALANCE ? unit : LEAST_BALANCE;
    });
    const numTokens = BigInt(tokens.length);
    const named = { name: NAME, symbol: SYMBOL, version: VERSION };
    const built = encodeAbiParameters(WEIGHTED_POOL, [
      ...([{ ...named, numTokens, normalizedWeights, minTokenBalances }, vault] as const),
    ]);
    const code = concat([poolCreationCode("balancerV3WeightedFactory"), built]);
    const address = create(ground, { factory: weightedFactory, data, salt, code }, tokens);
    return { address, id: address, weights: tokens.map(({ symbol }) => weights[symbol]!) };
  },
});

interface StableTerms {
  readonly amplification: bigint;
  readonly feeE18: bigint;
  /** Symbols of tokens that have a rate. */
  readonly rated?: ReadonlyArray<string>;
  readonly hasSurge?: boolean;
}

export const stableV3House = ({
  amplification,
  feeE18,
  rated = [],
  hasSurge = false,
}: StableTerms): ManyTokenHouse => ({
  ...{ ...common, version: hasSurge ? "surge" : "stable" },
  create: (ground, tokens) => {
    const { stableFactory, vault, surgeHook } = ground.families.balancerV3;
    const rates = provideRates(ground, tokens, rated);
    const hook = hasSurge ? surgeHook : zeroAddress;
    const salt = saltOf(ground);
    const data = encodeFunctionData({
      ...{ abi: balancerV3StableFactoryAbi, functionName: "create" },
      args: [
        ...([NAME, SYMBOL, configsOf(tokens, rates), amplification, rolesOf(ground)] as const),
        ...([feeE18, hook, false, false, salt] as const),
      ],
    });
    const named = { name: NAME, symbol: SYMBOL, version: VERSION };
    const built = encodeAbiParameters(STABLE_POOL, [
      ...([{ ...named, amplificationParameter: amplification }, vault] as const),
    ]);
    const code = concat([poolCreationCode("balancerV3StableFactory"), built]);
    const address = create(ground, { factory: stableFactory, data, salt, code }, tokens);
    return { address, id: address, rates, ...(hasSurge && { hook: surgeHook }) };
  },
});

const configsOf = (
  tokens: ReadonlyArray<MarketToken>,
  rates: ReadonlyArray<PoolRate | undefined>,
) =>
  tokens.map(({ address: token }, at) => {
    const provider = rates[at]?.provider;
    return provider === undefined
      ? { token, tokenType: STANDARD, rateProvider: zeroAddress, paysYieldFees: false }
      : { token, tokenType: WITH_RATE, rateProvider: provider, paysYieldFees: true };
  });

const rolesOf = ({ families: { router } }: Ground) => ({
  ...{ pauseManager: router, swapFeeManager: router, poolCreator: zeroAddress },
});

/** Unique on a devnet. */
const saltOf = ({ deployment }: Ground): Hex =>
  numberToHex(deployment.transactions.length, { size: 32 });

interface Made {
  readonly factory: Address;
  readonly data: Hex;
  readonly salt: Hex;
  /** Creation code of the pool, with its constructor's arguments. */
  readonly code: Hex;
}

/** Balancer's router pulls the devnet router's payments through Permit2, and takes its shares. */
function create(
  { deployment, families, chainId }: Ground,
  { factory, data, salt, code }: Made,
  tokens: ReadonlyArray<MarketToken>,
): Address {
  const { router, balancerV3 } = families;
  const salted = encodeAbiParameters(SALTED, [deployment.deployer, BigInt(chainId), salt]);
  const create2 = { from: factory, salt: keccak256(salted), bytecodeHash: keccak256(code) };
  const pool = getCreate2Address(create2).toLowerCase() as Address;
  deployment.send(factory, data);
  const approve = (spender: Address) =>
    encodeFunctionData({
      ...{ abi: devnetTokenAbi, functionName: "approve", args: [spender, MAX_UINT256] },
    });
  const perform = (target: Address, performed: Hex) =>
    deployment.call(router, {
      ...{ abi: devnetRouterAbi, functionName: "perform", args: [target, performed, [], []] },
    });
  for (const { address } of tokens) {
    perform(address, approve(balancerV3.permit2));
    const permitted = [address, balancerV3.router, MAX_UINT160, PERMIT_EXPIRATION] as const;
    perform(
      balancerV3.permit2,
      encodeFunctionData({ abi: permit2ApprovalAbi, functionName: "approve", args: permitted }),
    );
  }
  perform(pool, approve(balancerV3.router));
  return pool;
}

function fill(
  { address, tokens }: ManyTokenPool,
  amounts: ReadonlyArray<bigint>,
  { balancerV3 }: FamilyContracts,
): Errand {
  const args = [address, tokens, amounts, 0n, false, NO_DATA] as const;
  const data = encodeFunctionData({ abi, functionName: "initialize", args });
  return { target: balancerV3.router, data, tokens, amounts };
}

export function swapInV3(
  { address, tokens }: ManyTokenPool,
  { positionIn, positionOut, amountIn }: PlacedSwap,
  { balancerV3 }: FamilyContracts,
): Errand {
  const [tokenIn, tokenOut] = [tokens[positionIn]!, tokens[positionOut]!];
  const args = [address, tokenIn, tokenOut, amountIn, 0n, NO_DEADLINE, false, NO_DATA] as const;
  const data = encodeFunctionData({ abi, functionName: "swapSingleTokenExactIn", args });
  return { target: balancerV3.router, data, tokens: [tokenIn, tokenOut], amounts: [amountIn, 0n] };
}

/** A query changes the Vault as the swap would, so each one is asked separately. */
function quote(
  { address, tokens }: ManyTokenPool,
  { positionIn, positionOut, amountIn }: PlacedSwap,
  { balancerV3, swapQuoter }: FamilyContracts,
) {
  const [tokenIn, tokenOut] = [tokens[positionIn]!, tokens[positionOut]!];
  const asked = [address, tokenIn, tokenOut, amountIn, zeroAddress, NO_DATA] as const;
  const query = encodeFunctionData({
    ...{ abi, functionName: "querySwapSingleTokenExactIn", args: asked },
  });
  const args = [balancerV3.router, query] as const;
  const data = encodeFunctionData({ abi: swapQuoterAbi, functionName: "ask", args });
  return { to: swapQuoter, data, amountOut: BigInt };
}

/** Traffic never pauses a pool, which would stay paused: tests do. */
const CHANGES: Readonly<Record<keyof typeof ACTS, number>> = {
  swapExactOutput: 10,
  joinUnevenly: 10,
  joinEvenly: 8,
  leaveEvenly: 10,
  leaveOneToken: 8,
  changeFee: 6,
  changeRate: 6,
};

interface Act extends ChangeSituation {
  readonly pool: ManyTokenPool;
  readonly contracts: FamilyContracts;
}

const ACTS = {
  swapExactOutput: ({ pool, contracts, depths, random }: Act) => {
    const { positionIn, positionOut, ...amounts } = pickExactOutput(depths, random);
    const [tokenIn, tokenOut] = [pool.tokens[positionIn]!, pool.tokens[positionOut]!];
    const { amountOut, amountInMax } = amounts;
    const asked = [pool.address, tokenIn, tokenOut, amountOut, amountInMax] as const;
    const args = [...asked, NO_DEADLINE, false, NO_DATA] as const;
    const data = encodeFunctionData({ abi, functionName: "swapSingleTokenExactOut", args });
    return through(contracts, data, [tokenIn, tokenOut], [amountInMax, 0n]);
  },
  joinUnevenly: ({ pool, contracts, depths, random }: Act) => {
    const isOne = random.chance(0.5);
    const only = random.index(depths.length);
    const amounts = depths.map((depth, at) =>
      isOne && at !== only ? 0n : (depth * pickShare(random)) / SHARE_WHOLE,
    );
    const args = [pool.address, amounts, 0n, false, NO_DATA] as const;
    const data = encodeFunctionData({ abi, functionName: "addLiquidityUnbalanced", args });
    return through(contracts, data, pool.tokens, amounts);
  },
  joinEvenly: ({ pool, contracts, depths, shares, random }: Act) => {
    const share = pickShare(random);
    const most = depths.map((depth) => (20n * depth * share) / SHARE_WHOLE + 10n);
    const bptOut = (shares * share) / SHARE_WHOLE;
    const args = [pool.address, most, bptOut, false, NO_DATA] as const;
    const data = encodeFunctionData({ abi, functionName: "addLiquidityProportional", args });
    return through(contracts, data, pool.tokens, most);
  },
  leaveEvenly: ({ pool, contracts, shares, random }: Act) => {
    const bptIn = (shares * pickShare(random)) / SHARE_WHOLE;
    const nothing = pool.tokens.map(() => 0n);
    const args = [pool.address, bptIn, nothing, false, NO_DATA] as const;
    const data = encodeFunctionData({ abi, functionName: "removeLiquidityProportional", args });
    return through(contracts, data, pool.tokens, nothing);
  },
  leaveOneToken: ({ pool, contracts, shares, random }: Act) => {
    const bptIn = (shares * pickShare(random)) / SHARE_WHOLE;
    const token = random.pick(pool.tokens);
    const args = [pool.address, bptIn, token, 1n, false, NO_DATA] as const;
    const functionName = "removeLiquiditySingleTokenExactIn";
    const data = encodeFunctionData({ abi, functionName, args });
    return through(contracts, data, [token], [0n]);
  },
  changeFee: ({ pool, contracts, random }: Act) => {
    const feeE18 = BigInt(1 + random.index(300)) * 10n ** 13n;
    const functionName = "setStaticSwapFeePercentage";
    const args = [pool.address, feeE18] as const;
    const data = encodeFunctionData({ abi: balancerV3VaultAbi, functionName, args });
    return { ...through(contracts, data, [], []), target: contracts.balancerV3.vault };
  },
  changeRate: ({ pool, contracts, random }: Act) => {
    const rate = pickRate(pool, random);
    if (rate === undefined) return undefined;
    const call = { abi: rateProviderAbi, functionName: "setRate", args: [rate.rateE18] } as const;
    return { ...through(contracts, encodeFunctionData(call), [], []), target: rate.provider };
  },
} satisfies Readonly<Record<string, (act: Act) => Errand | undefined>>;

const through = (
  { balancerV3: { router: target } }: FamilyContracts,
  data: Hex,
  tokens: ReadonlyArray<Address>,
  amounts: ReadonlyArray<bigint>,
): Errand => ({ target, data, tokens, amounts });

function change(
  pool: ManyTokenPool,
  situation: ChangeSituation,
  contracts: FamilyContracts,
): Errand | undefined {
  const act: (act: Act) => Errand | undefined = ACTS[pickWeighted(CHANGES, situation.random)];
  return act({ ...situation, pool, contracts });
}
