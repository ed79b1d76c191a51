import type { Address } from "viem";
import { creationCode } from "./artifacts.ts";
import type { Contracts } from "./Contracts.ts";
import type { Deployment } from "./Deployment.ts";

/** Balancer V3 from its published sources, and a hook of our own: see `StableSurge.sol`. */
export interface BalancerV3Contracts {
  readonly vault: Address;
  readonly router: Address;
  readonly weightedFactory: Address;
  readonly stableFactory: Address;
  readonly surgeHook: Address;
  /** The router pulls payments through it. */
  readonly permit2: Address;
}

const YEAR = 365 * 86_400;
const PAUSE_WINDOW = 4 * YEAR;
const PAUSE_BUFFER = 86_400 * 90;
/** As on Ethereum: least amounts of swaps and wraps, with 18 decimals. */
const TRADE_MIN = 1_000_000n;
const WRAP_MIN = 10_000n;
/** Protocol's share of swap fees and of yields. */
const PROTOCOL_FEE_E18 = 5n * 10n ** 17n;
const YIELD_FEE_E18 = 10n ** 17n;
const SURGE_MAX_E18 = 5n * 10n ** 16n;
const SURGE_THRESHOLD_E18 = 10n ** 17n;
const VERSION = "1";

interface Surroundings extends Pick<Contracts, "wrappedNative" | "permit2"> {
  /** Balancer V2's authorizer, which answers the same calls. */
  readonly authorizer: Address;
  /** May change the hook's fees. */
  readonly manager: Address;
}

/** The Vault's parts get its address before it is deployed. */
export function deployBalancerV3(
  { create, createdAfter }: Deployment,
  { wrappedNative, permit2, authorizer, manager }: Surroundings,
): BalancerV3Contracts {
  const planned = createdAfter(3);
  const admin = create(
    creationCode("balancerV3VaultAdmin"),
    "address, uint32, uint32, uint256, uint256",
    [planned, PAUSE_WINDOW, PAUSE_BUFFER, TRADE_MIN, WRAP_MIN],
  );
  const extension = create(creationCode("balancerV3VaultExtension"), "address, address", [
    ...[planned, admin],
  ]);
  const feeController = create(
    creationCode("balancerV3FeeController"),
    "address, uint256, uint256",
    [planned, PROTOCOL_FEE_E18, YIELD_FEE_E18],
  );
  const vault = create(creationCode("balancerV3Vault"), "address, address, address", [
    ...[extension, authorizer, feeController],
  ]);
  const router = create(creationCode("balancerV3Router"), "address, address, address, string", [
    ...[vault, wrappedNative, permit2, VERSION],
  ]);
  const factory = (code: "balancerV3WeightedFactory" | "balancerV3StableFactory") =>
    create(creationCode(code), "address, uint32, string, string", [
      ...[vault, PAUSE_WINDOW, VERSION, VERSION],
    ]);
  const weightedFactory = factory("balancerV3WeightedFactory");
  const stableFactory = factory("balancerV3StableFactory");
  const surgeHook = create(creationCode("stableSurge"), "address, address, uint256, uint256", [
    vault,
    manager,
    SURGE_MAX_E18,
    SURGE_THRESHOLD_E18,
  ]);
  return { vault, router, weightedFactory, stableFactory, surgeHook, permit2 };
}
