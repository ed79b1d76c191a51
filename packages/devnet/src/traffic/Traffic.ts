import { Effect, Semaphore } from "effect";
import type { Hex } from "viem";
import type { DevnetError } from "../DevnetError.ts";
import type { Market } from "../market/Market.ts";
import { makeRandom } from "../market/random.ts";
import type { Node } from "../node/Node.ts";
import { mineBlock, type Receipt, type Sending, sendSync } from "../node/transactions.ts";
import type { Action } from "./Action.ts";
import { arbitrage, arbitrageFarthest } from "./arbitrage.ts";
import { donate } from "./donation.ts";
import { donateToV4, openFamilyPosition, shrinkFamilyPosition } from "./familyPositions.ts";
import { swapInFamily } from "./familyTrades.ts";
import { makeSpots } from "./makeSpots.ts";
import { arbitrageManyTokens, changeManyTokens, swapManyTokens } from "./manyTokenTrades.ts";
import { makeOutsidePrices } from "./outsidePrices.ts";
import { addToPair, removeFromPair } from "./pairLiquidity.ts";
import { growPosition, openPosition, shrinkPosition } from "./positions.ts";
import { swapThroughPair, swapThroughRouter02, swapThroughSwapRouter02 } from "./trades.ts";
import { swapThroughUniversalRouter } from "./universalRouter.ts";
import { swapThroughV4Router } from "./v4Router.ts";

/** Simulated activity on a devnet, determined by its seed and the state of the chain. */
export interface Traffic {
  /** One action, as a transaction and a block of its own. */
  readonly step: Effect.Effect<Done, DevnetError>;
  /**
   * One block of so many actions, all decided before it; some may come too late, and revert.
   * Orderly traffic adds arbitrageurs.
   */
  readonly block: (actions: number) => Effect.Effect<ReadonlyArray<Done>, DevnetError>;
  /**
   * Drops the last `depth` blocks, slightly more than 64 at most, and makes as many empty ones;
   * never during an action. The dropped transactions do not return.
   */
  readonly reorganise: (depth: number) => Effect.Effect<void, DevnetError>;
}

/** The outcome of an action. */
interface Done {
  readonly kind: ActionKind;
  readonly transactionHash: Hex;
  readonly blockNumber: number;
  readonly succeeded: boolean;
}

type ActionKind = keyof typeof ACTIONS;

/** Kinds of actions, with relative frequencies. */
const ACTIONS = {
  router02: { weight: 14, action: swapThroughRouter02 },
  swapRouter02: { weight: 18, action: swapThroughSwapRouter02 },
  universalRouter: { weight: 14, action: swapThroughUniversalRouter },
  pair: { weight: 8, action: swapThroughPair },
  arbitrage: { weight: 30, action: arbitrage },
  addToPair: { weight: 3, action: addToPair },
  removeFromPair: { weight: 3, action: removeFromPair },
  donate: { weight: 1, action: donate },
  openPosition: { weight: 5, action: openPosition },
  growPosition: { weight: 2, action: growPosition },
  shrinkPosition: { weight: 5, action: shrinkPosition },
  family: { weight: 30, action: swapInFamily, ofFamilies: true },
  moreArbitrage: { weight: 60, action: arbitrage, ofFamilies: true },
  uniswapV4: { weight: 8, action: swapThroughV4Router, ofFamilies: true },
  openFamilyPosition: { weight: 7, action: openFamilyPosition, ofFamilies: true },
  shrinkFamilyPosition: { weight: 7, action: shrinkFamilyPosition, ofFamilies: true },
  donateToV4: { weight: 1, action: donateToV4, ofFamilies: true },
  manyTokens: { weight: 18, action: swapManyTokens, ofFamilies: true },
  manyTokenArbitrage: { weight: 18, action: arbitrageManyTokens, ofFamilies: true },
  manyTokenLiquidity: { weight: 8, action: changeManyTokens, ofFamilies: true },
} as const satisfies Record<
  string,
  {
    readonly weight: number;
    readonly action: Action;
    /** Only with further families. */
    readonly ofFamilies?: boolean;
  }
>;

/** How much of a step the outside prices of an orderly market move at a time. */
const ORDERLY_PACE = 1 / 200;
/** Pools that arbitrage brings back in a block of orderly traffic, beside its actions. */
const ARBITRAGES_MAX = 3;

/** Orderly traffic keeps the prices of pools together, within their fees. */
export const makeTraffic: (
  node: Node,
  market: Market,
  seed: number,
  isOrderly: boolean,
) => Effect.Effect<Traffic> = Effect.fnUntraced(function* (node, market, seed, isOrderly) {
  const random = { ...makeRandom(seed ^ market.plan.chainId), isOrderly };
  const prices = makeOutsidePrices(market.tokens, random, isOrderly ? ORDERLY_PACE : 1);
  const kinds = kindsOf(market);
  const readSpots = makeSpots(node, market);
  const one = (yield* Semaphore.make(1)).withPermits(1);
  /** Decides the next actions; draws again where one has nothing to do. */
  const decide = Effect.fnUntraced(function* (count: number) {
    const spots = yield* readSpots;
    const decided: Decided[] = [];
    while (decided.length < count) {
      prices.wander();
      const kind = random.pick(kinds);
      const trader = random.pick(market.traders);
      const { priceUsd } = prices;
      const situation = { node, market, random, trader, spots, priceUsd };
      const transaction = yield* ACTIONS[kind].action(situation);
      if (transaction !== undefined) decided.push({ kind, from: trader.address, transaction });
    }
    return decided;
  });
  const step = Effect.gen(function* () {
    const [decided] = yield* decide(1);
    return toDone(decided!.kind, yield* sendSync(node, decided!));
  });
  const arbitrageurs = Effect.gen(function* () {
    const trader = random.pick(market.traders);
    const spots = yield* readSpots;
    const { priceUsd } = prices;
    const situation = { node, market, random, trader, spots, priceUsd };
    return arbitrageFarthest(situation, ARBITRAGES_MAX).map(
      (transaction): Decided => ({ kind: "arbitrage", from: trader.address, transaction }),
    );
  });
  const block = Effect.fnUntraced(function* (actions: number) {
    // First in the block, so that arbitrageurs meet the prices that they decided by.
    const decided = [...(isOrderly ? yield* arbitrageurs : []), ...(yield* decide(actions))];
    const receipts = yield* mineBlock(node, decided);
    return receipts.flatMap((receipt, index) =>
      receipt === null ? [] : [toDone(decided[index]!.kind, receipt)],
    );
  });
  return {
    step: one(step),
    block: (actions) => one(block(actions)),
    reorganise: (depth) => one(node.request("anvil_reorg", [depth, []])),
  };
});

/** An action for the next block. */
type Decided = Sending & { readonly kind: ActionKind };

/** Each kind as often as its weight. */
const kindsOf = ({ families }: Market): ReadonlyArray<ActionKind> =>
  (Object.keys(ACTIONS) as ReadonlyArray<ActionKind>).flatMap((kind) => {
    const action = ACTIONS[kind];
    const isLeftOut = "ofFamilies" in action && families === undefined;
    return Array.from({ length: isLeftOut ? 0 : action.weight }, () => kind);
  });

const toDone = (kind: ActionKind, { transactionHash, blockNumber, status }: Receipt): Done => ({
  ...{ kind, transactionHash },
  blockNumber: Number(blockNumber),
  succeeded: status === "0x1",
});
