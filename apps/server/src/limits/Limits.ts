import { Context, Layer, Option } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { ServerConfig } from "../config/ServerConfig.ts";
import { ApiKeys, keyOf } from "./ApiKeys.ts";
import { Budget } from "./Budget.ts";
import { addressKey } from "./canonicalAddress.ts";
import { TrustedProxies } from "./TrustedProxies.ts";

/** Who asks, as far as budgets go. */
export interface ClientIdentity {
  /** Of the client, not of its proxies; what `addressKey` makes of it. */
  readonly address: string;
  /** Of the key that it sent; "unknown" when there is no such key. */
  readonly key: Budget | "unknown" | undefined;
}

/** What of a request says who asks. */
export interface RequestSource {
  readonly peerAddress: () => string;
  /** By its lower-case name, repeated ones joined by `, `; "" when absent. */
  readonly header: (name: string) => string;
}

/** What came of asking for something that costs. */
export interface Charge {
  /** Why it is refused, if it is. */
  readonly refusal?: {
    readonly code: "RATE_LIMITED" | "UNAUTHORIZED";
    readonly detail: string;
  };
  /** For the answer, whatever it is. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Budgets of client addresses and API keys; nothing is limited that is not configured. */
export class Limits extends Context.Service<
  Limits,
  {
    /** Who asks; undefined where nothing is limited, so that nobody has to be identified. */
    readonly identify: ((source: RequestSource) => ClientIdentity) | undefined;
    /** The same of a request that came over Effect's router. */
    readonly clientOf: (request: HttpServerRequest.HttpServerRequest) => ClientIdentity | undefined;
    /** The address of a client, not of its proxies; what `addressKey` makes of it. */
    readonly addressOf: (source: RequestSource) => string;
    /**
     * Takes a cost out of the client's budget, and all of it or nothing. `charged` is what was taken
     * for the same request before: `Retry-After` is for all of it.
     */
    readonly charge: (client: ClientIdentity | undefined, cost: number, charged?: number) => Charge;
  }
>()("@millrace/server/Limits") {
  static readonly layer = ({ limits }: Pick<ServerConfig, "limits">): Layer.Layer<Limits> =>
    Layer.sync(Limits, () => make(limits));
}

function make({ address, keys: configured, trustedProxies }: ServerConfig["limits"]) {
  const proxies = new TrustedProxies(trustedProxies);
  const keys = new ApiKeys(configured);
  const addresses = address === undefined ? undefined : new Budget("address", address);

  const addressOf = ({ peerAddress, header }: RequestSource): string =>
    addressKey(proxies.clientAddress(peerAddress(), () => header("x-forwarded-for")));

  const identify = (source: RequestSource): ClientIdentity => {
    const key = keys.isEmpty ? "" : keyOf(source.header);
    return {
      address: addressOf(source),
      key: key === "" ? undefined : (keys.budgetOf(key) ?? "unknown"),
    };
  };
  const identifies = addresses === undefined && keys.isEmpty ? undefined : identify;

  return Limits.of({
    identify: identifies,
    clientOf: ({ remoteAddress, headers }) =>
      identifies?.({
        peerAddress: () => Option.getOrElse(remoteAddress, () => ""),
        header: (name) => headers[name] ?? "",
      }),
    addressOf,
    charge: (client, cost, charged = 0) => {
      if (client === undefined || cost === 0) return FREE;
      // Who guesses keys pays for it.
      const budget = typeof client.key === "object" ? client.key : addresses;
      const name = typeof client.key === "object" ? "" : client.address;
      const taken = budget?.take(name, cost, performance.now(), charged);
      const headers = taken === undefined ? [] : budget!.headers(taken);
      if (taken?.isGranted === false) {
        return { refusal: { code: "RATE_LIMITED", detail: SPENT }, headers };
      }
      if (client.key !== "unknown") return { headers };
      const challenge = ["www-authenticate", "Bearer"] as const;
      return {
        refusal: { code: "UNAUTHORIZED", detail: "There is no such API key" },
        headers: [...headers, challenge],
      };
    },
  });
}

const FREE: Charge = { headers: [] };

const SPENT = "The budget of the client is used up: `Retry-After` says when to ask again";
