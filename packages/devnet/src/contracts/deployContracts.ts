import { Effect } from "effect";
import { type Address, getContractAddress, type Hex, zeroAddress } from "viem";
import type { DevnetError } from "../DevnetError.ts";
import type { TokenPlan } from "../market/networks.ts";
import type { Node } from "../node/Node.ts";
import type { Transaction } from "../node/transactions.ts";
import { v3FactoryAbi } from "./abis.ts";
import {
  creationCode,
  creationCodeHash,
  multicall3CreationCode,
  permit2Code,
} from "./artifacts.ts";
import type { Contracts } from "./Contracts.ts";
import { type Deployment, deployData, makeDeployment } from "./Deployment.ts";

/** Addresses that are the same on every chain. */
export const CANONICAL_CONTRACTS = {
  multicall3: "0xca11bde05977b3631167028862be2a173976ca11",
  permit2: "0x000000000022d473030f116ddee9f6b43ac78ba3",
} as const;

/** keccak256 of the creation code of each factory's pools. */
export interface InitCodeHashes {
  readonly v2: Hex;
  readonly fork: Hex;
  readonly v3: Hex;
}

export const initCodeHashes = (): InitCodeHashes => ({
  v2: creationCodeHash("v2Pair"),
  fork: creationCodeHash("forkPair"),
  v3: creationCodeHash("v3Pool"),
});

/** Puts Permit2 and Multicall3 at their canonical addresses, since nobody here has their keys. */
export const placeCanonical: (node: Node) => Effect.Effect<void, DevnetError> = Effect.fnUntraced(
  function* (node) {
    const runtime = yield* node.request<Hex>("eth_call", [{ data: multicall3CreationCode() }]);
    yield* node.request("hardhat_setCode", [CANONICAL_CONTRACTS.multicall3, runtime]);
    yield* node.request("hardhat_setCode", [CANONICAL_CONTRACTS.permit2, permit2Code()]);
  },
);

/** The first contract that a deployer creates. */
export const wrappedNativeOf = (deployer: Address): Address =>
  getContractAddress({ from: deployer, nonce: 0n }).toLowerCase() as Address;

/**
 * The transactions of a deployer without history that make all DEXes, and the addresses of their
 * contracts: CREATE derives them from the sender's nonce. The Universal Router uses Uniswap V4
 * where there is one.
 */
export function deployContracts(
  deployer: Address,
  hashes: InitCodeHashes,
  uniswapV4: { readonly poolManager: Address } = { poolManager: zeroAddress },
): { readonly contracts: Contracts; readonly transactions: ReadonlyArray<Transaction> } {
  const { create, call, transactions } = makeDeployment(deployer);
  const wrappedNative = create(creationCode("weth9"));
  const v2Factory = create(creationCode("v2Factory"), "address", [deployer]);
  const v2SisterFactory = create(creationCode("v2Factory"), "address", [deployer]);
  const v2ForkFactory = create(creationCode("forkFactory"), "address", [deployer]);
  const v3Factory = create(creationCode("v3Factory"));
  const router = (factory: Address) =>
    create(creationCode("v2Router02"), "address, address", [factory, wrappedNative]);
  const v2Router = router(v2Factory);
  const v2SisterRouter = router(v2SisterFactory);
  // No descriptor: it would only draw pictures of positions.
  const positionManager = create(creationCode("positionManager"), "address, address, address", [
    v3Factory,
    wrappedNative,
    zeroAddress,
  ]);
  const quoterV2 = create(creationCode("quoterV2"), "address, address", [v3Factory, wrappedNative]);
  const tickLens = create(creationCode("tickLens"));
  const swapRouter02 = create(creationCode("swapRouter02"), "address, address, address, address", [
    v2Factory,
    v3Factory,
    positionManager,
    wrappedNative,
  ]);
  const v4 = [uniswapV4.poolManager, positionManager, zeroAddress];
  const universalRouter = create(
    creationCode("universalRouter"),
    "address, address, address, address, bytes32, bytes32, address, address, address",
    [CANONICAL_CONTRACTS.permit2, wrappedNative, v2Factory, v3Factory, hashes.v2, hashes.v3, ...v4],
  );
  const contracts = {
    ...CANONICAL_CONTRACTS,
    ...{ wrappedNative, v2Factory, v2Router, v2SisterFactory, v2SisterRouter, v2ForkFactory },
    ...{ v3Factory, positionManager, quoterV2, tickLens, swapRouter02, universalRouter },
  } satisfies Contracts;
  // The factory starts with 500, 3000 and 10000 only.
  call(v3Factory, { abi: v3FactoryAbi, functionName: "enableFeeAmount", args: [100, 1] });
  return { contracts, transactions };
}

/**
 * Deploys tokens whose `mint` is open to everybody, and wrappers, with the nonces after
 * `deployContracts`. Staked tokens come from the families' deployment.
 */
export function deployTokens(
  deployer: Address,
  nonce: number,
  tokens: ReadonlyArray<TokenPlan>,
  families?: Deployment,
): {
  readonly addresses: ReadonlyArray<Address>;
  readonly transactions: ReadonlyArray<Transaction>;
} {
  const addresses = tokens.map(
    (_, index) =>
      getContractAddress({ from: deployer, nonce: BigInt(nonce + index) }).toLowerCase() as Address,
  );
  const codeOf = ({ name, symbol, decimals, wraps }: TokenPlan): Hex => {
    if (wraps === undefined || families === undefined) {
      const named = [name, symbol, decimals];
      return deployData(creationCode("erc20"), "string, string, uint8", named);
    }
    const [code, behind] =
      wraps.kind === "shares"
        ? ([
            "shareVault",
            addresses[tokens.findIndex(({ symbol }) => symbol === wraps.asset)],
          ] as const)
        : (["wrappedStake", families.create(creationCode("stakedToken"))] as const);
    return deployData(creationCode(code), "string, string, address", [name, symbol, behind]);
  };
  return { addresses, transactions: tokens.map((token) => ({ data: codeOf(token) })) };
}
