import type { PoolFilter, PoolGraph, QuoteKind } from "@millrace/core";
import { openRouters, type Routers, type RouterTable } from "@millrace/execution";

/** The routers that have an address of their own. */
export type RouterName = "executor" | "universalRouter";

const NAMES: ReadonlyArray<RouterName> = ["executor", "universalRouter"];

/**
 * The routers for which a network builds transactions: the configured ones, without those that a
 * check has left out or has not reached.
 */
export class NetworkRouters {
  readonly configured: RouterTable;
  /** Addresses that no swap may pay, whether they are in use or not. Lower case. */
  readonly forbiddenRecipients: ReadonlySet<string>;
  readonly #obstacles = new Map<RouterName, string>();
  readonly #dexSets = new Map<QuoteKind, { readonly dexCount: number; readonly sets: DexSets }>();
  #table: RouterTable;
  #routers: Routers;

  constructor(configured: RouterTable) {
    const { executor, universalRouter } = configured;
    this.configured = configured;
    this.forbiddenRecipients = new Set(
      [executor, universalRouter?.address, universalRouter?.permit2].filter(
        (address) => address !== undefined,
      ),
    );
    this.#table = configured;
    this.#routers = openRouters(configured);
  }

  /** The configured routers. */
  get names(): ReadonlyArray<RouterName> {
    return NAMES.filter((name) => this.configured[name] !== undefined);
  }

  /** The routers in use; another object once they are others. */
  get table(): RouterTable {
    return this.#table;
  }

  get routers(): Routers {
    return this.#routers;
  }

  /** Why a router is left out. */
  obstacle(name: RouterName): string | undefined {
    return this.#obstacles.get(name);
  }

  /** Leaves a router out for an obstacle; uses it where there is none. */
  judge(name: RouterName, obstacle: string | undefined): void {
    if (obstacle === this.#obstacles.get(name)) return;
    if (obstacle === undefined) this.#obstacles.delete(name);
    else this.#obstacles.set(name, obstacle);
    const { chainId, wrappedNative } = this.configured;
    const used = NAMES.filter((other) => !this.#obstacles.has(other)).map((other) => [
      other,
      this.configured[other],
    ]);
    this.#table = { chainId, wrappedNative, ...Object.fromEntries(used) };
    this.#routers = openRouters(this.#table);
    this.#dexSets.clear();
  }

  /** See `Routers.dexSets`, of the routers in use; undefined where they reach all of a market. */
  dexSets({ dexes }: PoolGraph, kind: QuoteKind): DexSets {
    const known = this.#dexSets.get(kind);
    if (known?.dexCount === dexes.length) return known.sets;
    const sets = this.#routers.dexSets(kind, dexes);
    this.#dexSets.set(kind, { dexCount: dexes.length, sets });
    return sets;
  }

  /** What is left out and why, in words; undefined when nothing is. */
  leftOut(): string | undefined {
    const words = [...this.#obstacles].map(
      ([name, why]) => `the ${WORDS[name]} is left out: ${why}`,
    );
    return words.length === 0 ? undefined : words.join("; ");
  }
}

type DexSets = PoolFilter["dexSets"];

const WORDS: Readonly<Record<RouterName, string>> = {
  executor: "executor",
  universalRouter: "Universal Router",
};
