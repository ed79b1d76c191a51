import type { Address } from "@millrace/core";
import { concat, keccak256, numberToHex, pad } from "viem/utils";

type Hex = `0x${string}`;

/** The storage key of an owner's balance, in tokens of one layout. */
export type BalanceKey = (owner: Address) => Hex;

const word = (value: number | Hex): Hex =>
  typeof value === "number" ? numberToHex(value, { size: 32 }) : pad(value, { size: 32 });

/** `mapping(address => uint256)` of Solidity in a slot: keccak256(owner . slot). */
const solidity =
  (slot: number | Hex): BalanceKey =>
  (owner) =>
    keccak256(concat([word(owner), word(slot)]));

/** `HashMap[address, uint256]` of Vyper: keccak256(slot . owner). */
const vyper =
  (slot: number): BalanceKey =>
  (owner) =>
    keccak256(concat([word(slot), word(owner)]));

/** ERC-7201 location of "openzeppelin.storage.ERC20", whose first member is the balances. */
const OPENZEPPELIN_V5 = "0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00";

/** Solady: keccak256 of the owner's 20 bytes and its seed in 12. */
const solady: BalanceKey = (owner) => keccak256(concat([owner, pad("0x87a211a2", { size: 12 })]));

const SLOTS = 21;
/** Upgradeable contracts keep 50 slots for each of their ancestors. */
const SLOTS_RECOGNISED = 256;

const mappings = (from: number, to: number): ReadonlyArray<BalanceKey> =>
  Array.from({ length: to - from }, (_, place) => from + place).flatMap((slot) => [
    solidity(slot),
    vyper(slot),
  ]);

/** The layouts of most tokens. */
export const commonBalanceKeys: ReadonlyArray<BalanceKey> = [
  ...mappings(0, SLOTS),
  ...[solidity(OPENZEPPELIN_V5), solady],
];

const rareBalanceKeys = mappings(SLOTS, SLOTS_RECOGNISED);

/** The known layout in which an owner's balance has a key; undefined when there is none. */
export const recogniseKey = (key: Hex, owner: Address): BalanceKey | undefined =>
  [...commonBalanceKeys, ...rareBalanceKeys].find((keyOf) => keyOf(owner) === key);

/** Whether an untrusted value is a storage key. */
export const isStorageKey = (raw: unknown): raw is Hex =>
  typeof raw === "string" && /^0x[0-9a-f]{64}$/i.test(raw);
