import type { Address, Dex, QuoteKind } from "@millrace/core";
import type { Permit } from "./Permit.ts";
import type { SwapIntent, SwapLeg } from "./SwapIntent.ts";
import type { SwapRefusal } from "./SwapRefusal.ts";

/** A contract that executes swaps; one adapter for each kind, bound to a network's addresses. */
export interface SwapRouter {
  readonly kind: "wrapper" | "universal-router" | "executor";
  readonly address: Address;
  /** Whom the sender approves: the router itself, or Permit2, in which the router is approved. */
  readonly allowance: "none" | "erc20" | "permit2";
  /** Which permit can replace the approval, if any. */
  readonly permitKind: PermitKind | undefined;
  /** Sets of these DEXes, by position: one swap can combine the pools of a set. */
  readonly dexSets: (kind: QuoteKind, dexes: ReadonlyArray<RoutedDex>) => ReadonlyArray<number[]>;
  /** Why this router cannot execute a swap; undefined when it can. */
  readonly obstacle: (swap: RoutedSwap) => string | undefined;
  /** The transaction of an intent without obstacle. */
  readonly encode: (intent: SwapIntent, permit?: Permit) => SwapCall;
}

export type RoutedDex = Pick<Dex, "id" | "protocol">;

/** The part of an intent that decides which routers can execute it; a quote has it too. */
export interface RoutedSwap
  extends Pick<
    SwapIntent,
    "kind" | "sender" | "recipient" | "amountIn" | "amountInMax" | "amountOut" | "fee"
  > {
  readonly paths: ReadonlyArray<{ readonly legs: ReadonlyArray<RoutedLeg> }>;
}

export type RoutedLeg = Pick<
  SwapLeg,
  "pool" | "dexId" | "protocol" | "tokenIn" | "tokenOut" | "feePips"
>;

export type PermitKind = "EIP-2612" | "PERMIT2";

/** An unsigned transaction: what it calls. `data` is lower-case hex. */
export interface SwapCall {
  readonly to: Address;
  readonly data: `0x${string}`;
  /** In wei. */
  readonly value: bigint;
}

/** The routers of a network, by configuration; see `openRouters`. */
export interface RouterTable {
  readonly chainId: number;
  readonly wrappedNative: Address;
  /** Our own contract. */
  readonly executor?: Address;
  readonly universalRouter?: {
    readonly address: Address;
    /** Later versions encode differently. */
    readonly version: "2.0";
    readonly permit2: Address;
    /**
     * The DEXes whose pools it reaches: those of the factories and the pool manager that are fixed
     * in its deployment.
     */
    readonly v2DexId?: string;
    readonly v3DexId?: string;
    readonly v4DexId?: string;
  };
}

/** A swap as built from the graph alone, without a request to a node. */
export interface BuiltSwap {
  readonly refused?: false;
  readonly intent: SwapIntent;
  readonly router: SwapRouter;
  readonly swap: SwapCall;
}

export type BuildResult = BuiltSwap | SwapRefusal;
