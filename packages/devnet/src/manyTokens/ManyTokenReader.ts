import { type Address, decodeFunctionResult, type Hex, numberToHex } from "viem";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import { devnetRouterAbi } from "../contracts/familyAbis.ts";
import { ChainReader, type ChainRequest } from "../families/ChainReader.ts";
import { swapInV2 } from "./balancerV2Houses.ts";
import { swapInV3 } from "./balancerV3Houses.ts";
import { exchangeCryptoPool } from "./curveCryptoHouse.ts";
import { exchangeStable } from "./curvePlainHouse.ts";
import { coinAt, throughRouter } from "./errands.ts";
import type { ManyTokenHouse } from "./ManyTokenHouse.ts";
import type { ManyTokenKind, ManyTokenPool, ManyTokenState, PlacedSwap } from "./ManyTokenPool.ts";
import { readManyTokens } from "./readManyTokens.ts";
import { stakeHouse, vaultHouse } from "./wrapperHouses.ts";

/** How to swap in a pool of each kind. */
const SWAPS: Readonly<Record<ManyTokenKind, ManyTokenHouse["swap"]>> = {
  "balancer-v2-stable": swapInV2,
  "balancer-v2-weighted": swapInV2,
  "balancer-v3": swapInV3,
  "curve-stable": exchangeStable,
  "curve-stable-ng": exchangeStable,
  "curve-crypto": exchangeCryptoPool,
  erc4626: vaultHouse.swap,
  lido: stakeHouse.swap,
};

/** More than any swap uses. */
const CALL_GAS = "0x1dcd6500";

/** Reads a devnet's pools of many tokens from their contracts, for tests to compare with. */
export class ManyTokenReader {
  readonly #request: ChainRequest;
  readonly #contracts: FamilyContracts;
  readonly #payer: Address;

  /** `payer` must hold the tokens and have approved the devnet's router: a trader does. */
  constructor(request: ChainRequest, contracts: FamilyContracts, payer: Address) {
    this.#request = request;
    this.#contracts = contracts;
    this.#payer = payer;
  }

  /** At that block, or the newest. */
  state(pool: ManyTokenPool, blockNumber?: number): Promise<ManyTokenState> {
    const chain = new ChainReader(this.#request, blockOf(blockNumber));
    return readManyTokens(chain, pool, this.#contracts);
  }

  /** What a swap gives in place of that block; undefined where the pool reverts. */
  async quote(
    pool: ManyTokenPool,
    swap: PlacedSwap,
    blockNumber?: number,
  ): Promise<bigint | undefined> {
    const errand = SWAPS[pool.kind](pool, swap, this.#contracts);
    if (errand === undefined) return undefined;
    const { to, data, value = 0n } = throughRouter(this.#contracts.router, errand);
    const call = { from: this.#payer, to, data, value: numberToHex(value), gas: CALL_GAS };
    try {
      const answer = await this.#request("eth_call", [call, blockOf(blockNumber)]);
      const asked = { abi: devnetRouterAbi, functionName: "perform", data: answer as Hex } as const;
      const place = errand.tokens.indexOf(coinAt(pool, swap.positionOut));
      return decodeFunctionResult(asked)[place];
    } catch (cause) {
      if (/revert/i.test(String(cause))) return undefined;
      throw cause;
    }
  }
}

const blockOf = (blockNumber?: number): Hex | "latest" =>
  blockNumber === undefined ? "latest" : numberToHex(blockNumber);
