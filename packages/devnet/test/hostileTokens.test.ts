import { Effect } from "effect";
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenDevnet, openDevnet } from "./openDevnet.ts";

const abi = parseAbi([
  "function owner() view returns (address)",
  "function isPool(address) view returns (bool)",
  "function balanceOf(address) view returns (uint256)",
  "function reentries() view returns (uint256)",
  "function transfer(address to, uint256 value)",
  "function transferFrom(address from, address to, uint256 value)",
  "function approve(address spender, uint256 value)",
  "function setKind(uint8 kind)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)",
]);
const TRUE = numberToHex(1, { size: 32 });
const FALSE = numberToHex(0, { size: 32 });
const AMOUNT = 10n ** 18n;

let chain: OpenDevnet;
let holder: Address;
let other: Address;

beforeAll(async () => {
  chain = await openDevnet({
    network: "ETH",
    hostileTokens: true,
    // PUSH1 1, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 1, PUSH1 0, RETURN, STOP
    deploy: () => ["0x6001600c60003960016000f300", "0x6001600d60003960016000f300fe"],
  });
  [holder, other] = chain.devnet.traders.map(({ address }) => address) as [Address, Address];
});
afterAll(() => chain?.close());

const hostile = (kind: string) =>
  chain.devnet.hostileTokens.find((token) => token.kind === kind)!.address;

const pairOf = (token: Address) =>
  chain.devnet.pools.find(
    ({ dexId, token0, token1 }) => dexId === "UNISWAP_V2" && [token0, token1].includes(token),
  )!;

const balance = (token: Address, of: Address) =>
  chain.client.readContract({ address: token, abi, functionName: "balanceOf", args: [of] });

const encode = (functionName: "transfer" | "approve", to: Address, value: bigint) =>
  encodeFunctionData({ abi, functionName, args: [to, value] });

/** Sends from an account that the node signs for; whether it went through. */
async function send(from: Address, to: Address, data: Hex): Promise<boolean> {
  const transaction = { from, to, data, gas: numberToHex(1_000_000) };
  const request = { method: "eth_sendTransactionSync", params: [transaction] };
  const { status } = (await chain.client.request(request as never)) as { status: Hex };
  return status === "0x1";
}

const returned = async (token: Address, data: Hex, from = holder) =>
  (await chain.client.call({ account: from, to: token, data })).data;

/** What a recipient gains of a transfer of one token; undefined when it reverts. */
async function arrives(token: Address, to: Address): Promise<bigint | undefined> {
  const before = await balance(token, to);
  if (!(await send(holder, token, encode("transfer", to, AMOUNT)))) return undefined;
  return (await balance(token, to)) - before;
}

/** Asks a pair for a token that is worth two dollars, for 1/1,700 WETH of 3,500. */
async function buys(token: Address): Promise<boolean> {
  const { address, token0 } = pairOf(token);
  const { wrappedNative } = chain.devnet;
  expect(await send(holder, wrappedNative, encode("transfer", address, AMOUNT / 1_700n))).toBe(
    true,
  );
  const [amount0, amount1] = token0 === token ? [AMOUNT, 0n] : [0n, AMOUNT];
  const args = [amount0!, amount1!, holder, "0x"] as const;
  return send(holder, address, encodeFunctionData({ abi, functionName: "swap", args }));
}

describe("a devnet's hostile tokens", () => {
  it("come with pools that know reserves, and leave everything else where it is", async () => {
    const without = await openDevnet({ network: "ETH" });
    try {
      const { devnet } = chain;
      const { length } = without.devnet.pools;
      expect(without.devnet.hostileTokens).toEqual([]);
      expect(without.devnet.deployed).toEqual([]);
      expect(devnet.contracts).toEqual(without.devnet.contracts);
      expect(devnet.tokens).toEqual(without.devnet.tokens);
      expect(devnet.pools.slice(0, length)).toEqual(without.devnet.pools);
      const added = devnet.pools.slice(length);
      expect(added.length).toBe(devnet.hostileTokens.length + 3);
      for (const { address, dexId, token0, token1 } of added) {
        const token = devnet.hostileTokens.find((each) => [token0, token1].includes(each.address))!;
        expect(
          await chain.client.readContract({
            ...{ address: token.address, abi, functionName: "isPool", args: [address] },
          }),
        ).toBe(true);
        if (dexId === "UNISWAP_V2") {
          const reserves = await chain.client.readContract({
            ...{ address, abi, functionName: "getReserves" },
          });
          expect(reserves[0] > 0n && reserves[1] > 0n).toBe(true);
        } else expect(await balance(token.address, address)).toBeGreaterThan(0n);
      }
    } finally {
      await without.close();
    }
  });

  it("tax every transfer, or only what a pool gets", async () => {
    const taxed = hostile("taxed");
    expect(await arrives(taxed, other)).toBe((AMOUNT * 95n) / 100n);
    expect(await arrives(taxed, pairOf(taxed).address)).toBe((AMOUNT * 95n) / 100n);
    const onSale = hostile("taxedOnSale");
    expect(await arrives(onSale, other)).toBe(AMOUNT);
    expect(await arrives(onSale, pairOf(onSale).address)).toBe((AMOUNT * 95n) / 100n);
  });

  it("let themselves be bought and not sold, or not even bought", async () => {
    const honeypot = hostile("honeypot");
    expect(await buys(honeypot)).toBe(true);
    expect(await arrives(honeypot, other)).toBe(AMOUNT);
    expect(await arrives(honeypot, pairOf(honeypot).address)).toBeUndefined();
    const unbuyable = hostile("unbuyable");
    expect(await buys(unbuyable)).toBe(false);
    expect(await arrives(unbuyable, pairOf(unbuyable).address)).toBe(AMOUNT);
  });

  it("shrink in everybody's hands, a millionth in each block", async () => {
    const token = hostile("rebasing");
    const before = await balance(token, holder);
    await chain.client.request({ method: "evm_mine" } as never);
    const after = await balance(token, holder);
    expect(after).toBeLessThan(before);
    expect(Number(before - after) / Number(before)).toBeCloseTo(1e-6, 8);
    expect(await buys(token)).toBe(false); // the pair has less than it believes
  });

  it("answer nothing, or false where others revert", async () => {
    const nothing = hostile("noReturn");
    for (const data of [encode("transfer", other, 1n), encode("approve", other, 1n)])
      expect(await returned(nothing, data)).toBeUndefined();
    expect(await arrives(nothing, other)).toBe(AMOUNT);
    const token = hostile("falseOnFailure");
    const tooMuch = (await balance(token, holder)) + 1n;
    expect(await returned(token, encode("transfer", other, tooMuch))).toBe(FALSE);
    expect(await returned(token, encode("transfer", other, 1n))).toBe(TRUE);
    const args = [other, holder, 1n] as const;
    const take = encodeFunctionData({ abi, functionName: "transferFrom", args });
    expect(await returned(token, take)).toBe(FALSE);
  });

  it("set an allowance only where there was none", async () => {
    const token = hostile("resetAllowance");
    expect(await send(holder, token, encode("approve", other, 5n))).toBe(true);
    expect(await send(holder, token, encode("approve", other, 6n))).toBe(false);
    expect(await send(holder, token, encode("approve", other, 0n))).toBe(true);
    expect(await send(holder, token, encode("approve", other, 6n))).toBe(true);
  });

  it("call their caller, where a pair's lock holds", async () => {
    const token = hostile("reentering");
    expect(await buys(token)).toBe(true);
    const reentries = await chain.client.readContract({
      ...{ address: token, abi, functionName: "reentries" },
    });
    expect(reentries).toBe(0n);
  });

  it("turn into another kind when their owner says so, and for nobody else", async () => {
    const token = hostile("noReturn");
    const turn = encodeFunctionData({ abi, functionName: "setKind", args: [1] });
    expect(await send(holder, token, turn)).toBe(false);
    const owner = await chain.client.readContract({ address: token, abi, functionName: "owner" });
    expect(await send(owner, token, turn)).toBe(true);
    expect(await arrives(token, other)).toBe((AMOUNT * 95n) / 100n);
  });
});

describe("a devnet", () => {
  it("deploys what it is given, in order, after its own contracts", async () => {
    const { deployed } = chain.devnet;
    expect(deployed.length).toBe(2);
    const codes = await Promise.all(deployed.map((address) => chain.client.getCode({ address })));
    expect(codes).toEqual(["0x00", "0xfe"]);
  });

  it("says when a contract cannot be deployed", async () => {
    await expect(openDevnet({ network: "BASE", deploy: () => ["0xfe"] })).rejects.toMatchObject({
      _tag: "DevnetError",
      reason: "Reverted",
    });
  });

  it("has traffic that does not trip over hostile tokens", async () => {
    const done = await Effect.runPromise(
      Effect.forEach(Array.from({ length: 40 }), () => chain.devnet.traffic.step),
    );
    expect(done.filter(({ succeeded }) => !succeeded)).toEqual([]);
  });
});
