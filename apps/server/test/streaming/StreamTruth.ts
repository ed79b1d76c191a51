import type { AppliedBlock } from "@millrace/core";
import type { GasPrice, GasPrices } from "@millrace/execution";
import { Effect } from "effect";
import type { Network } from "../../src/networks/Network.ts";
import type { Parameters } from "./mixedSubscriptions.ts";
import { recomputed } from "./recomputed.ts";

/** Recent gas prices that an answer on its way may still have. */
const GAS_PRICES_KEPT = 3;

/** A block that was once the newest. */
interface TrueBlock {
  readonly hash: string;
  readonly number: number;
  /** Reorganisations up to this block, its own included. */
  readonly reorganisations: number;
  readonly poolsChanged: number;
}

/**
 * Every value of the watched subscriptions, block by block. It recomputes them while the block is
 * the newest, after the feed, which follows the same market.
 */
export class StreamTruth {
  /** In the order in which they were applied; the first one was applied before. */
  readonly blocks: TrueBlock[] = [];
  readonly #network: Network;
  readonly #watched: ReadonlyMap<string, Parameters>;
  /** By key of the subscription, then by block hash. */
  readonly #values = new Map<string, Map<string, string[]>>();
  /** Key: block hash. Value: index in `blocks`. */
  readonly #places = new Map<string, number>();
  readonly #gasPrices: number[] = [];
  readonly #stop: () => void;
  #dataVersion: number;

  constructor(network: Network, watched: Iterable<Parameters>) {
    this.#network = network;
    this.#watched = new Map([...watched].map((parameters) => [keyOf(parameters), parameters]));
    for (const key of this.#watched.keys()) this.#values.set(key, new Map());
    this.#followGasPrices();
    const { data, engine } = network.market!;
    this.#dataVersion = data.version();
    const { stamp } = engine.graph;
    this.#add({ hash: stamp.hash, number: stamp.number, reorganisations: 0, poolsChanged: 0 });
    this.look();
    const unsubscribe = engine.onPart((applied) => this.#applied(applied));
    const unwatch = this.#watchTurns();
    this.#stop = () => {
      unsubscribe();
      unwatch();
    };
  }

  get newest(): TrueBlock {
    return this.blocks.at(-1)!;
  }

  /** The index in `blocks` of a hash; −1 where there was none. */
  place(hash: string): number {
    return this.#places.get(hash) ?? -1;
  }

  /**
   * The values of a subscription while the block was the newest, oldest first, as `textOf` writes
   * them.
   */
  values(parameters: Parameters, hash: string): ReadonlyArray<string> {
    return this.#values.get(keyOf(parameters))?.get(hash) ?? [];
  }

  /** Recomputes all current values. */
  look(isMeant = (_: Parameters) => true): void {
    const { hash } = this.newest;
    for (const [key, parameters] of this.#watched) {
      if (isOfBlocks(parameters) || !isMeant(parameters)) continue;
      // An answer may have used any of the recent gas prices.
      for (const price of parameters["gasAware"] === true ? this.#gasPrices : [0]) {
        const text = textOf(parameters, recomputed(this.#network, parameters, price));
        const known = this.#values.get(key)!.get(hash) ?? [];
        if (known.at(-1) !== text) this.#values.get(key)!.set(hash, [...known, text]);
      }
    }
  }

  close(): void {
    this.#stop();
  }

  #add(block: TrueBlock): void {
    this.#places.set(block.hash, this.blocks.length);
    this.blocks.push(block);
  }

  #applied({ stamp, block, changedPools }: AppliedBlock): void {
    if (this.newest.hash === stamp.hash) {
      // Published history, or a block once more.
      if (changedPools.length > 0) this.look();
      else this.#lookWhereNew();
      return;
    }
    const isReorganised = (block.orphaned?.length ?? 0) > 0;
    this.#add({
      ...{ hash: stamp.hash, number: stamp.number },
      reorganisations: this.newest.reorganisations + (isReorganised ? 1 : 0),
      poolsChanged: new Set(changedPools).size,
    });
    this.look();
  }

  #lookWhereNew(): void {
    const version = this.#network.market!.data.version();
    if (version === this.#dataVersion) return;
    this.#dataVersion = version;
    this.look(({ channel }) => channel !== "quote");
  }

  /**
   * Liquidity and volumes change once more when market data has processed a block, which it does by
   * `setImmediate`. Looks right after each such turn: the feed may publish what it brought, and the
   * next block come, before a turn of the judge's own.
   */
  #watchTurns(): () => void {
    const original = globalThis.setImmediate;
    const watched = <A extends unknown[]>(turn: (...values: A) => void, ...values: A) =>
      original(() => {
        turn(...values);
        this.#lookWhereNew();
      });
    globalThis.setImmediate = Object.defineProperties(
      watched as typeof setImmediate,
      Object.getOwnPropertyDescriptors(original),
    );
    return () => {
      globalThis.setImmediate = original;
    };
  }

  /**
   * A node gives the gas price independently of blocks: keeps each price when the service hears it.
   */
  #followGasPrices(): void {
    const market = this.#network.market! as { gasPrices: GasPrices | undefined };
    const prices = market.gasPrices!;
    market.gasPrices = {
      current: Effect.tap(prices.current, (price) => Effect.sync(() => this.#gasPriced(price))),
    };
  }

  #gasPriced({ weiPerGas }: GasPrice): void {
    const price = Number(weiPerGas);
    if (this.#gasPrices.at(-1) === price) return;
    this.#gasPrices.push(price);
    this.#gasPrices.splice(0, this.#gasPrices.length - GAS_PRICES_KEPT);
    this.look((parameters) => parameters["gasAware"] === true);
  }
}

/** Whether the value is another with every block. */
export const isOfBlocks = ({ channel }: Parameters): boolean =>
  channel === "block" || channel === "networks";

/** Equal for subscriptions with equal values; thresholds do not matter. */
function keyOf({ minChangeBps: _, ...parameters }: Parameters): string {
  return JSON.stringify(parameters);
}

/**
 * A value as text; a quote without its stamps. The stamps of a pool or a block are part of the
 * value.
 */
export function textOf({ channel }: Parameters, data: unknown): string {
  if (channel !== "quote") return JSON.stringify(data);
  return JSON.stringify(data, (key, value: unknown) => (STAMPS.includes(key) ? undefined : value));
}

const STAMPS = ["blockNumber", "blockHash", "timestamp"];
