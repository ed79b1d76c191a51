import {
  type Address,
  encodeAbiParameters,
  encodePacked,
  getCreate2Address,
  type Hex,
  keccak256,
  parseAbiParameters,
} from "viem";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import { NO_HOOKS, poolIdOf } from "../contracts/uniswapV4.ts";
import type { FamilyPool } from "../families/FamilyPool.ts";
import type { FamilyCode, PoolPlan } from "./networks.ts";

/** The address of a pool of a further family, with its tokens in their order. */
export function locateFamilyPool(
  dexCode: FamilyCode,
  plan: PoolPlan,
  token0: Address,
  token1: Address,
  contracts: FamilyContracts,
): FamilyPool {
  const tokens = { token0, token1 };
  const at = (factory: Address, salted: Hex, bytecodeHash: Hex) => {
    const create2 = { from: factory, salt: keccak256(salted), bytecodeHash };
    const address = getCreate2Address(create2).toLowerCase() as Address;
    return { ...tokens, address, id: address };
  };
  switch (dexCode) {
    case "v4": {
      const hooks = plan.hooks ?? NO_HOOKS;
      const named = { fee: plan.feePips!, tickSpacing: plan.tickSpacing!, hooks };
      const id = poolIdOf({ currency0: token0, currency1: token1, ...named });
      const address = contracts.uniswapV4.poolManager;
      return { family: "uniswap-v4", address, id, ...tokens, ...named };
    }
    case "pancakeV3": {
      const { poolDeployer, initCodeHash } = contracts.pancakeV3;
      const salted = encodeAbiParameters(BY_FEE, [token0, token1, plan.feePips!]);
      const named = { fee: plan.feePips!, tickSpacing: plan.tickSpacing! };
      return { family: "pancake-v3", ...at(poolDeployer, salted, initCodeHash), ...named };
    }
    case "algebra": {
      const { poolDeployer, initCodeHash } = contracts.algebra;
      const salted = encodeAbiParameters(BY_TOKENS, [token0, token1]);
      const placed = at(poolDeployer, salted, initCodeHash);
      return { family: "algebra-integral", ...placed, tickSpacing: ALGEBRA_SPACING };
    }
    case "slipstream": {
      const { factory, initCodeHash } = contracts.slipstream;
      const tickSpacing = plan.tickSpacing!;
      const salted = encodeAbiParameters(BY_SPACING, [token0, token1, tickSpacing]);
      return { family: "slipstream", ...at(factory, salted, initCodeHash), tickSpacing };
    }
    case "aerodrome": {
      const { factory, initCodeHash } = contracts.aerodrome;
      const isStable = plan.isStable ?? false;
      const salted = encodePacked(["address", "address", "bool"], [token0, token1, isStable]);
      const family = isStable ? "aerodrome-stable" : "aerodrome-volatile";
      return { family, ...at(factory, salted, initCodeHash) };
    }
  }
}

/** Tick spacing of all pools, unless somebody changes it. */
const ALGEBRA_SPACING = 60;

const BY_FEE = parseAbiParameters("address, address, uint24");
const BY_TOKENS = parseAbiParameters("address, address");
const BY_SPACING = parseAbiParameters("address, address, int24");
