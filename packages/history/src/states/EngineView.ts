import {
  type Address,
  bookOf,
  type Curve,
  type Engine,
  isPoolId,
  type PoolId,
  type PoolIndex,
  type PoolListing,
  type PoolState,
  poolKey,
  type TokenIndex,
} from "@millrace/core";
import type { StateDraft } from "./StateDraft.ts";

export interface RecordedMarketOptions {
  readonly engine: Pick<Engine["Service"], "graph" | "tokenListing" | "totalSupply" | "onPart">;
  /** The curves that the engine was made with. */
  readonly curves: ReadonlyArray<Pick<Curve, "name" | "stateWords">>;
  /** Addresses, or ids of 32 bytes; default: all pools. */
  readonly pools?: ReadonlyArray<string> | undefined;
}

/** The recorded part of an engine: its whole market, or some pools with their tokens. */
export class EngineView {
  readonly engine: RecordedMarketOptions["engine"];
  readonly #stateWords: ReadonlyMap<string, Curve["stateWords"]>;
  readonly #chosen: ReadonlySet<string> | undefined;
  /** Tokens of chosen pools. */
  readonly #tokens = new Set<Address>();

  constructor({ engine, curves, pools }: RecordedMarketOptions) {
    this.engine = engine;
    this.#stateWords = new Map(curves.map(({ name, stateWords }) => [name, stateWords]));
    this.#chosen =
      pools &&
      new Set(pools.map((id) => (isPoolId(id) ? poolKey(id as PoolId) : id).toLowerCase()));
  }

  isChosen(pool: Address): boolean {
    return this.#chosen?.has(pool) ?? true;
  }

  hasToken(token: Address): boolean {
    return this.#chosen === undefined || this.#tokens.has(token);
  }

  /** Indexes of pools; some of these pools may have left the market. */
  *pools(): Generator<PoolIndex> {
    const { graph } = this.engine;
    if (this.#chosen === undefined) {
      for (let pool = 0; pool < graph.poolCount; pool++) yield pool as PoolIndex;
      return;
    }
    for (const address of this.#chosen) {
      const pool = graph.findPool(address);
      if (pool !== undefined) yield pool;
    }
  }

  /** Tokens of the market, or of the chosen pools, in the market's order. */
  *tokens(): Generator<Address> {
    const { graph } = this.engine;
    if (this.#chosen === undefined) {
      for (let token = 0; token < graph.tokenCount; token++) {
        yield graph.tokenAddress(token as TokenIndex);
      }
      return;
    }
    const tokens = new Set([...this.pools()].flatMap((pool) => this.listing(pool).tokens));
    yield* [...tokens].sort((one, other) => graph.findToken(one)! - graph.findToken(other)!);
  }

  /** Excluded tokens: never in the middle of a route. */
  excluded(): Set<Address> {
    const { tokenIsExcluded, tokenCount } = this.engine.graph;
    const excluded = new Set<Address>();
    for (let token = tokenIsExcluded.indexOf(1); token >= 0 && token < tokenCount; ) {
      const address = this.engine.graph.tokenAddress(token as TokenIndex);
      if (this.hasToken(address)) excluded.add(address);
      token = tokenIsExcluded.indexOf(1, token + 1);
    }
    return excluded;
  }

  /** The constant properties of a pool. */
  listing(pool: PoolIndex): PoolListing {
    const { graph } = this.engine;
    const constants = graph.poolConstants(pool).slice();
    const tokens = Array.from({ length: graph.poolTokenCount[pool]! }, (_, position) =>
      graph.tokenAddress(graph.poolToken(pool, position)),
    );
    for (const token of tokens) this.#tokens.add(token);
    return {
      address: graph.poolAddress(pool),
      dexId: graph.dexes[graph.poolDex[pool]!]!.id,
      curve: graph.curveNames[graph.poolCurve[pool]!]!,
      tokens,
      feePips: graph.poolFeePips[pool]!,
      parameter: graph.poolParameter[pool]!,
      ...(constants.length > 0 && { constants }),
    };
  }

  /** A view of the state; valid until the graph changes. */
  state(pool: PoolIndex): PoolState {
    const { graph } = this.engine;
    const stateWords = this.#stateWords.get(graph.curveNames[graph.poolCurve[pool]!]!)!;
    const start = graph.poolStateStart[pool]!;
    const end = start + stateWords(graph.poolTokenCount[pool]!);
    return { words: graph.stateWords.subarray(start, end), book: bookOf(graph, pool) };
  }

  /** Adds a pool as it is now, with everything that it needs; or its removal. */
  addTo(draft: StateDraft, address: Address): void {
    const pool = this.engine.graph.findPool(address);
    if (pool === undefined) return draft.remove(address);
    this.addListingTo(draft, address);
    const { words, book } = this.state(pool);
    draft.setState(address, {
      words: words.slice(),
      book: { keys: book!.keys.slice(), words: book!.words.slice() },
    });
  }

  /** Adds a pool's constant properties, with its DEX and tokens: these may have come before it. */
  addListingTo(draft: StateDraft, address: Address): void {
    const { graph } = this.engine;
    const pool = graph.findPool(address);
    if (pool === undefined) return;
    const listing = this.listing(pool);
    draft.dexes.set(listing.dexId, graph.dexes[graph.poolDex[pool]!]!);
    for (const token of listing.tokens) this.addTokenTo(draft, token);
    draft.addPool(listing);
  }

  addTokenTo(draft: StateDraft, address: Address): void {
    const token = this.engine.graph.findToken(address);
    if (token === undefined) return;
    draft.tokens.set(address, { ...this.engine.tokenListing(token), address });
    const supply = this.engine.totalSupply(token);
    if (supply !== undefined) draft.supplies.set(address, supply);
  }
}
