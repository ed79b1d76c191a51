import { hash, timingSafeEqual } from "node:crypto";
import type { BucketTimes } from "./BucketTimes.ts";
import { Budget } from "./Budget.ts";

/** A configured key: its SHA-256, never the key itself. */
export interface ApiKeyConfig {
  readonly name: string;
  /** 64 hex digits. */
  readonly sha256: string;
  readonly perSecond: number;
  readonly burst?: number;
}

/** The keys that clients may send, each with a budget of its own. */
export class ApiKeys {
  readonly #named: ReadonlyMap<string, Budget>;
  readonly #keys: ReadonlyArray<{ readonly digest: Buffer; readonly budget: Budget }>;

  /** `times` gives the bucket times of a budget that threads share. */
  constructor(keys: ReadonlyArray<ApiKeyConfig>, times?: () => BucketTimes | undefined) {
    this.#keys = keys.map(({ sha256, ...rules }) => ({
      digest: Buffer.from(sha256, "hex"),
      budget: new Budget("key", rules, times?.()),
    }));
    this.#named = new Map(
      this.#keys.map(({ digest, budget }) => [nameOf(digest.toString("hex")), budget]),
    );
  }

  /** The budget of the client that `keyName` names. */
  budgetNamed(name: string): Budget | undefined {
    return this.#named.get(name);
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  /**
   * The budget of a key; undefined when there is no such key. All digests are compared, each in
   * constant time: how long it takes says nothing about them.
   */
  budgetOf(key: string): Budget | undefined {
    const digest = hash("sha256", key, "buffer");
    let found: Budget | undefined;
    for (const each of this.#keys) if (timingSafeEqual(each.digest, digest)) found = each.budget;
    return found;
  }
}

/** The name of a client with a key, for queues and subscriptions. */
export const keyName = (key: string): string => nameOf(hash("sha256", key));

const nameOf = (sha256: string): string => `key ${sha256}`;

/**
 * The key of a request: `X-API-Key: KEY` or `Authorization: Bearer KEY`; "" without one. Other
 * authorization schemes are ignored.
 */
export function keyOf(header: (name: string) => string): string {
  const own = header("x-api-key");
  if (own !== "") return own;
  return /^Bearer +(.+)$/iu.exec(header("authorization"))?.[1] ?? "";
}
