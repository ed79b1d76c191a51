import { Context, Layer, Option } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { ServerConfig } from "../config/ServerConfig.ts";
import { ApiKeys, keyName, keyOf } from "./ApiKeys.ts";
import { Budget, burstOf } from "./Budget.ts";
import { addressKey, siteOf } from "./canonicalAddress.ts";
import { EarlyAskers } from "./EarlyAskers.ts";
import { type BudgetTimes, LOCAL_BUDGETS } from "./SharedBudgets.ts";
import { TrustedProxies } from "./TrustedProxies.ts";

/** A client, as budgets and queues see it. */
export interface ClientIdentity {
  /** The client's address, not a proxy's, in the form that `addressKey` gives. */
  readonly address: string;
  /** The name that takes the client's share of queues: that of its key, or its address. */
  readonly name: string;
  /** The budget of the key that it sent; "unknown" when there is no such key. */
  readonly key: Budget | "unknown" | undefined;
  /** Whether it was told to ask later, and that time has not come. */
  readonly isEarly: boolean;
}

/** The parts of a request that identify its client. */
export interface RequestSource {
  readonly peerAddress: () => string;
  /** A header by its lower-case name; repeated ones are joined by `, `; "" when absent. */
  readonly header: (name: string) => string;
}

/** The result of charging a client. */
export interface Charge {
  /** Why the request is refused, if it is. */
  readonly refusal?: {
    readonly code: "RATE_LIMITED" | "UNAUTHORIZED";
    readonly detail: string;
  };
  /** Headers for the answer, whatever it is. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Budgets of client addresses and API keys; nothing is limited that is not configured. */
export class Limits extends Context.Service<
  Limits,
  {
    /** The client of a request. */
    readonly identify: (source: RequestSource) => ClientIdentity;
    /** The client of a request that came over Effect's router. */
    readonly clientOf: (request: HttpServerRequest.HttpServerRequest) => ClientIdentity;
    /**
     * The key under which a peer's connections are counted; undefined for peers that speak for many
     * clients: trusted proxies, and the machine itself.
     */
    readonly peerOf: (address: string) => string | undefined;
    /**
     * Takes a cost out of the client's budget, all of it or nothing. `charged` is what was taken
     * for the same request before: `Retry-After` covers both.
     */
    readonly charge: (client: ClientIdentity, cost: number, charged?: number) => Charge;
    /**
     * Takes the cost of finished work; a negative cost is given back. Gives the headers that say
     * so.
     */
    readonly settle: (client: ClientIdentity, cost: number) => Charge;
    /**
     * Takes the cost of a client's subscriptions, by the client's name, and leaves half of its
     * budget for its requests; false when there is too little.
     */
    readonly pays: (name: string, cost: number) => boolean;
  }
>()("@millrace/server/Limits") {
  /** `times` are those of budgets that threads share. */
  static readonly layer = (
    { limits }: Pick<ServerConfig, "limits">,
    times?: BudgetTimes,
  ): Layer.Layer<Limits> => Layer.sync(Limits, () => makeLimits(limits, times));
}

/** The limits of one thread; `times` may be shared with others. */
export function makeLimits(
  { address, keys: configured, trustedProxies }: ServerConfig["limits"],
  times: BudgetTimes = LOCAL_BUDGETS,
): Limits["Service"] {
  const proxies = new TrustedProxies(trustedProxies);
  const keys = new ApiKeys(configured, times.key);
  const addresses =
    address === undefined ? undefined : new Budget("address", address, times.addresses());
  const sites =
    address === undefined
      ? undefined
      : new Budget(
          "address",
          {
            perSecond: SITE_CLIENTS * address.perSecond,
            burst: SITE_CLIENTS * burstOf(address),
          },
          times.sites(),
        );

  const addressOf = ({ peerAddress, header }: RequestSource): string =>
    addressKey(proxies.clientAddress(peerAddress(), () => header("x-forwarded-for")));

  const early = new EarlyAskers();
  const isEarly = (name: string) => early.isEarly(name, times.nowMs());

  const isFree = addresses === undefined && keys.isEmpty;
  /** A client with an unknown key pays from its address's budget: guessing keys is not free. */
  const payerOf = ({ key, address }: ClientIdentity) =>
    typeof key === "object" ? { budget: key, name: "" } : { budget: addresses, name: address };
  const identify = (source: RequestSource): ClientIdentity => {
    // Few requests need their client's address, and its text takes time.
    if (isFree && proxies.isEmpty) return new LazyIdentity(() => addressOf(source));
    const key = keys.isEmpty ? "" : keyOf(source.header);
    const address = addressOf(source);
    const budget = key === "" ? undefined : (keys.budgetOf(key) ?? "unknown");
    const name = typeof budget === "object" ? keyName(key) : address;
    return new LimitedIdentity(address, name, budget, isEarly);
  };

  return Limits.of({
    identify,
    clientOf: ({ remoteAddress, headers }) =>
      identify({
        peerAddress: () => Option.getOrElse(remoteAddress, () => ""),
        header: (name) => headers[name] ?? "",
      }),
    peerOf: (address) =>
      LOOPBACK.test(address) || proxies.includes(address) ? undefined : addressKey(address),
    charge: (client, cost, charged = 0) => {
      if (isFree || cost === 0) return FREE;
      const { budget, name } = payerOf(client);
      const nowMs = times.nowMs();
      const taken = budget?.take(name, cost, nowMs, charged);
      const headers = taken === undefined ? [] : budget!.headers(taken);
      if (taken?.isGranted === false) {
        early.refused(client.name, nowMs + taken.waitMs);
        return { refusal: { code: "RATE_LIMITED", detail: SPENT }, headers };
      }
      const site = name === "" ? undefined : siteOf(name);
      const ofSite = site === undefined ? undefined : sites?.take(site, cost, nowMs, charged);
      if (ofSite?.isGranted === false) {
        budget?.settle(name, -cost, nowMs);
        early.refused(client.name, nowMs + ofSite.waitMs);
        const refusal = { code: "RATE_LIMITED", detail: SPENT } as const;
        return { refusal, headers: sites!.headers(ofSite) };
      }
      if (client.key !== "unknown") return { headers };
      const challenge = ["www-authenticate", "Bearer"] as const;
      return {
        refusal: { code: "UNAUTHORIZED", detail: "There is no such API key" },
        headers: [...headers, challenge],
      };
    },
    pays: (name, cost) => {
      const budget = keys.budgetNamed(name);
      const nowMs = times.nowMs();
      if (budget !== undefined) return budget.takeSpare("", cost, nowMs);
      if (addresses === undefined) return true;
      if (!addresses.takeSpare(name, cost, nowMs)) return false;
      const site = siteOf(name);
      if (site === undefined || sites!.takeSpare(site, cost, nowMs)) return true;
      addresses.settle(name, -cost, nowMs);
      return false;
    },
    settle: (client, cost) => {
      if (isFree) return FREE;
      const { budget, name } = payerOf(client);
      const nowMs = times.nowMs();
      const site = name === "" ? undefined : siteOf(name);
      if (site !== undefined) sites?.settle(site, cost, nowMs);
      return { headers: budget?.headers(budget.settle(name, cost, nowMs)) ?? [] };
    },
  });
}

/** A /48 of IPv6 has the budgets of so many clients, though it may be far more. */
const SITE_CLIENTS = 16;

class LimitedIdentity implements ClientIdentity {
  readonly address: string;
  readonly name: string;
  readonly key: ClientIdentity["key"];
  readonly #isEarly: (name: string) => boolean;

  constructor(
    address: string,
    name: string,
    key: ClientIdentity["key"],
    isEarly: (name: string) => boolean,
  ) {
    this.address = address;
    this.name = name;
    this.key = key;
    this.#isEarly = isEarly;
  }

  get isEarly(): boolean {
    return this.#isEarly(this.name);
  }
}

/** A client whose address is read on first use, while its request is there. */
class LazyIdentity implements ClientIdentity {
  #read: (() => string) | undefined;
  #address = "";
  readonly key = undefined;
  /** Nothing is limited. */
  readonly isEarly = false;

  constructor(read: () => string) {
    this.#read = read;
  }

  get address(): string {
    if (this.#read === undefined) return this.#address;
    this.#address = this.#read();
    // While the request waits, nothing that it was read from is kept.
    this.#read = undefined;
    return this.#address;
  }

  get name(): string {
    return this.address;
  }
}

const LOOPBACK = /^(127\.|0:0:0:0:0:0:0:1$)/u;

const FREE: Charge = { headers: [] };

const SPENT = "The budget of the client is used up: `Retry-After` says when to ask again";
