import type { Hex } from "@millrace/protocols";
import { LIAR, POOLS, type SimulatedPool } from "./contracts.ts";
import type { VaultState } from "./poolStates.ts";
import type { SimulatedBlock } from "./SimulatedChain.ts";
import { MOVING_VAULT, STILL_VAULT, VAULT_METHODS } from "./vaultContracts.ts";
import { addressWord, hexOf, word, wordAt } from "./words.ts";

const FEE_SPAN = 900n;

/** The fee of a vault's pool at the end of a block; undefined where it cannot be read. */
export function feeAt(
  block: SimulatedBlock,
  { dex }: Pick<SimulatedPool, "dex">,
  { baseFee, burns }: VaultState,
): number | undefined {
  if (burns) return undefined;
  return dex.id === MOVING_VAULT.id ? baseFee + Number(BigInt(block.hash) % FEE_SPAN) : baseFee;
}

/** The result of a call of a vault; undefined where it reverts, or is no vault. */
export function vaultAnswer(block: SimulatedBlock, to: string, data: string): Hex | undefined {
  const input = data.slice(10);
  const pool = POOLS.find(({ id }) => id === `0x${input.slice(0, 64)}`);
  const state = pool && block.pools.get(pool.address);
  if (pool?.dex.factory !== to || state?.kind !== "vault") return undefined;
  switch (data.slice(0, 10)) {
    case VAULT_METHODS.stateOf: {
      const { reserve0, reserve1, baseFee, paused } = state;
      return hexOf(...[reserve0, reserve1, baseFee, paused ? 1 : 0].map(word));
    }
    case VAULT_METHODS.tokensOf:
      return hexOf(addressWord(pool.token0), addressWord(pool.token1));
    case VAULT_METHODS.feeOf: {
      const fee = feeAt(block, pool, state);
      return fee === undefined ? undefined : hexOf(word(fee));
    }
    case VAULT_METHODS.quoteOf: {
      const fee = feeAt(block, pool, state);
      if (fee === undefined || state.paused) return undefined;
      const { reserve0, reserve1 } = state;
      const isIn0 = wordAt(input, 1) === 0n;
      const [reserveIn, reserveOut] = isIn0 ? [reserve0, reserve1] : [reserve1, reserve0];
      const lessFee = wordAt(input, 2) * BigInt(1_000_000 - fee);
      const amountOut = (lessFee * reserveOut) / (reserveIn * 1_000_000n + lessFee);
      return hexOf(word(pool.address === LIAR ? amountOut + 1n : amountOut));
    }
    default:
      return undefined;
  }
}

export const isVault = (to: string): boolean =>
  to === STILL_VAULT.factory || to === MOVING_VAULT.factory;
