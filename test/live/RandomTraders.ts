import type { Address } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import type { Hex } from "@millrace/protocols";
import { RandomSource } from "@millrace/testing";
import { numberToHex } from "viem";
import type { Act, Choice, Sending, TradingState } from "./Act.ts";
import { ACTS } from "./acts.ts";
import type { Chain } from "./Chain.ts";

import { readPools } from "./readPools.ts";
import { readPositions } from "./readPositions.ts";

/** Enough for each action, a new pool included; given, so that nothing is estimated. */
export const GAS = numberToHex(6_000_000);
const DECIDED_AT_ONCE = 400;

/**
 * Traders with worse habits than those of the devnet: prices driven through many ticks, positions
 * at the ends of the range and of bitmap words, ticks whose net is nothing, donations, pools made
 * without a price. Determined by a seed and by the chain.
 */
export class RandomTraders {
  readonly #chain: Chain;
  readonly #devnet: Devnet;
  readonly #random: TradingState["random"];
  readonly #choices: ReadonlyArray<Act>;
  readonly #decided: Sending[] = [];

  constructor(
    chain: Chain,
    devnet: Devnet,
    seed: number,
    choices: Readonly<Record<string, Choice>> = {},
  ) {
    this.#chain = chain;
    this.#devnet = devnet;
    this.#random = new RandomSource(seed);
    this.#choices = Object.values({ ...ACTS, ...choices }).flatMap(({ weight, act }) =>
      Array.from({ length: weight }, () => act),
    );
  }

  /** The next transactions. They are decided some at a time, and not all succeed any more. */
  async decide(count: number): Promise<ReadonlyArray<Sending>> {
    while (this.#decided.length < count) this.#decided.push(...(await this.#look()));
    return this.#decided.splice(0, count);
  }

  async #look(): Promise<ReadonlyArray<Sending>> {
    const scene: TradingState = {
      devnet: this.#devnet,
      pools: [...(await readPools(this.#chain, this.#devnet)).values()],
      positions: await readPositions(this.#chain, this.#devnet),
      random: this.#random,
    };
    const decided: Sending[] = [];
    while (decided.length < DECIDED_AT_ONCE)
      decided.push(...this.#random.pick(this.#choices)(scene));
    return decided;
  }

  /** Makes so many blocks of so many transactions; some of them revert. */
  async blocks(blocks: number, transactions: number): Promise<void> {
    const decided = await this.decide(blocks * transactions);
    const nonces = await this.#nonces();
    await this.#chain.request("evm_setAutomine", [false]);
    try {
      for (let start = 0; start < decided.length; start += transactions) {
        await this.#mine(decided.slice(start, start + transactions), nonces);
      }
    } finally {
      await this.#chain.request("evm_setAutomine", [true]);
    }
  }

  async #mine(sendings: ReadonlyArray<Sending>, nonces: Map<Address, number>): Promise<void> {
    const answers = await this.#chain.batch(
      sendings.map((sending) => {
        const nonce = nonces.get(sending.from)!;
        nonces.set(sending.from, nonce + 1);
        return ["eth_sendTransaction", [{ ...sending, gas: GAS, nonce: numberToHex(nonce) }]];
      }),
    );
    const refused = answers.find(({ error }) => error !== undefined);
    if (refused !== undefined) throw new Error(JSON.stringify(refused));
    // What is left over because of the block's gas limit would be mined some time later.
    do await this.#chain.request("evm_mine");
    while (Number((await this.#chain.request<{ pending: Hex }>("txpool_status")).pending) > 0);
  }

  async #nonces(): Promise<Map<Address, number>> {
    const traders = this.#devnet.traders.map(({ address }) => address);
    const answers = await this.#chain.batch(
      traders.map((trader) => ["eth_getTransactionCount", [trader, "latest"]]),
    );
    return new Map(traders.map((trader, index) => [trader, Number(answers[index]!.result)]));
  }
}
