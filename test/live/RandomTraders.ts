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

/** Enough for each action, including a new pool; fixed, so that nothing is estimated. */
export const GAS = numberToHex(6_000_000);
const DECIDED_AT_ONCE = 400;

/**
 * Traders with stranger habits than the devnet's: they drive prices through many ticks, open
 * positions at the ends of the range and of bitmap words, make ticks with a net of 0, donate, and
 * create pools without a price. A seed and the chain determine them.
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

  /** The next transactions. They are decided in groups, so some fail by the time they are sent. */
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

  /** Mines `blocks` blocks of `transactions` transactions each; some of them revert. */
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
    // Transactions beyond the block's gas limit would be mined at some later time.
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
