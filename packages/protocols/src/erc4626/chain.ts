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
import type { Wrapper } from "../curves/wrapper/math.ts";
import { COUNTED_LATER, FIXED_RATE, wrapper } from "../curves/wrapper/pool.ts";
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
/** So much is asked for at every block: a rate that is off by a unit of it is another. */
const PROBE = 10n ** 33n + 7n;
/** Who deposits is no matter to vaults for anybody; this is nobody. */
const DEPOSITOR: Address = "0x000000000000000000000000000000000000dead";
/** Ten to the decimals that shares have more than assets. */
const OFFSET_MAX = 18;
const NO_SHARES: PoolRefusal = { refused: "a vault without shares" };

const settings = {
  /** The vaults. Anybody can make one, and tell what he likes: no others are looked at. */
  vaults: Schema.Array(ContractAddress),
  /**
   * Addresses that hold shares of some of them, a few: as many as one of them could redeem, anybody
   * may. Without them nothing is redeemed.
   */
  holders: Schema.optionalKey(Schema.Array(ContractAddress)),
};
const Settings = Schema.Struct(settings);
const decodeSettings = Schema.decodeUnknownSync(Settings);

/**
 * Vaults of ERC-4626. Shares and assets are exchanged at one rate, rounded down either way; it moves
 * with time, so it is asked for at every block, with the limits. How a vault reckons is found out by
 * what it answers: by its totals, with the virtual shares of OpenZeppelin's contract or without
 * (Solmate's), or by a rate of its own. One that no rule explains is refused, at any block.
 */
export const erc4626Chain: ChainProtocol = { name: "erc4626", settings, open };

function open(dex: ChainDex): FollowedDex {
  const { vaults, holders = [] } = decodeSettings(dex);
  const callsOf = (pool: PoolListing) => stateCalls(pool, holders as ReadonlyArray<Address>);
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
      apply: (pool, state, answers) => stateIn(pool, answers, state),
    },
    *read(pool) {
      const [asset, ...answers] = yield [{ to: pool.address, data: ASSET }, ...callsOf(pool)];
      const isThis = wordsOf(asset, 1)?.[0] === BigInt(pool.tokens[0]!);
      return isThis ? stateIn(pool, answers) : undefined;
    },
    shallowRead: callsOf,
    virtualReserves: (pool, answers) => wrapperReserves(pool, stateIn(pool, answers)),
    quoteCall: ({ address }, from, _to, amountIn) => ({
      call: callOfWords(address, from === 0 ? PREVIEW_DEPOSIT : PREVIEW_REDEEM, [amountIn]),
      amountOut: (answer) => (answer === undefined ? REFUSED : wordsOf(answer, 1)?.[0]),
    }),
  };
}

/** A rule by which a vault may reckon. */
type Rule = Pick<PoolListing, "parameter"> & Pick<Wrapper, "virtualShares" | "virtualAssets">;

const COUNTING: ReadonlyArray<Rule> = [
  { parameter: COUNTED_LATER, virtualShares: 0n, virtualAssets: 0n },
  ...Array.from({ length: OFFSET_MAX + 1 }, (_, offset) => ({
    ...{ parameter: COUNTED_LATER, virtualShares: 10n ** BigInt(offset), virtualAssets: 1n },
  })),
];
const OF_ITS_OWN: Rule = { parameter: FIXED_RATE, virtualShares: 0n, virtualAssets: 0n };

function* resolve(
  { id: dexId }: ChainDex,
  vault: Address,
): Asking<NewPool | PoolRefusal | undefined> {
  const ask = (data: `0x${string}`) => ({ to: vault, data });
  const [asset, ...answers] = yield [
    ...[ask(ASSET), ask(TOTAL_SUPPLY), ask(TOTAL_ASSETS)],
    callOfWords(vault, CONVERT_TO_ASSETS, [RATE_UNIT]),
    callOfWords(vault, PREVIEW_DEPOSIT, [PROBE]),
    callOfWords(vault, PREVIEW_REDEEM, [PROBE]),
  ];
  const token = addressInWord(asset ?? "");
  const [supply, assets, rate, ...previews] = answers.map((answer) => wordsOf(answer, 1)?.[0]);
  if (token === undefined || token === vault || supply === undefined) return undefined;
  if (supply === 0n) return NO_SHARES;
  const fits = (shares: bigint, held: bigint | undefined, { virtualShares, virtualAssets }: Rule) =>
    held !== undefined && agrees(shares + virtualShares, held + virtualAssets, previews);
  const rule = fits(RATE_UNIT, rate, OF_ITS_OWN)
    ? OF_ITS_OWN
    : COUNTING.find((each) => fits(supply, assets, each));
  if (rule === undefined) return OUT_OF_PROPORTION;
  const listing: PoolListing = {
    ...{ address: vault, dexId, tokens: [token, vault], curve: wrapper.name, feePips: 0 },
    parameter: rule.parameter,
    constants: BigUint64Array.of(rule.virtualShares, rule.virtualAssets),
  };
  return { listing, created: undefined };
}

/** Whether so many shares for so many assets explain what the vault says of the probe. */
function agrees(
  shares: bigint,
  assets: bigint,
  [deposited, redeemed]: ReadonlyArray<bigint | undefined>,
): boolean {
  if (shares === 0n || assets === 0n) return false;
  return deposited === (PROBE * shares) / assets && redeemed === (PROBE * assets) / shares;
}

function stateCalls(
  { address, parameter }: PoolListing,
  holders: ReadonlyArray<Address>,
): ReadonlyArray<ChainCall> {
  const ask = (data: `0x${string}`) => ({ to: address, data });
  const of = (selector: `0x${string}`, argument: bigint) =>
    callOfWords(address, selector, [argument]);
  const isFixed = parameter === FIXED_RATE;
  return [
    ask(TOTAL_SUPPLY),
    isFixed ? of(CONVERT_TO_ASSETS, RATE_UNIT) : ask(TOTAL_ASSETS),
    ...[of(PREVIEW_DEPOSIT, PROBE), of(PREVIEW_REDEEM, PROBE), of(MAX_DEPOSIT, BigInt(DEPOSITOR))],
    ...holders.map((holder) => of(MAX_REDEEM, BigInt(holder))),
  ];
}

function stateIn(
  pool: PoolListing,
  answers: ReadonlyArray<CallAnswer>,
  former?: FollowedState,
): FollowedState | PoolRefusal | undefined {
  const words = answers.map((answer) => wordsOf(answer, 1)?.[0]);
  const [supply, assets, deposited, redeemed, depositMax, ...redeemable] = words;
  if (supply === undefined || assets === undefined || depositMax === undefined) return undefined;
  const [virtualShares, virtualAssets] = pool.constants ?? [];
  const shares = pool.parameter === FIXED_RATE ? RATE_UNIT : supply;
  const isSound = agrees(shares + virtualShares!, assets + virtualAssets!, [deposited, redeemed]);
  if (supply === 0n) return NO_SHARES;
  if (!isSound) return OUT_OF_PROPORTION;
  let redeemMax = 0n;
  for (const limit of redeemable) if (limit !== undefined && limit > redeemMax) redeemMax = limit;
  return followedWrapper({ shares, assets, depositMax, redeemMax }, former);
}
