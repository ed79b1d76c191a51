import {
  type Address,
  FEE_IN_STATE,
  type PoolListing,
  type PoolState,
  writeWords,
} from "@millrace/core";
import {
  type CryptoReading,
  type Devnet,
  type ManyTokenPool,
  ManyTokenReader,
  type ManyTokenState,
  type StableState,
  type WrapperState,
} from "@millrace/devnet";
import {
  COUNTED,
  COUNTED_LATER,
  CRYPTO_CONTRACTS,
  callOfWords,
  cryptoSwap,
  DIVIDES_EACH,
  DIVIDES_ONCE,
  encodeCrypto,
  encodeCryptoConstants,
  encodeStableSwap,
  invariantOf,
  KEEPS_ORACLE,
  NATIVE_ADDRESS,
  stableSwap,
  TAKES_UNFINISHED,
  wrapper,
  wrapperState,
} from "@millrace/protocols";
import { toFunctionSelector } from "viem";
import { balancerReading } from "./balancerReading.ts";
import { batched } from "./batched.ts";
import type { Chain } from "./Chain.ts";
import type { FamilyReading } from "./FamilyReading.ts";

/** Rules by the version of a StableSwap pool; factory pools have the default. */
const STABLE_RULES: Readonly<Record<string, number>> = {
  "plain-2020": DIVIDES_EACH | TAKES_UNFINISHED,
  plain: DIVIDES_EACH,
};
/** Kinds of coins, as numbered in the constants of a pool's listing. */
const PLAIN = 0;
const ORACLE = 1;
const VAULT = 3;
const WORDS_OF_ADDRESS = 3;
const MAX_REDEEM = toFunctionSelector("maxRedeem(address)");

/** The same of the pools of many tokens. */
export async function readManyTokens(
  chain: Chain,
  devnet: Devnet,
): Promise<ReadonlyArray<FamilyReading>> {
  const { families, traders } = devnet;
  if (families === undefined) return [];
  const reader = new ManyTokenReader(batched(chain), families.contracts, traders[0]!.address);
  return Promise.all(
    families.manyTokens.map(async (pool) => {
      const state = await reader.state(pool);
      if (state.kind === "balancer") return { pool, ...balancerReading(pool, state) };
      return {
        pool,
        listing: listingOf(devnet, pool, state),
        state: await stateOf(chain, devnet, pool, state),
      };
    }),
  );
}

/** Balancer's have a file of their own. */
type OwnState = Exclude<ManyTokenState, { readonly kind: "balancer" }>;

function listingOf(devnet: Devnet, pool: ManyTokenPool, state: OwnState): PoolListing {
  const { address, dexId, nativeAt } = pool;
  // A market without a configured wrapped token lists the native one itself.
  const tokens = pool.tokens.map((token, at) => (at === nativeAt ? NATIVE_ADDRESS : token));
  const common = { address, dexId, tokens };
  switch (pool.kind) {
    case "curve-stable":
    case "curve-stable-ng":
      return {
        ...{ ...common, curve: stableSwap.name, feePips: FEE_IN_STATE },
        parameter: STABLE_RULES[pool.version ?? ""] ?? DIVIDES_ONCE | KEEPS_ORACLE,
        constants: stableConstants(devnet, pool),
      };
    case "curve-crypto":
      return {
        ...{ ...common, curve: cryptoSwap.name, feePips: FEE_IN_STATE, parameter: 0 },
        constants: encodeCryptoConstants(
          contractOf(pool),
          A_MULTIPLIER,
          precisionsOf(devnet, pool),
        ),
      };
    case "erc4626":
      return { ...common, curve: wrapper.name, feePips: 0, parameter: 0 };
    case "lido": {
      const constants = new BigUint64Array(WORDS_OF_ADDRESS);
      const staked = state.kind === "wrapper" ? state.staked! : "0x";
      writeWords(constants, 0, WORDS_OF_ADDRESS, BigInt(staked));
      return { ...common, curve: wrapper.name, feePips: 0, parameter: 0, constants };
    }
    default:
      throw new Error(`no listing of ${pool.kind}`);
  }
}

/** A's precision, whether the first coin is native, and the kind and decimals of each coin. */
function stableConstants(devnet: Devnet, { tokens, version, nativeAt }: ManyTokenPool) {
  const settings = (key: string) => devnet.dexes.map((dex) => dex[key] ?? {});
  const isIn = (key: string, token: Address) =>
    settings(key).some((found) =>
      Array.isArray(found) ? found.includes(token) : token in (found as object),
    );
  const coins = tokens.map((token) => {
    const { decimals } = devnet.tokens.find(({ address }) => address === token)!;
    // All vaults are of tokens with 18 decimals.
    const kind = isIn("vaults", token) ? VAULT : isIn("oracles", token) ? ORACLE : PLAIN;
    return BigInt(kind + (decimals << 8) + (kind === VAULT ? 18 << 16 : 0));
  });
  const aPrecision = version === "plain-2020" ? 1n : 100n;
  return BigUint64Array.of(aPrecision, nativeAt === undefined ? 0n : 1n, ...coins);
}

function stableState({ A, offpegFeeMultiplier = 0n, ...state }: StableState): PoolState {
  return encodeStableSwap({ ...state, amp: A, offpegFeeMultiplier });
}

/** Anybody may redeem as many shares as a configured holder. */
async function wrapped(
  chain: Chain,
  devnet: Devnet,
  { kind, address, dexId }: ManyTokenPool,
  { shares, assets, depositMax }: WrapperState,
): Promise<PoolState> {
  const found = { shares, assets, depositMax };
  const none = { virtualShares: 0n, virtualAssets: 0n };
  if (kind === "lido") return wrapperState({ ...found, ...none, counting: COUNTED, redeemMax: 0n });
  const { holders = [] } = devnet.dexes.find(({ id }) => id === dexId)!;
  const asked = (holders as ReadonlyArray<Address>).map((holder) =>
    callOfWords(address, MAX_REDEEM, [BigInt(holder)]),
  );
  const [redeemMax] = await chain.callAll(asked);
  // As OpenZeppelin's vaults compute: with a virtual unit of both.
  const rule = { counting: COUNTED_LATER, virtualShares: 1n, virtualAssets: 1n };
  return wrapperState({ ...found, ...rule, redeemMax: BigInt(redeemMax!) });
}

const stateOf = async (
  chain: Chain,
  devnet: Devnet,
  pool: ManyTokenPool,
  state: OwnState,
): Promise<PoolState> => {
  if (state.kind === "stable") return stableState(state);
  return state.kind === "crypto"
    ? cryptoState(devnet, pool, state)
    : wrapped(chain, devnet, pool, state);
};

const A_MULTIPLIER = 10_000n;

/** All pools except those that take donations are of the first versions. */
const contractOf = ({ tokens: { length }, version }: ManyTokenPool): number =>
  CRYPTO_CONTRACTS.findIndex(
    ({ tokenCount, isAnalytic, reachesOutFee }) =>
      tokenCount === length && isAnalytic && reachesOutFee === (version === "donations"),
  );

const precisionsOf = ({ tokens }: Devnet, pool: ManyTokenPool): ReadonlyArray<bigint> =>
  pool.tokens.map((token) => {
    const { decimals } = tokens.find(({ address }) => address === token)!;
    return 10n ** BigInt(18 - decimals);
  });

/** During a ramp a swap recomputes D, which may decrease. */
function cryptoState(devnet: Devnet, pool: ManyTokenPool, state: CryptoReading): PoolState {
  const { D: kept, A: a, gamma, future, ...rest } = state;
  const numbers = { ...rest, a, gamma };
  if (future === (a << 128n) + gamma) return encodeCrypto({ ...numbers, d: kept });
  const contract = CRYPTO_CONTRACTS[contractOf(pool)]!;
  const terms = { contract, aMultiplier: A_MULTIPLIER, precisions: precisionsOf(devnet, pool) };
  const d = invariantOf({ ...terms, ...numbers });
  return encodeCrypto({ ...numbers, d, virtualPrice: 0n });
}
