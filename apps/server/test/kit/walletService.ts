import { request } from "node:http";
import { WalletAnswer } from "@millrace/api";
import { freePort } from "@millrace/testing";
import { Schema } from "effect";
import { afterAll, beforeAll, expect } from "vitest";
import { type Service, startConfigured } from "./service.ts";

export const DEVNET_CHAIN = 0x6d696c01;
/** The header that a browser sends from a page of the service itself. */
export const OWN_PAGE = { "sec-fetch-site": "same-origin" };

/** A request of JSON-RPC. */
export const rpc = (method: string, ...params: unknown[]) => ({
  ...{ jsonrpc: "2.0", id: 7, method, params },
});

/** A request to a service, with every header set by the test. */
export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly path?: string;
  readonly method?: string;
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies that a test then looks into.
  readonly json: any;
}

/**
 * A service for the tests of a file, with the devnet ETH and the network OTHER, which is no devnet.
 */
export class WalletService {
  service!: Service;
  /** Where the devnet's node listens. */
  port = 0;

  constructor(settings: object = {}) {
    beforeAll(async () => {
      this.port = await freePort();
      const source = { kind: "devnet", market: "ETH", trafficEveryMs: 60_000, port: this.port };
      const generated = { kind: "generated", seed: 1, poolCount: 30 };
      this.service = await startConfigured({
        ...settings,
        networks: [
          { id: "ETH", name: "Devnet", chainId: DEVNET_CHAIN, source, headAgeLimitMs: null },
          { id: "OTHER", name: "Other", chainId: 8453, source: generated },
        ],
      });
    }, 60_000);
    afterAll(() => this.service?.stop());
  }

  get host(): string {
    return new URL(this.service.url).host;
  }

  /** Sends the given headers, including those that no page can set. */
  send({ headers = {}, body = rpc("eth_chainId"), path = "/ETH/wallet", method = "POST" }: Sent) {
    return new Promise<Got>((resolve, reject) => {
      const sent = request(`${this.service.url}${path}`, { method, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part) => {
          text += part;
        });
        response.on("end", () => {
          const json = text === "" ? undefined : JSON.parse(text);
          resolve({ status: response.statusCode!, headers: response.headers, json });
        });
      });
      sent.on("error", reject).end(typeof body === "string" ? body : JSON.stringify(body));
    });
  }

  /** Asks as a page of the service itself does. */
  async ask(method: string, ...params: unknown[]) {
    const { status, json } = await this.send({ headers: OWN_PAGE, body: rpc(method, ...params) });
    const answer = Schema.decodeUnknownSync(WalletAnswer)(json, { onExcessProperty: "error" });
    expect([status, answer.id]).toEqual([200, 7]);
    return answer;
  }

  // biome-ignore lint/suspicious/noExplicitAny: results that a test then looks into.
  async resultOf(method: string, ...params: unknown[]): Promise<any> {
    const { result, error } = await this.ask(method, ...params);
    expect([method, error]).toEqual([method, undefined]);
    return result;
  }

  /** The error code of the answer to a body. */
  async codeOf(body: unknown): Promise<number | undefined> {
    const { json } = await this.send({ headers: OWN_PAGE, body });
    return json.error?.code;
  }

  /** The node's own answer, over its port. */
  async askNode(method: string, ...params: unknown[]): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${this.port}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(rpc(method, ...params)),
    });
    return ((await response.json()) as { readonly result: unknown }).result;
  }
}
