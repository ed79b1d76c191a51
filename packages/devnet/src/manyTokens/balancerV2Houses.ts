import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  numberToHex,
  parseAbiParameters,
  zeroAddress,
} from "viem";
import {
  balancerV2ComposableFactoryAbi,
  balancerV2PoolAbi,
  balancerV2StableFactoryAbi,
  balancerV2VaultAbi,
  balancerV2WeightedFactoryAbi,
  rateProviderAbi,
} from "../contracts/balancerAbis.ts";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import { MAX_UINT256, NO_DEADLINE } from "../market/Market.ts";
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
import type { ManyTokenPool, PlacedSwap } from "./ManyTokenPool.ts";

/** Pools of Balancer V2, made by the published factories. The devnet's router owns them. */

const NAME = "Devnet";
const SYMBOL = "DEV";
/** How long a pool caches a rate. */
const RATE_SECONDS = 3_600n;
/** Contracts that a factory creates in its constructor: the two halves of its pools' code. */
const CODE_HALVES = 2n;
const SPECIALIZATIONS = { general: 0, minimal: 1, twoTokens: 2 } as const;
const GIVEN_IN = 0;
const GIVEN_OUT = 1;
/** Kinds of joins and exits, in `userData`. */
const INIT = 0n;
const EXACT_TOKENS_IN = 1n;
const TOKEN_IN_FOR_EXACT_SHARES = 2n;
const ALL_TOKENS_IN_FOR_EXACT_SHARES = 3n;
const EXACT_SHARES_FOR_ONE_TOKEN = 0n;
const KIND_AND_AMOUNTS = parseAbiParameters("uint256, uint256[]");
const KIND_AMOUNTS_AND_LIMIT = parseAbiParameters("uint256, uint256[], uint256");
const KIND_AND_AMOUNT = parseAbiParameters("uint256, uint256");
const KIND_AMOUNT_AND_INDEX = parseAbiParameters("uint256, uint256, uint256");

const common = { isSorted: true, fill, swap: swapInV2, quote } as const;

export const weightedV2House = (weights: Weights, feeE18: bigint): ManyTokenHouse => ({
  ...{ ...common, kind: "balancer-v2-weighted" },
  create: (ground, tokens) => {
    const { weightedFactory } = ground.families.balancerV2;
    const addresses = tokens.map(({ address }) => address);
    const nobody = tokens.map(() => zeroAddress);
    const named = [NAME, SYMBOL, addresses, weightsE18(tokens, weights)] as const;
    const data = encodeFunctionData({
      ...{ abi: balancerV2WeightedFactoryAbi, functionName: "create" },
      args: [...named, nobody, feeE18, ground.families.router],
    });
    const specialization = tokens.length === 2 ? "twoTokens" : "minimal";
    const made = create(ground, weightedFactory, data, specialization);
    return { ...made, weights: tokens.map(({ symbol }) => weights[symbol]!) };
  },
  change: (pool, situation, contracts) => change(pool, situation, contracts, 1n),
});

/** A stable pool of 2022, whose tokens do not include its own. */
export const stableV2House = (amplification: bigint, feeE18: bigint): ManyTokenHouse => ({
  ...{ ...common, kind: "balancer-v2-stable", version: "stable" },
  create: (ground, tokens) => {
    const { stableFactory } = ground.families.balancerV2;
    const addresses = tokens.map(({ address }) => address);
    const data = encodeFunctionData({
      ...{ abi: balancerV2StableFactoryAbi, functionName: "create" },
      args: [NAME, SYMBOL, addresses, amplification, feeE18, ground.families.router],
    });
    const specialization = tokens.length === 2 ? "twoTokens" : "general";
    return create(ground, stableFactory, data, specialization);
  },
  change: (pool, situation, contracts) => change(pool, situation, contracts, 1n),
});

/** A composable stable pool; the tokens in `rated` have rates. */
export const composableV2House = (
  amplification: bigint,
  feeE18: bigint,
  rated: ReadonlyArray<string> = [],
): ManyTokenHouse => ({
  ...{ ...common, kind: "balancer-v2-stable", version: "composable" },
  create: (ground, tokens) => {
    const { composableFactory } = ground.families.balancerV2;
    const addresses = tokens.map(({ address }) => address);
    const rates = provideRates(ground, tokens, rated);
    const providers = rates.map((rate) => rate?.provider ?? zeroAddress);
    const durations = rates.map((rate) => (rate === undefined ? 0n : RATE_SECONDS));
    const named = [NAME, SYMBOL, addresses, amplification, providers, durations] as const;
    const data = encodeFunctionData({
      ...{ abi: balancerV2ComposableFactoryAbi, functionName: "create" },
      args: [...named, tokens.map(() => false), feeE18, ground.families.router],
    });
    return { ...create(ground, composableFactory, data, "general"), rates };
  },
  change: (pool, situation, contracts) => change(pool, situation, contracts, 2n),
});

/**
 * The pool's address follows from the factory's nonce; its id also from the number of pools in the
 * Vault.
 */
function create(
  { deployment, families }: Ground,
  factory: Address,
  data: Hex,
  specialization: keyof typeof SPECIALIZATIONS,
) {
  const { weightedFactory, stableFactory, composableFactory } = families.balancerV2;
  const factories = [weightedFactory, stableFactory, composableFactory];
  const madeBy = (some: ReadonlyArray<Address>) =>
    deployment.transactions.filter(({ to }) => to !== undefined && some.includes(to)).length;
  const nonce = 1n + CODE_HALVES + BigInt(madeBy([factory]));
  const address = getContractAddress({ from: factory, nonce }).toLowerCase() as Address;
  const kind = numberToHex(SPECIALIZATIONS[specialization], { size: 2 });
  const id = concat([address, kind, numberToHex(madeBy(factories), { size: 10 })]);
  deployment.send(factory, data);
  return { address, id };
}

/** A pool's tokens in the Vault's order; a composable pool's own token is among them. */
const assetsOf = ({ address, tokens, version }: ManyTokenPool): ReadonlyArray<Address> =>
  version === "composable" ? [...tokens, address].sort() : tokens;

function fill(pool: ManyTokenPool, amounts: ReadonlyArray<bigint>, contracts: FamilyContracts) {
  const all = assetsOf(pool).map((asset) => amounts[pool.tokens.indexOf(asset)] ?? 0n);
  return join(pool, contracts, encodeAbiParameters(KIND_AND_AMOUNTS, [INIT, all]), amounts);
}

function join(
  pool: ManyTokenPool,
  { balancerV2: { vault }, router }: FamilyContracts,
  userData: Hex,
  amounts: ReadonlyArray<bigint>,
): Errand {
  const assets = assetsOf(pool);
  // The pool's own minted token counts as paid.
  const most = assets.map((asset) => amounts[pool.tokens.indexOf(asset)] ?? MAX_UINT256);
  const request = { assets, maxAmountsIn: most, userData, fromInternalBalance: false };
  const data = encodeFunctionData({
    ...{ abi: balancerV2VaultAbi, functionName: "joinPool" },
    args: [pool.id, router, router, request],
  });
  return { target: vault, data, tokens: pool.tokens, amounts };
}

function exit(
  pool: ManyTokenPool,
  { balancerV2: { vault }, router }: FamilyContracts,
  userData: Hex,
): Errand {
  const assets = assetsOf(pool);
  const least = assets.map(() => 0n);
  const request = { assets, minAmountsOut: least, userData, toInternalBalance: false };
  const data = encodeFunctionData({
    ...{ abi: balancerV2VaultAbi, functionName: "exitPool" },
    args: [pool.id, router, router, request],
  });
  return { target: vault, data, tokens: pool.tokens, amounts: pool.tokens.map(() => 0n) };
}

export function swapInV2(
  { id: poolId, tokens }: ManyTokenPool,
  { positionIn, positionOut, amountIn }: PlacedSwap,
  { balancerV2: { vault }, router }: FamilyContracts,
): Errand {
  const [assetIn, assetOut] = [tokens[positionIn]!, tokens[positionOut]!];
  const swap = { poolId, kind: GIVEN_IN, assetIn, assetOut, amount: amountIn } as const;
  const data = encodeFunctionData({
    ...{ abi: balancerV2VaultAbi, functionName: "swap" },
    args: [{ ...swap, userData: "0x" }, fundsOf(router), 0n, NO_DEADLINE],
  });
  return { target: vault, data, tokens: [assetIn, assetOut], amounts: [amountIn, 0n] };
}

const fundsOf = (router: Address) => ({
  ...{ sender: router, fromInternalBalance: false, recipient: router, toInternalBalance: false },
});

function quote(
  { id: poolId, tokens }: ManyTokenPool,
  { positionIn, positionOut, amountIn: amount }: PlacedSwap,
  { balancerV2: { vault }, router }: FamilyContracts,
) {
  const assets = [tokens[positionIn]!, tokens[positionOut]!];
  const step = { poolId, assetInIndex: 0n, assetOutIndex: 1n, amount, userData: "0x" } as const;
  const call = { abi: balancerV2VaultAbi, functionName: "queryBatchSwap" } as const;
  const args = [GIVEN_IN, [step], assets, fundsOf(router)] as const;
  const data = encodeFunctionData({ ...call, args });
  // Words of the answer: offset of the array, its length, the amount paid, the amount given.
  const amountOut = (answer: Hex) => -BigInt.asIntN(256, BigInt(`0x${answer.slice(2 + 3 * 64)}`));
  return { to: vault, data, amountOut };
}

/** Traffic never pauses a pool, which would stay paused: tests do. */
const CHANGES: Readonly<Record<keyof typeof ACTS, number>> = {
  swapExactOutput: 10,
  joinUnevenly: 8,
  joinEvenly: 6,
  joinOneToken: 6,
  leaveEvenly: 10,
  leaveOneToken: 8,
  changeFee: 6,
  changeRate: 6,
};

interface Act extends ChangeSituation {
  readonly pool: ManyTokenPool;
  readonly contracts: FamilyContracts;
  /** Exits with all tokens in proportion. */
  readonly leaveEvenly: bigint;
}

const ACTS = {
  swapExactOutput: ({ pool, contracts, depths, random }: Act) => {
    const { positionIn, positionOut, ...amounts } = pickExactOutput(depths, random);
    const [assetIn, assetOut] = [pool.tokens[positionIn]!, pool.tokens[positionOut]!];
    const { vault } = contracts.balancerV2;
    const swap = { poolId: pool.id, kind: GIVEN_OUT, assetIn, assetOut } as const;
    const single = { ...swap, amount: amounts.amountOut, userData: "0x" } as const;
    const data = encodeFunctionData({
      ...{ abi: balancerV2VaultAbi, functionName: "swap" },
      args: [single, fundsOf(contracts.router), amounts.amountInMax, NO_DEADLINE],
    });
    const tokens = [assetIn, assetOut];
    return { target: vault, data, tokens, amounts: [amounts.amountInMax, 0n] };
  },
  joinUnevenly: ({ pool, contracts, depths, random }: Act) => {
    const amounts = depths.map((depth) => (depth * pickShare(random)) / SHARE_WHOLE);
    const userData = encodeAbiParameters(KIND_AMOUNTS_AND_LIMIT, [EXACT_TOKENS_IN, amounts, 0n]);
    return join(pool, contracts, userData, amounts);
  },
  joinEvenly: ({ pool, contracts, depths, shares, random }: Act) => {
    const share = pickShare(random);
    const bptOut = (shares * share) / SHARE_WHOLE;
    const kind = ALL_TOKENS_IN_FOR_EXACT_SHARES;
    const most = depths.map((depth) => (20n * depth * share) / SHARE_WHOLE + 10n);
    return join(pool, contracts, encodeAbiParameters(KIND_AND_AMOUNT, [kind, bptOut]), most);
  },
  joinOneToken: ({ pool, contracts, depths, shares, random }: Act) => {
    const share = pickShare(random);
    const bptOut = (shares * share) / SHARE_WHOLE;
    const index = random.index(depths.length);
    const most = depths.map((depth) => (20n * depth * share) / SHARE_WHOLE + 10n);
    const kind = TOKEN_IN_FOR_EXACT_SHARES;
    const asked = [kind, bptOut, BigInt(index)] as const;
    return join(pool, contracts, encodeAbiParameters(KIND_AMOUNT_AND_INDEX, asked), most);
  },
  leaveEvenly: ({ pool, contracts, shares, random, leaveEvenly }: Act) => {
    const bptIn = (shares * pickShare(random)) / SHARE_WHOLE;
    return exit(pool, contracts, encodeAbiParameters(KIND_AND_AMOUNT, [leaveEvenly, bptIn]));
  },
  leaveOneToken: ({ pool, contracts, depths, shares, random }: Act) => {
    const bptIn = (shares * pickShare(random)) / SHARE_WHOLE;
    const index = BigInt(random.index(depths.length));
    const asked = [EXACT_SHARES_FOR_ONE_TOKEN, bptIn, index] as const;
    return exit(pool, contracts, encodeAbiParameters(KIND_AMOUNT_AND_INDEX, asked));
  },
  changeFee: ({ pool, random }: Act) => {
    const feeE18 = BigInt(1 + random.index(300)) * 10n ** 13n;
    const call = { abi: balancerV2PoolAbi, functionName: "setSwapFeePercentage" } as const;
    return errandless(pool.address, encodeFunctionData({ ...call, args: [feeE18] }));
  },
  changeRate: ({ pool, random }: Act) => {
    const rate = pickRate(pool, random);
    if (rate === undefined) return undefined;
    const call = { abi: rateProviderAbi, functionName: "setRate", args: [rate.rateE18] } as const;
    return errandless(rate.provider, encodeFunctionData(call));
  },
} satisfies Readonly<Record<string, (act: Act) => Errand | undefined>>;

const errandless = (target: Address, data: Hex): Errand => ({
  ...{ target, data, tokens: [], amounts: [] },
});

function change(
  pool: ManyTokenPool,
  situation: ChangeSituation,
  contracts: FamilyContracts,
  leaveEvenly: bigint,
): Errand | undefined {
  const act: (act: Act) => Errand | undefined = ACTS[pickWeighted(CHANGES, situation.random)];
  return act({ ...situation, pool, contracts, leaveEvenly });
}
