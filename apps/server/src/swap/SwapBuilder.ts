import type { SwapRequest } from "@millrace/api";
import type { Address } from "@millrace/core";
import {
  type ApprovalTerms,
  type BuildResult,
  buildSwap,
  type ChainAccess,
  type SwapIntent,
  type SwapOrder,
} from "@millrace/execution";
import { Effect } from "effect";
import type { Answer } from "../answers/Answer.ts";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import type { NetworkRouters } from "../networks/NetworkRouters.ts";
import { tokenRefusal } from "../networks/tokenSafety.ts";
import { addressSet } from "../networks/withoutTokens.ts";
import { notReady } from "../quote/refusals.ts";
import { orderOf } from "./orderOf.ts";
import { noRouters } from "./refusals.ts";

/** A network for which transactions can be built now. */
export class SwapBuilder {
  readonly network: Network;
  readonly routers: NetworkRouters;
  /** Undefined where no node can be asked. */
  readonly chain: ChainAccess | undefined;
  readonly #market: NetworkMarket;
  readonly #nowSeconds: number;

  private constructor(
    network: Network,
    market: NetworkMarket,
    routers: NetworkRouters,
    nowSeconds: number,
  ) {
    this.network = network;
    this.routers = routers;
    this.chain = market.chain;
    this.#market = market;
    this.#nowSeconds = nowSeconds;
  }

  /** The builder, or an answer where transactions cannot be built. */
  static open(network: Network, nowMs: number): SwapBuilder | Answer {
    const obstacle = network.obstacle(nowMs);
    const { market } = network;
    if (obstacle !== undefined || market === undefined) return notReady(network, obstacle);
    const { routers, engine } = market;
    if (routers === undefined) return noRouters(network);
    // Deadlines are measured with the chain's clock, which may be ahead of ours.
    const aheadMs = Math.max(nowMs, engine.graph.stamp.timestampMs);
    return new SwapBuilder(network, market, routers, Math.floor(aheadMs / 1_000));
  }

  /** Checks the routers again, at most once a block; nothing where no node can be asked. */
  get routerCheck(): Effect.Effect<void> {
    return this.#market.routerCheck ?? Effect.void;
  }

  orderOf(request: SwapRequest): SwapOrder {
    return orderOf(request, this.routers.table.wrappedNative);
  }

  /** Throws where the built transaction is not as intended: a bug, never the order's fault. */
  build(order: SwapOrder): BuildResult {
    const { table, routers, forbiddenRecipients } = this.routers;
    return buildSwap(order, {
      engine: this.#market.engine,
      wrappedNative: table.wrappedNative,
      forbiddenRecipients,
      nowSeconds: this.#nowSeconds,
      gasLimit: this.network.config.gasLimit,
      table,
      routers,
    });
  }

  /** Why a swap may fail because of its tokens: see the function `tokenRefusal`. */
  tokenRefusal(intent: SwapIntent): string | undefined {
    return tokenRefusal(this.#market.verdicts, intent);
  }

  approvalTerms(chain: ChainAccess | undefined): ApprovalTerms {
    const resetTokens: ReadonlySet<Address> = addressSet(this.network.config.approvalResetTokens);
    // A router may be left out after a swap has been built for it: its addresses stay the same.
    const terms = { table: this.routers.configured, resetTokens };
    return chain === undefined ? terms : { ...terms, chain };
  }
}
