import { type Address, FEE_IN_STATE } from "@millrace/core";
import type { ChainDex, Hex } from "@millrace/protocols";
import { concentratedLiquidity, constantProduct } from "@millrace/protocols";
import {
  encodeAbiParameters,
  encodePacked,
  getCreate2Address,
  keccak256,
  stringToHex,
  toEventSelector,
  toFunctionSelector,
  toHex,
} from "viem";
import { MOVING_VAULT, STILL_VAULT, vaultPoolId } from "./vaultContracts.ts";

/** The contracts of the simulated chain, equal in every run, so that hashes are computed once. */
export const CHAIN_ID = 7_001;

/** Results of `decimals`, `symbol` and `name`: ABI-encoded, or undefined where they revert. */
export interface SimulatedToken {
  readonly address: Address;
  readonly decimals: number;
  readonly symbol: Hex | undefined;
  readonly name: Hex | undefined;
}

export interface SimulatedPool {
  readonly address: Address;
  readonly dex: ChainDex;
  readonly token0: Address;
  readonly token1: Address;
  readonly feePips: number;
  readonly kind: "pair" | "book" | "vault";
  /** 0 for all but books. */
  readonly tickSpacing: number;
  /** Of a vault's pool; its address is the start of the id. */
  readonly id?: Hex;
  /** Its creation log has neither tokens nor state. */
  readonly hidden?: boolean;
}

const string = (text: string) => encodeAbiParameters([{ type: "string" }], [text]);
const bytes32 = (text: string) => stringToHex(text, { size: 32 });
const address = (label: string) => `0x${keccak256(toHex(label)).slice(26)}` as Address;

/** Ascending by address, as pools sort their tokens. */
export const TOKENS: ReadonlyArray<SimulatedToken> = [
  { decimals: 18, symbol: string("WETH"), name: string("Wrapped Ether") },
  { decimals: 6, symbol: string("USDC"), name: string("USD Coin") },
  { decimals: 18, symbol: bytes32("MKR"), name: bytes32("Maker") },
  { decimals: 8, symbol: undefined, name: undefined },
  { decimals: 0, symbol: string("\u202eCSDU\u0000\u0007"), name: string("x".repeat(300)) },
  { decimals: 24, symbol: "0x" as Hex, name: `0x${"ff".repeat(96)}` as Hex },
]
  .map((token, index) => ({ ...token, address: address(`token ${index}`) }))
  .sort((a, b) => (a.address < b.address ? -1 : 1));

/** Addresses that no configuration knows, whose logs look like those of pools and factories. */
export const STRANGERS: ReadonlyArray<Address> = [0, 1, 2].map((index) =>
  address(`stranger ${index}`),
);

const PAIR_DEX = {
  id: "SIMULATED_V2",
  name: "Simulated V2",
  protocol: constantProduct.name,
  factory: address("pair factory"),
  initCodeHash: keccak256(toHex("pair")),
  feePips: 3000,
  startBlock: 0,
};

/** Without an init code hash, so that its factory is trusted. */
const FORK_DEX = {
  id: "FORKED_V2",
  name: "Forked V2",
  protocol: constantProduct.name,
  factory: address("forked factory"),
  feePips: 2500,
  startBlock: 0,
};

const BOOK_DEX = {
  id: "SIMULATED_V3",
  name: "Simulated V3",
  protocol: concentratedLiquidity.name,
  factory: address("book factory"),
  deployer: address("book deployer"),
  initCodeHash: keccak256(toHex("book")),
  startBlock: 0,
};

export const DEXES: ReadonlyArray<ChainDex> = [
  PAIR_DEX,
  FORK_DEX,
  BOOK_DEX,
  STILL_VAULT,
  MOVING_VAULT,
];

/** Every pool that may ever be created. */
export const POOLS: ReadonlyArray<SimulatedPool> = [
  pair(PAIR_DEX, 0, 1),
  pair(PAIR_DEX, 1, 2),
  pair(FORK_DEX, 0, 1),
  pair(FORK_DEX, 3, 4),
  book(0, 1, 10_000, 200),
  book(0, 2, 10_000, 200),
  book(1, 5, 3_000, 60),
  book(0, 1, 30_000, 2_000),
  vaultPool(STILL_VAULT, 0, 1),
  vaultPool(STILL_VAULT, 0, 2),
  vaultPool(STILL_VAULT, 2, 3, true),
  vaultPool(MOVING_VAULT, 0, 1),
  vaultPool(MOVING_VAULT, 1, 2),
  vaultPool(MOVING_VAULT, 1, 5, true),
];

/** The pool of a vault that lies: its quotes are one unit too high. */
export const LIAR = POOLS[9]!.address;

function pair(
  dex: ChainDex & { readonly feePips: number; readonly initCodeHash?: Hex },
  first: number,
  second: number,
): SimulatedPool {
  const token0 = TOKENS[first]!.address;
  const token1 = TOKENS[second]!.address;
  const salt = keccak256(encodePacked(["address", "address"], [token0, token1]));
  const bytecodeHash = dex.initCodeHash ?? keccak256(toHex("forked pair"));
  const at = getCreate2Address({ from: dex.factory, salt, bytecodeHash });
  const made = at.toLowerCase() as Address;
  const { feePips } = dex;
  return { address: made, dex, token0, token1, feePips, kind: "pair", tickSpacing: 0 };
}

function vaultPool(dex: ChainDex, first: number, second: number, hidden = false): SimulatedPool {
  const id = vaultPoolId(`${dex.id} ${first} ${second}`);
  return {
    ...{ address: id.slice(0, 42) as Address, id, dex, hidden },
    ...{ token0: TOKENS[first]!.address, token1: TOKENS[second]!.address },
    ...{ feePips: FEE_IN_STATE, kind: "vault", tickSpacing: 0 },
  };
}

function book(first: number, second: number, feePips: number, tickSpacing: number): SimulatedPool {
  const token0 = TOKENS[first]!.address;
  const token1 = TOKENS[second]!.address;
  const salt = keccak256(
    encodeAbiParameters(
      [{ type: "address" }, { type: "address" }, { type: "uint24" }],
      [token0, token1, feePips],
    ),
  );
  const { deployer, initCodeHash } = BOOK_DEX;
  const at = getCreate2Address({ from: deployer, salt, bytecodeHash: initCodeHash });
  const made = at.toLowerCase() as Address;
  return { address: made, dex: BOOK_DEX, token0, token1, feePips, kind: "book", tickSpacing };
}

/** First topics. */
export const TOPICS = {
  pairCreated: toEventSelector("PairCreated(address,address,address,uint256)"),
  sync: toEventSelector("Sync(uint112,uint112)"),
  pairSwap: toEventSelector("Swap(address,uint256,uint256,uint256,uint256,address)"),
  pairMint: toEventSelector("Mint(address,uint256,uint256)"),
  pairBurn: toEventSelector("Burn(address,uint256,uint256,address)"),
  transfer: toEventSelector("Transfer(address,address,uint256)"),
  poolCreated: toEventSelector("PoolCreated(address,address,uint24,int24,address)"),
  initialize: toEventSelector("Initialize(uint160,int24)"),
  mint: toEventSelector("Mint(address,address,int24,int24,uint128,uint256,uint256)"),
  burn: toEventSelector("Burn(address,int24,int24,uint128,uint256,uint256)"),
  collect: toEventSelector("Collect(address,address,int24,int24,uint128,uint128)"),
  swap: toEventSelector("Swap(address,address,int256,int256,uint160,uint128,int24)"),
} as const;

const SIGNATURES = [
  "getReserves()",
  "token0()",
  "token1()",
  "factory()",
  "fee()",
  "tickSpacing()",
  "slot0()",
  "liquidity()",
  "tickBitmap(int16)",
  "ticks(int24)",
  "name()",
  "symbol()",
  "decimals()",
  "totalSupply()",
  "getPair(address,address)",
  "getPool(address,address,uint24)",
  "aggregate3((address,bool,bytes)[])",
  "getBlockNumber()",
] as const;

export type Signature = (typeof SIGNATURES)[number];

/** Signatures by their selector, four bytes. */
export const METHODS: ReadonlyMap<string, Signature> = new Map(
  SIGNATURES.map((signature) => [toFunctionSelector(signature) as string, signature]),
);

export const MULTICALL: Address = "0xca11bde05977b3631167028862be2a173976ca11";
