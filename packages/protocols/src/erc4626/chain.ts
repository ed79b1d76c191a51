import { type Address, type PoolListing, REFUSED } from "@millrace/core";
import { Schema } from "effect";
import { toFunctionSelector } from "viem/utils";
import type {
  Asking,
  CallAnswer,
  ChainCall,
  ChainDex,
  ChainProtocol,
  Creation,
  FollowedDex,
  FollowedState,
  NewPool,
  PoolRefusal,
} from "../ChainProtocol.ts";
import { addressInWord, callOfWords, wordsOf } from "../chainWords.ts";
import { TOTAL_END } from "../curves/wrapper/math.ts";
import { COUNTED_LATER, FIXED_RATE, type WrapperRule, wrapper } from "../curves/wrapper/pool.ts";
import { ContractAddress } from "../dexSettings.ts";
import { followedWrapper, OUT_OF_PROPORTION, wrapperReserves } from "../wrapperReads.ts";

const ASSET = toFunctionSelector("asset()");
const TOTAL_SUPPLY = toFunctionSelector("totalSupply()");
const TOTAL_ASSETS = toFunctionSelector("totalAssets()");
const CONVERT_TO_ASSETS = toFunctionSelector("convertToAssets(uint256)");
const PREVIEW_DEPOSIT = toFunctionSelector("previewDeposit(uint256)");
const PREVIEW_REDEEM = toFunctionSelector("previewRedeem(uint256)");
const MAX_DEPOSIT = toFunctionSelector("maxDeposit(address)");
const MAX_REDEEM = toFunctionSelector("maxRedeem(address)");

/** A rate of the contract's own has no more digits. */
const RATE_UNIT = 10n ** 27n;
/**
 * The amount whose preview is read at every block: one that is off by a unit shows another rate.
 */
const PROBE = 10n ** 33n + 7n;
/** Vaults that are open to anybody take any depositor; this address is nobody's. */
const DEPOSITOR: Address = "0x000000000000000000000000000000000000dead";
/** The most decimals that shares have beyond those of assets. */
const OFFSET_MAX = 18;
const NO_SHARES: PoolRefusal = { refused: "a vault without shares" };

const settings = {
  /** The vaults. Anybody can create one that answers what they like: no others are followed. */
  vaults: Schema.Array(ContractAddress),
  /**
   * A few addresses that hold shares of some of the vaults. What one of them could redeem is the
   * limit for everybody. Without holders nothing is redeemed.
   */
  holders: Schema.optionalKey(Schema.Array(ContractAddress)),
};
const Settings = Schema.Struct(settings);
const decodeSettings = Schema.decodeUnknownSync(Settings);

/**
 * Vaults of ERC-4626. Shares and assets are exchanged at one rate, rounded down either way; it
 * moves with time, so it is read at every block, with the limits. The answers show each time how a
 * vault computes: by its totals, with the virtual shares of OpenZeppelin's contract or without
 * (Solmate's), or by a rate of its own. One that no rule explains is refused, at any block.
 */
export const erc4626Chain: ChainProtocol = { name: "erc4626", settings, open };

function open(dex: ChainDex): FollowedDex {
  const { vaults, holders = [] } = decodeSettings(dex);
  const callsOf = ({ address }: PoolListing) =>
    stateCalls(address, holders as ReadonlyArray<Address>);
  return {
    dex,
    creationTopics: [],
    decodeCreation: () => undefined,
    configured: vaults.map(
      (vault): Creation => ({ resolve: () => resolve(dex, vault.toLowerCase() as Address) }),
    ),
    poolTopics: [],
    applyLog: () => undefined,
    decodeSwap: () => undefined,
    eachBlock: {
      calls: callsOf,
      apply: (_pool, state, answers) => stateIn(answers, state),
    },
    *read(pool) {
      const [asset, ...answers] = yield [{ to: pool.address, data: ASSET }, ...callsOf(pool)];
      const isThis = wordsOf(asset, 1)?.[0] === BigInt(pool.tokens[0]!);
      return isThis ? stateIn(answers) : undefined;
    },
    shallowRead: callsOf,
    virtualReserves: (_pool, answers) => wrapperReserves(stateIn(answers)),
    quoteCall: ({ address }, from, _to, amountIn) => ({
      call: callOfWords(address, from === 0 ? PREVIEW_DEPOSIT : PREVIEW_REDEEM, [amountIn]),
      amountOut: (answer) => (answer === undefined ? REFUSED : wordsOf(answer, 1)?.[0]),
    }),
  };
}

/** How vaults compute; where several rules fit, the first is as exact as the others. */
const RULES: ReadonlyArray<WrapperRule> = [
  { counting: COUNTED_LATER, virtualShares: 0n, virtualAssets: 0n },
  ...Array.from({ length: OFFSET_MAX + 1 }, (_, offset) => ({
    ...{ counting: COUNTED_LATER, virtualShares: 10n ** BigInt(offset), virtualAssets: 1n },
  })),
  { counting: FIXED_RATE, virtualShares: 0n, virtualAssets: 0n },
];

function* resolve(
  { id: dexId }: ChainDex,
  vault: Address,
): Asking<NewPool | PoolRefusal | undefined> {
  const [asset, ...answers] = yield [{ to: vault, data: ASSET }, ...stateCalls(vault, [])];
  const token = addressInWord(asset ?? "");
  const state = stateIn(answers);
  if (token === undefined || token === vault || state === undefined) return undefined;
  if ("refused" in state) return state;
  const listing: PoolListing = {
    ...{ address: vault, dexId, tokens: [token, vault], curve: wrapper.name },
    ...{ feePips: 0, parameter: 0 },
  };
  return { listing, created: undefined };
}

function stateCalls(vault: Address, holders: ReadonlyArray<Address>): ReadonlyArray<ChainCall> {
  const of = (selector: `0x${string}`, ...argument: ReadonlyArray<bigint>) =>
    callOfWords(vault, selector, argument);
  return [
    ...[of(TOTAL_SUPPLY), of(TOTAL_ASSETS), of(CONVERT_TO_ASSETS, RATE_UNIT)],
    ...[of(PREVIEW_DEPOSIT, PROBE), of(PREVIEW_REDEEM, PROBE), of(MAX_DEPOSIT, BigInt(DEPOSITOR))],
    ...holders.map((holder) => of(MAX_REDEEM, BigInt(holder))),
  ];
}

function stateIn(
  answers: ReadonlyArray<CallAnswer>,
  former?: FollowedState,
): FollowedState | PoolRefusal | undefined {
  const words = answers.map((answer) => wordsOf(answer, 1)?.[0]);
  const [supply, assets, rate, deposited, redeemed, depositMax, ...redeemable] = words;
  if (supply === undefined || depositMax === undefined) return undefined;
  if (deposited === undefined || redeemed === undefined) return undefined;
  if (supply === 0n) return NO_SHARES;
  let redeemMax = 0n;
  for (const limit of redeemable) if (limit !== undefined && limit > redeemMax) redeemMax = limit;
  for (const rule of RULES) {
    const isFixed = rule.counting === FIXED_RATE;
    const totals = { shares: isFixed ? RATE_UNIT : supply, assets: isFixed ? rate : assets };
    if (totals.assets === undefined || totals.assets >= TOTAL_END) continue;
    const shares = totals.shares + rule.virtualShares;
    const held = totals.assets + rule.virtualAssets;
    if (shares === 0n || held === 0n) continue;
    if (deposited !== (PROBE * shares) / held || redeemed !== (PROBE * held) / shares) continue;
    const found = { ...rule, shares: totals.shares, assets: totals.assets, depositMax, redeemMax };
    return followedWrapper(found, former);
  }
  return OUT_OF_PROPORTION;
}
