import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Hex, keccak256 } from "viem";

const BALANCER_V2 = "@balancer-labs/v2-deployments/dist/tasks";

/**
 * Creation code of each contract, read when needed from the package that publishes it; the last
 * ones are our own.
 */
const PATHS = {
  weth9: "canonical-weth/build/contracts/WETH9.json",
  erc20: "@uniswap/v4-periphery/foundry-out/MockERC20.sol/MockERC20.json",
  v2Factory: "@uniswap/v2-core/build/UniswapV2Factory.json",
  v2Pair: "@uniswap/v2-core/build/UniswapV2Pair.json",
  v2Router02: "@uniswap/v2-periphery/build/UniswapV2Router02.json",
  forkFactory: "@pancakeswap-libs/pancake-swap-core/build/PancakeFactory.json",
  forkPair: "@pancakeswap-libs/pancake-swap-core/build/PancakePair.json",
  v3Factory: "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
  v3Pool: "@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json",
  positionManager:
    "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
  quoterV2: "@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json",
  tickLens: "@uniswap/v3-periphery/artifacts/contracts/lens/TickLens.sol/TickLens.json",
  swapRouter02:
    "@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json",
  universalRouter:
    "@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json",
  poolManager: "@uniswap/v4-periphery/foundry-out/PoolManager.sol/PoolManager.default.json",
  stateView: "@uniswap/v4-periphery/foundry-out/StateView.sol/StateView.json",
  v4Quoter: "@uniswap/v4-periphery/foundry-out/V4Quoter.sol/V4Quoter.json",
  pancakeV3Factory:
    "@pancakeswap/v3-core/artifacts/contracts/PancakeV3Factory.sol/PancakeV3Factory.json",
  pancakeV3Pool: "@pancakeswap/v3-core/artifacts/contracts/PancakeV3Pool.sol/PancakeV3Pool.json",
  algebraFactory:
    "@cryptoalgebra/integral-core/artifacts/contracts/AlgebraFactory.sol/AlgebraFactory.json",
  algebraPoolDeployer:
    "@cryptoalgebra/integral-core/artifacts/contracts/AlgebraPoolDeployer.sol/AlgebraPoolDeployer.json",
  algebraPool: "@cryptoalgebra/integral-core/artifacts/contracts/AlgebraPool.sol/AlgebraPool.json",
  algebraPluginFactory:
    "@cryptoalgebra/integral-base-plugin/artifacts/contracts/BasePluginV1Factory.sol/BasePluginV1Factory.json",
  algebraQuoterV2:
    "@cryptoalgebra/integral-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json",
  balancerV2Authorizer: `${BALANCER_V2}/20210418-authorizer/artifact/Authorizer.json`,
  balancerV2Vault: `${BALANCER_V2}/20210418-vault/artifact/Vault.json`,
  balancerV2FeesProvider: `${BALANCER_V2}/20220725-protocol-fee-percentages-provider/artifact/ProtocolFeePercentagesProvider.json`,
  balancerV2WeightedFactory: `${BALANCER_V2}/20230206-weighted-pool-v3/artifact/WeightedPoolFactory.json`,
  balancerV2StableFactory: `${BALANCER_V2}/20220609-stable-pool-v2/artifact/StablePoolFactory.json`,
  balancerV2ComposableFactory: `${BALANCER_V2}/20230206-composable-stable-pool-v3/artifact/ComposableStablePoolFactory.json`,
  balancerV3Vault: "../compiled/BalancerV3Vault.json",
  balancerV3VaultExtension: "../compiled/BalancerV3VaultExtension.json",
  balancerV3VaultAdmin: "../compiled/BalancerV3VaultAdmin.json",
  balancerV3FeeController: "../compiled/BalancerV3ProtocolFeeController.json",
  balancerV3Router: "../compiled/BalancerV3Router.json",
  balancerV3WeightedFactory: "../compiled/BalancerV3WeightedPoolFactory.json",
  balancerV3StableFactory: "../compiled/BalancerV3StablePoolFactory.json",
  stableSurge: "../compiled/StableSurge.json",
  rateProvider: "../compiled/RateProvider.json",
  hostileToken: "../compiled/HostileToken.json",
  devnetRouter: "../compiled/DevnetRouter.json",
  swapQuoter: "../compiled/SwapQuoter.json",
  feeHook: "../compiled/FeeHook.json",
  pancakeV3PoolDeployer: "../compiled/PancakeV3PoolDeployer.json",
  aerodromePool: "../compiled/AerodromePool.json",
  aerodromeFactory: "../compiled/AerodromeFactory.json",
  slipstreamPool: "../compiled/SlipstreamPool.json",
  slipstreamFactory: "../compiled/SlipstreamFactory.json",
  slipstreamFeeModule: "../compiled/SlipstreamFeeModule.json",
  shareVault: "../compiled/ShareVault.json",
  stakedToken: "../compiled/StakedToken.json",
  wrappedStake: "../compiled/WrappedStake.json",
  curveStableNg: "../compiled/CurveStableNg.json",
  curveStableNgFactory: "../compiled/CurveStableNgFactory.json",
  curveCryptoMath: "../compiled/CurveCryptoMath.json",
  curveCryptoFactory: "../compiled/CurveCryptoFactory.json",
  curveTwocrypto: "../compiled/CurveTwocrypto.json",
  curveTricrypto: "../compiled/CurveTricrypto.json",
  curvePool: "../compiled/CurvePool.json",
  curveSilentPool: "../compiled/CurveSilentPool.json",
} as const;

const PERMIT2 = "@uniswap/v4-periphery/lib/permit2/test/utils/DeployPermit2.sol";

/**
 * The files read from other packages, by package and path; they are included when this package is
 * packed.
 */
export const contractFiles: ReadonlyArray<string> = [...Object.values(PATHS), PERMIT2].filter(
  (path) => !path.startsWith("."),
);

const require = createRequire(import.meta.url);

/**
 * Files of other packages come from those packages here, and are vendored where this package is
 * installed; see `package.json`.
 */
const placeOf = (path: string) => (path.startsWith(".") ? path : `#contracts/${path}`);

/** Not imported as a module, which would stay in memory: together they are megabytes. */
const read = (contract: keyof typeof PATHS): unknown =>
  JSON.parse(readFileSync(require.resolve(placeOf(PATHS[contract])), "utf8"));

const hashes = new Map<string, Hex>();

/** keccak256 of a creation code. Takes milliseconds for a contract that creates others. */
export function creationCodeHash(contract: keyof typeof PATHS): Hex {
  const hash = hashes.get(contract) ?? keccak256(creationCode(contract));
  hashes.set(contract, hash);
  return hash;
}

/** Throws when the package is not installed. */
export function creationCode(contract: keyof typeof PATHS): Hex {
  const { bytecode } = read(contract) as { bytecode: string | { object: string } };
  const digits = typeof bytecode === "string" ? bytecode : bytecode.object;
  return digits.startsWith("0x") ? (digits as Hex) : `0x${digits}`;
}

/** The deployed code of one of our own contracts, which has no immutables. */
export const runtimeCode = (contract: "feeHook"): Hex =>
  (read(contract) as { deployedBytecode: Hex }).deployedBytecode;

/** Creation code of a Balancer V3 factory's pools, which is inside the factory's own. */
export function poolCreationCode(
  factory: "balancerV3WeightedFactory" | "balancerV3StableFactory",
): Hex {
  const { start, length } = (read(factory) as BalancerFactoryCode).poolCode;
  return `0x${creationCode(factory)
    .slice(2)
    .slice(2 * start, 2 * (start + length))}`;
}

/** Offsets are in bytes. */
interface BalancerFactoryCode {
  readonly poolCode: { readonly start: number; readonly length: number };
}

/** Permit2's deployed code, published only inside the source of a test helper. */
export function permit2Code(): Hex {
  const source = readFileSync(require.resolve(placeOf(PERMIT2)), "utf8");
  const digits = /hex"([0-9a-f]+)"/.exec(source)?.[1];
  if (digits === undefined) throw new Error(`no code in ${PERMIT2}`);
  return `0x${digits}`;
}

/** Multicall3's creation code, which viem has for calls on chains without it. */
export function multicall3CreationCode(): Hex {
  const path = join(dirname(require.resolve("viem")), "constants/contracts.js");
  return (require(path) as { multicall3Bytecode: Hex }).multicall3Bytecode;
}
