import type { Address } from "@millrace/core";
import { Effect, Predicate } from "effect";
import { encodeFunctionData, numberToHex, parseAbi } from "viem/utils";
import type { ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import { readWord } from "../chain/answers.ts";
import { type StateOverrides, tryContract } from "../chain/callContract.ts";
import { type BalanceKey, commonBalanceKeys, isStorageKey, recogniseKey } from "./balanceKeys.ts";

type Hex = `0x${string}`;

/** Where an owner's balance of a token is kept. */
export interface BalancePlace {
  /** The token, or a contract that keeps its balances. */
  readonly account: Address;
  readonly key: Hex;
  /** For other owners; undefined when only this one's key is known. */
  readonly keyOf: BalanceKey | undefined;
}

export interface BalanceSearch {
  readonly token: Address;
  readonly owner: Address;
  /** More than the owner has; less than 2^250. */
  readonly amount: bigint;
  /** Another holder of the token, such as a pool; its balance must not change with the owner's. */
  readonly bystander: Address | undefined;
}

type Found = Effect.Effect<BalancePlace | undefined, ChainAccessError>;

/**
 * Finds the storage slot that a state override has to change so that an owner has an amount of a
 * token: first by the layouts of most tokens, in one request, then by the slots that `balanceOf`
 * reads. Fails when no node answers.
 */
export const findBalance: (chain: ChainAccess, search: BalanceSearch) => Found = Effect.fnUntraced(
  function* (chain, search) {
    return (yield* byLayout(chain, search)) ?? (yield* byAccessList(chain, search));
  },
);

/** Each layout's key gets another amount; the token's answer tells which key it read. */
const byLayout: (chain: ChainAccess, search: BalanceSearch) => Found = Effect.fnUntraced(function* (
  chain,
  { token, owner, amount },
) {
  const keys = commonBalanceKeys.map((keyOf) => keyOf(owner));
  const stateDiff = Object.fromEntries(
    keys.map((key, place) => [key, toWord(ample(amount) + BigInt(place))]),
  );
  const balance = yield* balanceOf(chain, token, owner, { [token]: { stateDiff } });
  const place = balance === undefined ? -1n : balance - ample(amount);
  if (place < 0n || place >= BigInt(keys.length)) return undefined;
  return { account: token, key: keys[Number(place)]!, keyOf: commonBalanceKeys[Number(place)] };
});

const KEYS_MAX = 32;
const TRIALS_AT_ONCE = 8;

/** Tries each key that is read alone. Of several that fit it takes the last, the likeliest. */
const byAccessList: (chain: ChainAccess, search: BalanceSearch) => Found = Effect.fnUntraced(
  function* (chain, search) {
    const places = yield* readPlaces(chain, search);
    const fits = yield* Effect.forEach(places, (place) => isBalance(chain, search, place), {
      concurrency: TRIALS_AT_ONCE,
    });
    const found = places.findLast((_, index) => fits[index]);
    return found && { ...found, keyOf: recogniseKey(found.key, search.owner) };
  },
);

/**
 * Whether changing a key gives the owner the amount and leaves the bystander's balance as it is. A
 * token whose balances are shares of a total could read the total there.
 */
const isBalance = Effect.fnUntraced(function* (
  chain: ChainAccess,
  { token, owner, amount, bystander }: BalanceSearch,
  { account, key }: Pick<BalancePlace, "account" | "key">,
) {
  const changed = grantOf({ account, key }, amount);
  const balance = yield* balanceOf(chain, token, owner, changed);
  if (balance === undefined || balance < amount) return false;
  if (bystander === undefined) return true;
  const before = yield* balanceOf(chain, token, bystander);
  return before !== undefined && before === (yield* balanceOf(chain, token, bystander, changed));
});

/** The slots that `balanceOf` reads; none where the node cannot say. */
const readPlaces = Effect.fnUntraced(function* (
  chain: ChainAccess,
  { token, owner }: BalanceSearch,
) {
  const call = { to: token, data: balanceOfData(owner) };
  const answer = yield* chain("eth_createAccessList", [call, "latest"]).pipe(
    Effect.catchTag("ChainAccessError", (error) =>
      error.reason === "Unavailable" ? Effect.fail(error) : Effect.succeed(undefined),
    ),
  );
  const list = Predicate.hasProperty(answer, "accessList") ? answer.accessList : undefined;
  const places: Array<Pick<BalancePlace, "account" | "key">> = [];
  for (const entry of Array.isArray(list) ? list.slice(0, KEYS_MAX) : []) {
    const { address, storageKeys } = Predicate.isObject(entry) ? (entry as Entry) : {};
    if (typeof address !== "string" || !/^0x[0-9a-f]{40}$/i.test(address)) continue;
    const account = address.toLowerCase() as Address;
    for (const key of Array.isArray(storageKeys) ? storageKeys.slice(0, KEYS_MAX) : [])
      if (isStorageKey(key)) places.push({ account, key: key.toLowerCase() as Hex });
  }
  return places.slice(-KEYS_MAX);
});

interface Entry {
  readonly address?: unknown;
  readonly storageKeys?: unknown;
}

const erc20Abi = parseAbi(["function balanceOf(address owner) view returns (uint256)"]);

const balanceOfData = (owner: Address): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [owner] });

const balanceOf = (
  chain: ChainAccess,
  token: Address,
  owner: Address,
  overrides?: StateOverrides,
) =>
  Effect.map(tryContract(chain, { to: token, data: balanceOfData(owner) }, overrides), (answer) =>
    readWord(answer),
  );

/** The override by which an owner has at least an amount. */
export const grantOf = (
  { account, key }: Pick<BalancePlace, "account" | "key">,
  amount: bigint,
): StateOverrides => ({ [account]: { stateDiff: { [key]: toWord(ample(amount)) } } });

/** Twice as much: the slot may hold shares that are worth a little less. */
const ample = (amount: bigint): bigint => 2n * amount;

const toWord = (amount: bigint): Hex => numberToHex(amount, { size: 32 });
