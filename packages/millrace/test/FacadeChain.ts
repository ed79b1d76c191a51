import { eventually } from "@millrace/testing";
import { openTestDevnet, type TestDevnet } from "@millrace/testing/devnet";
import { expect } from "vitest";
import { type MillraceEngine, openEngine, type Swap } from "../src/index.ts";

/** A devnet that stands still until somebody acts, and an engine that follows it. */
export class FacadeChain {
  readonly engine: MillraceEngine;
  readonly chain: TestDevnet;
  /** Holds all tokens; the node signs for it. */
  readonly trader: string;

  private constructor(engine: MillraceEngine, chain: TestDevnet) {
    this.engine = engine;
    this.chain = chain;
    this.trader = chain.devnet.traders[0]!.address;
  }

  /** With more settings of the network, and options. */
  static async open(seed: number, settings = {}, options = {}): Promise<FacadeChain> {
    const chain = await openTestDevnet({ network: "ETH", seed });
    const { devnet } = chain;
    const { anchors, contracts } = devnet;
    const config = {
      ...{ id: "LOCAL", name: "Local", chainId: devnet.chainId, nativeSymbol: "ETH" },
      wrappedNative: devnet.wrappedNative,
      anchors: anchors
        .filter(({ address }) => address !== devnet.wrappedNative)
        .map(({ address, priceUsd }) => ({ address, priceUsd })),
      plainTokens: devnet.tokens.map(({ address }) => address),
      routers: {
        universalRouter: {
          ...{ address: contracts.universalRouter, version: "2.0", permit2: contracts.permit2 },
          ...{ v2DexId: "UNISWAP_V2", v3DexId: "UNISWAP_V3" },
        },
      },
      headAgeLimitMs: null,
      ...settings,
      source: {
        kind: "chain",
        endpoints: [{ url: devnet.rpcUrl, webSocketUrl: devnet.webSocketUrl }],
        ...{ blockTimeMs: devnet.blockTimeMs, multicall: contracts.multicall3 },
        ...{ dexes: devnet.dexes, admission: { anchors, depthFloorUsd: 0, pools: [] } },
      },
    };
    const engine = await openEngine({ config, timeoutMs: 300_000, ...options });
    return new FacadeChain(engine, chain);
  }

  async close(): Promise<void> {
    await this.engine.close();
    await this.chain.close();
  }

  addressOf(symbol: string): string {
    return this.chain.devnet.tokens.find((token) => token.symbol === symbol)!.address;
  }

  async balanceOf(token: string, owner: string): Promise<bigint> {
    const call = { to: token, data: `0x70a08231${word(owner)}` };
    return BigInt(await this.chain.call<string>("eth_call", call, "latest"));
  }

  give(account: string, token: string, amount: bigint): Promise<void> {
    const data = `0xa9059cbb${word(account)}${word(amount)}` as const;
    return this.send([{ from: this.trader, to: token as `0x${string}`, data, value: 0n }]);
  }

  /** Signs and sends one after the other, and waits until the engine has the last one's block. */
  async send(transactions: Swap["transactions"]): Promise<void> {
    for (const { from, to, data, value } of transactions) {
      const sent = { from, to, data, value: `0x${value.toString(16)}`, gas: "0x7a1200" };
      const hash = await this.chain.call("eth_sendTransaction", sent);
      const { status } = await eventually(() =>
        this.chain.call<{ readonly status: string } | null>("eth_getTransactionReceipt", hash),
      );
      expect(status).toBe("0x1");
    }
    await this.caughtUp();
  }

  async mine(blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block++) {
      await this.chain.call("evm_mine");
      await this.caughtUp();
    }
  }

  /** Waits until the engine stands at the chain's head and can be relied on. */
  async caughtUp(): Promise<void> {
    const { hash } = await this.chain.call<{ readonly hash: string }>(
      ...["eth_getBlockByNumber", "latest", false],
    );
    await eventually(() => {
      const { block, ready } = this.engine.health();
      return block.hash === hash && ready;
    });
  }
}

const word = (value: string | bigint): string => BigInt(value).toString(16).padStart(64, "0");
