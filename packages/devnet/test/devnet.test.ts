import {
  type Address,
  domainSeparator,
  encodePacked,
  getCreate2Address,
  type Hex,
  keccak256,
  parseAbi,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { creationCode } from "../src/contracts/artifacts.ts";
import { type OpenDevnet, openDevnet } from "./openDevnet.ts";
import { readPoolStates } from "./poolStates.ts";

const abi = parseAbi([
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function factory() view returns (address)",
  "function getPair(address, address) view returns (address)",
  "function getPool(address, address, uint24) view returns (address)",
  "function symbol() view returns (string)",
  "function name() view returns (string)",
  "function decimals() view returns (uint8)",
  "function balanceOf(address) view returns (uint256)",
  "function getBlockNumber() view returns (uint256)",
]);

let eth: OpenDevnet;
let base: OpenDevnet;

beforeAll(async () => {
  [eth, base] = await Promise.all([
    openDevnet({ network: "ETH" }),
    openDevnet({ network: "BASE" }),
  ]);
});
afterAll(() => Promise.all([eth?.close(), base?.close()]));

const both = () => [eth, base];

describe("a devnet", () => {
  it("has a chain id of its own, which is not one that Permit2's code has a wrong domain for", async () => {
    for (const { devnet, client } of both()) expect(await client.getChainId()).toBe(devnet.chainId);
    expect(new Set([eth.devnet.chainId, base.devnet.chainId, 31_337, 1, 8_453]).size).toBe(5);
  });

  it("announces new blocks over its WebSocket", async () => {
    const socket = new WebSocket(eth.devnet.webSocketUrl);
    try {
      const announced = new Promise<string>((resolve, reject) => {
        socket.onerror = () => reject(new Error("no connection"));
        socket.onmessage = ({ data }) => {
          const { params } = JSON.parse(String(data));
          if (params === undefined) void eth.client.request({ method: "evm_mine" } as never);
          else resolve(params.result.hash);
        };
        socket.onopen = () =>
          socket.send(
            JSON.stringify({
              jsonrpc: "2.0",
              id: 1,
              method: "eth_subscribe",
              params: ["newHeads"],
            }),
          );
      });
      const { hash } = { hash: await announced };
      expect(hash).toBe((await eth.client.getBlock()).hash);
    } finally {
      socket.close();
    }
  });

  it("has code at every contract, and routers that know their factories", async () => {
    for (const { devnet, client } of both()) {
      const { contracts } = devnet;
      for (const address of Object.values(contracts)) {
        expect((await client.getCode({ address }))?.length).toBeGreaterThan(100);
      }
      const factoryOf = (address: Address) =>
        client.readContract({ address, abi, functionName: "factory" });
      for (const [holder, factory] of [
        [contracts.v2Router, contracts.v2Factory],
        [contracts.v2SisterRouter, contracts.v2SisterFactory],
        [contracts.swapRouter02, contracts.v3Factory],
        [contracts.positionManager, contracts.v3Factory],
        [contracts.quoterV2, contracts.v3Factory],
      ] as const)
        expect((await factoryOf(holder)).toLowerCase()).toBe(factory);
      const address = contracts.multicall3;
      const block = await client.readContract({ address, abi, functionName: "getBlockNumber" });
      expect(block).toBe(await client.getBlockNumber());
    }
  });

  it("has a Permit2 whose domain is that of the chain", async () => {
    for (const { devnet, client } of both()) {
      const verifyingContract = devnet.contracts.permit2;
      expect(
        await client.readContract({
          address: verifyingContract,
          abi,
          functionName: "DOMAIN_SEPARATOR",
        }),
      ).toBe(
        domainSeparator({
          domain: { name: "Permit2", chainId: devnet.chainId, verifyingContract },
        }),
      );
    }
  });

  it("has at least twelve tokens of 6, 8 and 18 decimals that say what the list says", async () => {
    for (const { devnet, client } of both()) {
      expect(devnet.tokens.length).toBeGreaterThanOrEqual(12);
      expect(new Set(devnet.tokens.map(({ decimals }) => decimals))).toEqual(new Set([6, 8, 18]));
      for (const { address, symbol, name, decimals } of devnet.tokens) {
        const contract = { address, abi };
        const told = await Promise.all([
          client.readContract({ ...contract, functionName: "symbol" }),
          // canonical-weth calls itself "Wrapped Ether" as well.
          client.readContract({ ...contract, functionName: "name" }),
          client.readContract({ ...contract, functionName: "decimals" }),
        ]);
        expect(told).toEqual([symbol, name, decimals]);
      }
      expect(devnet.tokens.map(({ address }) => address)).toContain(devnet.wrappedNative);
    }
  });

  it("has at least thirty pools of four DEXes, where factory and init code hash put them", async () => {
    for (const { devnet, client } of both()) {
      expect(devnet.pools.length).toBeGreaterThanOrEqual(30);
      expect(new Set(devnet.pools.map(({ dexId }) => dexId)).size).toBe(4);
      expect(new Set(devnet.pools.map(({ fee }) => fee))).toEqual(
        new Set([100, 500, 2_000, 3_000, 10_000]),
      );
      for (const { address, dexId, token0, token1, fee } of devnet.pools) {
        const { factory, protocol, initCodeHash, feePips } = devnet.dexes.find(
          ({ id }) => id === dexId,
        )!;
        expect(token0 < token1).toBe(true);
        const isPair = protocol === "constant-product";
        expect(feePips).toBe(isPair ? fee : undefined);
        const salt = isPair
          ? encodePacked(["address", "address"], [token0, token1])
          : (`0x${[token0, token1, fee].map(padded).join("")}` as Hex);
        const derived = getCreate2Address({
          from: factory,
          salt: keccak256(salt),
          bytecodeHash: initCodeHash!,
        });
        expect(derived.toLowerCase()).toBe(address);
        const contract = { address: factory, abi };
        const told = await (isPair
          ? client.readContract({ ...contract, functionName: "getPair", args: [token0, token1] })
          : client.readContract({
              ...contract,
              functionName: "getPool",
              args: [token0, token1, fee],
            }));
        expect(told).not.toBe(zeroAddress);
        expect(told.toLowerCase()).toBe(address);
      }
    }
  });

  it("tells the hash of the creation code that its factories use", () => {
    const hashOf = (id: string) => eth.devnet.dexes.find((dex) => dex.id === id)?.initCodeHash;
    expect(hashOf("UNISWAP_V2")).toBe(keccak256(creationCode("v2Pair")));
    expect(hashOf("PANCAKESWAP_V2")).toBe(keccak256(creationCode("forkPair")));
    expect(hashOf("UNISWAP_V3")).toBe(keccak256(creationCode("v3Pool")));
    // The routers have these two compiled in.
    expect(hashOf("UNISWAP_V2")).toMatch(/^0x96e8ac42/);
    expect(hashOf("UNISWAP_V3")).toMatch(/^0xe34f199b/);
  });

  it("has pools between anchors whose prices are the anchors', to one percent", async () => {
    for (const { devnet, client } of both()) {
      const states = await readPoolStates(devnet, client);
      const anchored = devnet.pools.flatMap((pool, index) => {
        const [anchor0, anchor1] = [pool.token0, pool.token1].map((token) =>
          devnet.anchors.find(({ address }) => address === token),
        );
        if (anchor0 === undefined || anchor1 === undefined) return [];
        const [first, second] = states[index]!.numbers.map(Number) as [number, number];
        const ratio = pool.dexId === "UNISWAP_V3" ? (first / 2 ** 96) ** 2 : second / first;
        const scale = 10 ** (anchor0.decimals - anchor1.decimals);
        return [(ratio * scale * anchor1.priceUsd) / anchor0.priceUsd];
      });
      expect(anchored.length).toBeGreaterThan(5);
      for (const price of anchored) expect(Math.abs(price - 1)).toBeLessThan(0.01);
    }
  });

  it("has traders with all tokens", async () => {
    const { devnet, client } = base;
    for (const trader of devnet.traders)
      for (const { address } of devnet.tokens) {
        const args = [trader.address] as const;
        const contract = { address, abi, functionName: "balanceOf", args } as const;
        expect(await client.readContract(contract)).toBeGreaterThan(0n);
      }
  });

  it("has five accounts for users with all tokens, which the node signs for and nobody used", async () => {
    for (const { devnet, client, call } of both()) {
      const { accounts } = devnet;
      const own = await call<string[]>("eth_accounts");
      expect(own.slice(1, 6).map((account) => account.toLowerCase())).toEqual(accounts);
      expect(accounts).toHaveLength(5);
      for (const account of accounts) {
        expect(await client.getTransactionCount({ address: account })).toBe(0);
        expect(await client.getBalance({ address: account })).toBeGreaterThan(10n ** 21n);
        const contract = { abi, functionName: "balanceOf", args: [account] } as const;
        const balances = await Promise.all(
          devnet.tokens.map(({ address }) => client.readContract({ ...contract, address })),
        );
        for (const [index, { decimals }] of devnet.tokens.entries())
          expect(balances[index]).toBeGreaterThan(10n ** BigInt(decimals));
      }
    }
  });
});

const padded = (word: Hex | number): string => BigInt(word).toString(16).padStart(64, "0");
