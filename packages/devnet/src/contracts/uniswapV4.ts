import { Effect } from "effect";
import { type Address, encodeAbiParameters, type Hex, keccak256, zeroAddress } from "viem";
import type { DevnetError } from "../DevnetError.ts";
import type { Node } from "../node/Node.ts";
import { creationCode, runtimeCode } from "./artifacts.ts";
import type { Deployment } from "./Deployment.ts";
import { poolKeyParameter, poolManagerAbi } from "./familyAbis.ts";

/** Uniswap V4: the contract that holds all pools, and those that read it. */
export interface UniswapV4Contracts {
  readonly poolManager: Address;
  readonly stateView: Address;
  readonly v4Quoter: Address;
}

/** A Uniswap V4 pool: its id is the hash of this key. The native token is address 0. */
export interface UniswapV4PoolKey {
  readonly currency0: Address;
  readonly currency1: Address;
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: Address;
}

export const NO_HOOKS = zeroAddress;
export const NATIVE_CURRENCY = zeroAddress;
/** Takes the place of a fee that the hook determines. */
export const DYNAMIC_FEE = 0x800000;
/**
 * Two addresses of `FeeHook.sol`. The address decides when a hook is called: the first before
 * swaps, the other after liquidity is added, which swaps never notice.
 */
export const FEE_HOOK = "0x4000000000000000000000000000000000000080";
export const LIQUIDITY_HOOK = "0x4000000000000000000000000000000000000400";

export const placeHooks = (node: Node): Effect.Effect<void, DevnetError> =>
  Effect.forEach(
    [FEE_HOOK, LIQUIDITY_HOOK],
    (hook) => node.request("hardhat_setCode", [hook, runtimeCode("feeHook")]),
    { discard: true },
  );

/**
 * The deployer owns the manager, and may set each pool's protocol fee. The manager is its first
 * contract.
 */
export function deployUniswapV4({ deployer, create, call }: Deployment): UniswapV4Contracts {
  const poolManager = create(creationCode("poolManager"), "address", [deployer]);
  const stateView = create(creationCode("stateView"), "address", [poolManager]);
  const v4Quoter = create(creationCode("v4Quoter"), "address", [poolManager]);
  call(poolManager, {
    ...{ abi: poolManagerAbi, functionName: "setProtocolFeeController", args: [deployer] },
  });
  return { poolManager, stateView, v4Quoter };
}

export const poolIdOf = (key: UniswapV4PoolKey): Hex =>
  keccak256(encodeAbiParameters([poolKeyParameter], [key]));
