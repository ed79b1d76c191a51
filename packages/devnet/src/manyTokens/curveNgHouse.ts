import { encodeFunctionData, type Hex, zeroAddress } from "viem";
import { curveNgPoolAbi as abi, curveNgFactoryAbi } from "../contracts/curveAbis.ts";
import { exchangeStable, quoteStable } from "./curvePlainHouse.ts";
import { drawLiquidityChange } from "./drawLiquidityChange.ts";
import type { ManyTokenHouse } from "./ManyTokenHouse.ts";

interface NgTerms {
  readonly amplification: bigint;
  /** In 1/10^10: the fee, and its multiplier out of balance. */
  readonly fee: bigint;
  readonly offpegFeeMultiplier: bigint;
}

/** The factory's number for this type of coin. */
const PLAIN = 0;
const ORACLE = 1;
const VAULT = 3;
/** Selector by which a staked-ether token gives its rate. */
export const STAKE_RATE: Hex = "0x035faf82";
const NO_SELECTOR: Hex = "0x00000000";

/** Pools of StableSwap-NG: vault shares have rates, and staked ether gives its own. */
export const curveNgHouse = ({
  amplification,
  fee,
  offpegFeeMultiplier,
}: NgTerms): ManyTokenHouse => ({
  kind: "curve-stable-ng",
  create: ({ deployment, families, nextOf }, tokens) => {
    const factory = families.curve.stableNgFactory;
    const kinds = tokens.map(({ wraps }) => wraps?.kind);
    const name = tokens.map(({ symbol }) => symbol).join("/");
    deployment.call(factory, {
      abi: curveNgFactoryAbi,
      functionName: "deploy_plain_pool",
      args: [
        ...([name, name] as const),
        tokens.map(({ address }) => address),
        ...([amplification, fee, offpegFeeMultiplier] as const),
        kinds.map((kind) => (kind === "stake" ? ORACLE : kind === "shares" ? VAULT : PLAIN)),
        kinds.map((kind) => (kind === "stake" ? STAKE_RATE : NO_SELECTOR)),
        tokens.map(({ address }, at) => (kinds[at] === "stake" ? address : zeroAddress)),
      ],
    });
    const address = nextOf(factory);
    return { address, id: address };
  },
  fill: ({ address: target, tokens }, amounts) => ({
    ...{ target, tokens, amounts },
    data: encodeFunctionData({ abi, functionName: "add_liquidity", args: [amounts, 0n] }),
  }),
  swap: exchangeStable,
  quote: quoteStable,
  change: ({ address: target, tokens }, situation) => {
    const change = drawLiquidityChange(situation);
    if (change === undefined) return undefined;
    const nothing = tokens.map(() => 0n);
    switch (change.kind) {
      case "add": {
        const args = [change.amounts, 0n] as const;
        const data = encodeFunctionData({ abi, functionName: "add_liquidity", args });
        return { target, data, tokens, amounts: change.amounts };
      }
      case "remove": {
        const args = [change.shares, nothing] as const;
        const data = encodeFunctionData({ abi, functionName: "remove_liquidity", args });
        return { target, data, tokens, amounts: nothing };
      }
      case "removeOne": {
        const functionName = "remove_liquidity_one_coin";
        const args = [change.shares, BigInt(change.position), 0n] as const;
        const data = encodeFunctionData({ abi, functionName, args });
        return { target, data, tokens, amounts: nothing };
      }
    }
  },
});
