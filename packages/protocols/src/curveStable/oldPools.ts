import { type Address, FEE_IN_STATE } from "@millrace/core";
import { toFunctionSelector } from "viem/utils";
import type { Asking, ChainDex, NewPool, PoolRefusal } from "../ChainProtocol.ts";
import { callOfWords } from "../chainWords.ts";
import { stableSwap } from "../curves/stableSwap/pool.ts";
import { addressesOf, addressIn, numberIn } from "./answers.ts";
import { encodeRateSources, PLAIN } from "./rates.ts";
import type { CurveVersion } from "./settings.ts";

const COINS = toFunctionSelector("coins(uint256)");
const DECIMALS = toFunctionSelector("decimals()");
/** Curve's placeholder for the native token. */
const NATIVE_COIN: Address = `0x${"e".repeat(40)}`;
const COINS_MAX = 8;
const DECIMALS_MAX = 18n;

const ODD_NATIVE: PoolRefusal = { refused: "the native token in an odd place" };

/** A configured pool; its contract does not tell its version. */
export function* resolveOld(
  { id: dexId }: ChainDex,
  address: Address,
  { rules, aPrecision }: CurveVersion,
  wrappedNative: Address,
): Asking<NewPool | PoolRefusal | undefined> {
  const answers = yield Array.from({ length: COINS_MAX }, (_, index) =>
    callOfWords(address, COINS, [BigInt(index)]),
  );
  // Past its last coin the contract reverts.
  const end = answers.findIndex((answer) => addressIn(answer) === undefined);
  const listed = answers.slice(0, end < 0 ? COINS_MAX : end);
  const coins = addressesOf(listed.map((answer) => BigInt(addressIn(answer)!)));
  if (coins === undefined || coins.length < 2) return undefined;
  const holdsNative = coins[0] === NATIVE_COIN;
  if (coins.indexOf(NATIVE_COIN) > 0) return ODD_NATIVE;
  const found = yield coins.map((coin) => ({ to: coin, data: DECIMALS }));
  const decimals = found.map((answer, position) =>
    holdsNative && position === 0 ? DECIMALS_MAX : numberIn(answer),
  );
  if (!decimals.every((each) => each !== undefined && each <= DECIMALS_MAX)) return undefined;
  const sources = decimals.map((each) => ({
    kind: PLAIN as typeof PLAIN,
    decimals: Number(each),
    assetDecimals: 0,
  }));
  const tokens = holdsNative ? [wrappedNative, ...coins.slice(1)] : coins;
  if (new Set(tokens).size < tokens.length) return ODD_NATIVE;
  return {
    listing: {
      ...{ address, dexId, curve: stableSwap.name, tokens },
      ...{ feePips: FEE_IN_STATE, parameter: rules },
      constants: encodeRateSources(aPrecision, holdsNative, sources, undefined),
    },
    created: undefined,
  };
}
