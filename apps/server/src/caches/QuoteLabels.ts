import { ALL_DEXES, blockLabel, checksumAddress, dexLabel, stepLabel } from "@millrace/api";
import {
  type Address,
  type BlockStamp,
  type Engine,
  isZeroForOne,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type QuoteStep,
  type TokenIndex,
} from "@millrace/core";
import type { TokenVerdict } from "@millrace/execution";
import { warningOf } from "../networks/tokenSafety.ts";
import type { AddressTexts } from "./AddressTexts.ts";

/**
 * JSON text that quotes repeat, made once: of the steps through each pool, of each DEX, of the
 * newest block.
 */
export class QuoteLabels {
  readonly #graph: PoolGraph;
  readonly #familyOf: (pool: PoolIndex) => PoolFamily;
  readonly #texts: AddressTexts;
  readonly #isPlain: (token: Address) => boolean;
  readonly #verdictOf: (token: Address) => TokenVerdict | undefined;
  // Key: pool × STEP_LABELS + position of the token in × 8 + position of the token out.
  readonly #steps = new Map<number, StepLabel>();
  // Index: token; true for tokens that are known to be plain for ever.
  readonly #plain: Array<true | undefined> = [];
  // Index: DEX.
  readonly #factories: string[] = [];
  // Index: DEX; for quotes that name no DEX.
  readonly #dexesOfAll: string[] = [];
  #topologyVersion = -1;
  #blockText = "";
  #stamp: BlockStamp | undefined;

  /** A token that is plain by `isPlain` stays plain; verdicts of `verdictOf` may change. */
  constructor(
    { graph, familyOf }: Pick<Engine["Service"], "graph" | "familyOf">,
    texts: AddressTexts,
    isPlain: (token: Address) => boolean,
    verdictOf: (token: Address) => TokenVerdict | undefined,
  ) {
    this.#graph = graph;
    this.#familyOf = familyOf;
    this.#texts = texts;
    this.#isPlain = isPlain;
    this.#verdictOf = verdictOf;
  }

  step({ pool, tokenIn, tokenOut }: QuoteStep): string {
    const graph = this.#graph;
    if (this.#topologyVersion !== graph.topologyVersion) this.#forgetSteps();
    const positionIn = graph.poolPosition(pool, tokenIn);
    const positionOut = graph.poolPosition(pool, tokenOut);
    const key = pool * STEP_LABELS + positionIn * 8 + positionOut;
    const known = this.#steps.get(key);
    const fee = this.#familyOf(pool).feePips(pool, positionIn, positionOut);
    if (known?.fee === fee) return known.text;
    const text = stepLabel({
      tokenA: this.#texts.token(tokenIn),
      tokenB: this.#texts.token(tokenOut),
      dexId: graph.dexes[graph.poolDex[pool]!]!.id,
      ...this.#texts.names(pool),
      aToB: true,
      fee,
      zeroForOne: isZeroForOne(positionIn),
    });
    this.#steps.set(key, { fee, text });
    return text;
  }

  /** The label of a quote that names `dexId`, with the factory of the DEX at `dexIndex`, if any. */
  dex(dexId: string, dexIndex: number | undefined): string {
    if (dexIndex === undefined) return dexLabel({ dexId, dexFactory: "" });
    if (dexId !== ALL_DEXES) return dexLabel({ dexId, dexFactory: this.factory(dexIndex) });
    this.#dexesOfAll[dexIndex] ??= dexLabel({ dexId, dexFactory: this.factory(dexIndex) });
    return this.#dexesOfAll[dexIndex];
  }

  /** The index of the DEX with an id. */
  findDex(dexId: string): number | undefined {
    const index = this.#graph.dexes.findIndex(({ id }) => id === dexId);
    return index < 0 ? undefined : index;
  }

  /** A DEX's factory, checksummed. */
  factory(dexIndex: number): string {
    this.#factories[dexIndex] ??= checksumAddress(this.#graph.dexes[dexIndex]!.factory);
    return this.#factories[dexIndex];
  }

  /** The label of the block that a quote holds for: the newest, or the one just before. */
  block(stamp: BlockStamp): string {
    if (stamp !== this.#stamp) {
      const { number, hash, timestampMs } = stamp;
      this.#stamp = stamp;
      this.#blockText = blockLabel({
        blockNumber: String(number),
        blockHash: hash,
        timestamp: timestampMs,
      });
    }
    return this.#blockText;
  }

  /** Tokens of a route whose behaviour is not known to be plain, lower case, each once. */
  unverified(steps: ReadonlyArray<QuoteStep>): ReadonlyArray<string> {
    let found: string[] | undefined;
    for (let index = 0; index <= steps.length; index++) {
      const token = index === 0 ? steps[0]?.tokenIn : steps[index - 1]!.tokenOut;
      if (token === undefined || this.#plainToken(token)) continue;
      found ??= [];
      const address = this.#texts.token(token);
      // Splits pass the same token repeatedly.
      if (!found.includes(address)) found.push(address);
    }
    return found ?? NONE;
  }

  /**
   * Warnings about those of these tokens that do not transfer as they should, by their verdicts.
   */
  warnings(unverified: ReadonlyArray<string>): ReadonlyArray<Warning> {
    if (unverified.length === 0) return NO_WARNINGS;
    return unverified.flatMap((token) => warningOf(this.#verdictOf(token as Address)) ?? []);
  }

  #plainToken(token: TokenIndex): boolean {
    if (this.#plain[token] === true) return true;
    const address = this.#texts.token(token);
    if (!this.#isPlain(address)) return this.#verdictOf(address)?.kind === "plain";
    this.#plain[token] = true;
    return true;
  }

  /** Indexes of pools are reused when pools go: no label may outlive its pool. */
  #forgetSteps(): void {
    this.#steps.clear();
    this.#topologyVersion = this.#graph.topologyVersion;
  }
}

/** The text of a step, valid as long as the pool has this fee. */
interface StepLabel {
  readonly fee: number;
  readonly text: string;
}

/** Pools have up to eight tokens. */
const STEP_LABELS = 64;

const NONE: ReadonlyArray<string> = [];

type Warning = NonNullable<ReturnType<typeof warningOf>>;

const NO_WARNINGS: ReadonlyArray<Warning> = [];
