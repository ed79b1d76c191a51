import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { eventually, postJson } from "@millrace/testing";
import { decodeFunctionResult, encodeFunctionData, multicall3Abi, numberToHex } from "viem";

/** A call of a contract; undefined instead of its answer where it reverts. */
export interface Call {
  readonly to: Address;
  readonly data: Hex;
}

type Request = readonly [method: string, params: ReadonlyArray<unknown>];

/** Far above what any call here needs; the node's own limit is too low for many at once. */
const GAS = "0x1000000000";

const CALLS_AT_ONCE = 500;

/** Anvil gives up after 30 seconds. */
const MISSED_AFTER_MS = 3_000;

/** The tests' own access to a node, without any code of the product. */
export class Chain {
  readonly #url: string;
  readonly #multicall: Address;

  constructor(url: string, multicall: Address) {
    this.#url = url;
    this.#multicall = multicall;
  }

  /** The result of a request; throws where the node refuses. */
  async request<A>(method: string, params: ReadonlyArray<unknown> = []): Promise<A> {
    const waits = method.endsWith("TransactionSync");
    const [answer] = await (waits ? this.#send([method, params]) : this.batch([[method, params]]));
    if (waits && answer?.error !== undefined && /not supported/.test(JSON.stringify(answer.error)))
      return (await this.#sendAndAsk(method.replace(/Sync$/, ""), params)) as A;
    if (answer?.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer?.result as A;
  }

  /** For a node that mines at once and has no waiting method. */
  async #sendAndAsk(method: string, params: ReadonlyArray<unknown>): Promise<unknown> {
    const hash = await this.request<Hex>(method, params);
    return await eventually(() => this.request<unknown>("eth_getTransactionReceipt", [hash]));
  }

  /**
   * Sends a transaction and waits for its block. Anvil sometimes misses a ready transaction: then
   * this requests a block. After `evm_revert` the node may wait for a lost transaction, or lose the
   * next one with it: then this sends it again.
   */
  async #send(sent: Request): Promise<ReadonlyArray<Answer>> {
    let answers = this.batch([sent]);
    for (let looks = 1; ; looks++) {
      const given = await Promise.race([answers, sleep(MISSED_AFTER_MS)]);
      if (given !== undefined) return given;
      const [status] = await this.batch([["txpool_status", []]]);
      const { pending, queued } = status!.result as { readonly pending: Hex; readonly queued: Hex };
      if (Number(pending) > 0) await this.batch([["evm_mine", []]]);
      else if (Number(queued) > 0 || looks > 1) {
        answers.catch(() => undefined);
        await this.batch([["anvil_dropAllTransactions", []]]);
        answers = this.batch([sent]);
        looks = 0;
      }
    }
  }

  /** The answers of a batch of requests, in their order. */
  async batch(requests: ReadonlyArray<Request>): Promise<ReadonlyArray<Answer>> {
    if (requests.length === 0) return [];
    const body = requests.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }));
    const answers = await postJson<Array<Answer & { readonly id: number }>>(this.#url, body);
    return answers.sort((left, right) => left.id - right.id);
  }

  /**
   * The answers of contracts at the newest block, each in a request of its own, so that a call that
   * burns all its gas, as an assertion does, does not affect the others.
   */
  async callEach(calls: ReadonlyArray<Call>): Promise<ReadonlyArray<Hex | undefined>> {
    const answers: Array<Hex | undefined> = [];
    for (let start = 0; start < calls.length; start += CALLS_AT_ONCE) {
      const asked = calls.slice(start, start + CALLS_AT_ONCE);
      const given = await this.batch(
        asked.map(({ to, data }) => ["eth_call", [{ to, data, gas: GAS }, "latest"]]),
      );
      for (const { result } of given) answers.push(result as Hex | undefined);
    }
    return answers;
  }

  /** As `callEach`, with many in one call; for calls that at worst revert. */
  async callAll(calls: ReadonlyArray<Call>): Promise<ReadonlyArray<Hex | undefined>> {
    const answers: Array<Hex | undefined> = [];
    for (let start = 0; start < calls.length; start += CALLS_AT_ONCE) {
      const data = encodeFunctionData({
        abi: multicall3Abi,
        functionName: "aggregate3",
        args: [
          calls
            .slice(start, start + CALLS_AT_ONCE)
            .map(({ to, data: callData }) => ({ target: to, allowFailure: true, callData })),
        ],
      });
      const call = { to: this.#multicall, data, gas: GAS };
      const result = decodeFunctionResult({
        abi: multicall3Abi,
        functionName: "aggregate3",
        data: await this.request<Hex>("eth_call", [call, "latest"]),
      });
      for (const { success, returnData } of result) answers.push(success ? returnData : undefined);
    }
    return answers;
  }

  async head(): Promise<Head> {
    const { hash, number, timestamp } = await this.request<{
      hash: Hex;
      number: Hex;
      timestamp: Hex;
    }>("eth_getBlockByNumber", ["latest", false]);
    return { hash, number: Number(number), timestampMs: Number(timestamp) * 1_000 };
  }

  /** Hashes of the newest blocks, newest first. */
  async newestHashes(count: number): Promise<ReadonlyArray<Hex>> {
    const { number } = await this.head();
    const answers = await this.batch(
      Array.from({ length: count }, (_, back) => [
        "eth_getBlockByNumber",
        [numberToHex(number - back), false],
      ]),
    );
    return answers.map(({ result }) => (result as { readonly hash: Hex }).hash);
  }
}

export interface Head {
  readonly number: number;
  readonly hash: Hex;
  readonly timestampMs: number;
}

export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}
