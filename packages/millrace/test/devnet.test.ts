import { TEST_SEED } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AppliedHead, MillraceError, type QuoteUpdate, type SwapTerms } from "../src/index.ts";
import { FacadeChain } from "./FacadeChain.ts";

const PATIENCE = { timeout: 300_000 };
const ETHER = 10n ** 18n;
const RECIPIENT = "0x00000000000000000000000000000000feed0002";
/** More than contracts ask above the least input, for roundings. */
const ROUNDINGS = 10n;

let local: FacadeChain;
beforeAll(async () => {
  local = await FacadeChain.open(TEST_SEED);
}, PATIENCE.timeout);
afterAll(() => local?.close());

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "none",
    (error) => (error instanceof MillraceError ? error.code : `no code: ${error}`),
  );

describe("the facade on a chain", PATIENCE, () => {
  it("calls back once with every block, in their order", async () => {
    const heads: AppliedHead[] = [];
    const { number } = local.engine.health().block;
    const stop = local.engine.onBlock((head) => heads.push(head));
    await local.mine(5);
    await swapOne(3n * ETHER);
    stop();
    await local.mine(1);
    const last = heads.at(-1)!;
    expect(heads.map((head) => head.number)).toEqual(
      Array.from({ length: last.number - number }, (_, index) => number + 1 + index),
    );
    expect(heads.slice(0, 5).every(({ changedPools }) => changedPools.length === 0)).toBe(true);
    expect(last.changedPools.length).toBeGreaterThan(0);
  });

  it("says what it is of", () => {
    const { network, chainId } = local.engine;
    expect(network).toMatchObject({ id: "LOCAL", chainId, nativeSymbol: "ETH", isDevnet: false });
    expect(network.rpcUrls).toEqual([local.chain.devnet.rpcUrl]);
    expect(network.dexes.map(({ id }) => id)).toContain("UNISWAP_V3");
    const { ready, reason, poolCount } = local.engine.health();
    expect([ready, reason, poolCount > 10]).toEqual([true, undefined, true]);
  });

  it("has transactions for a quote, which give what was shown, to the wei", async () => {
    const { engine, trader } = local;
    for (const [tokenIn, tokenOut, amountIn, more] of [
      ["WETH", "USDC", ETHER, {}],
      ["USDC", "DAI", 1_000n * 10n ** 6n, { maxSplits: 4 }],
      ["ETH", "DAI", ETHER, { gasAware: true }],
    ] as const) {
      const quote = await engine.quote({ tokenIn, tokenOut, amountIn, ...more });
      expect([quote.executable, quote.unverified]).toEqual([true, []]);
      const swap = await engine.swap(quote, { sender: trader, recipient: RECIPIENT });
      expect(swap.simulated).toBe(true);
      expect(swap.minAmountOut).toBe(quote.amountOut - (quote.amountOut * 5n + 999n) / 1_000n);
      const token = local.addressOf(tokenOut);
      const before = await local.balanceOf(token, RECIPIENT);
      await local.send(swap.transactions);
      expect((await local.balanceOf(token, RECIPIENT)) - before).toBe(quote.amountOut);
    }
  });

  it("has them for an exact output as well", async () => {
    const { engine, trader } = local;
    const [weth, usdc] = [local.addressOf("WETH"), local.addressOf("USDC")];
    const amountOut = 2_000n * 10n ** 6n;
    const quote = await engine.quote({ tokenIn: weth, tokenOut: usdc, amountOut });
    const { transactions, maxAmountIn, minAmountOut } = await engine.swap(quote, {
      ...{ sender: trader, recipient: RECIPIENT, slippage: 1 },
    });
    expect(minAmountOut).toBeUndefined();
    const before = [await local.balanceOf(usdc, RECIPIENT), await local.balanceOf(weth, trader)];
    await local.send(transactions);
    expect((await local.balanceOf(usdc, RECIPIENT)) - before[0]!).toBe(amountOut);
    const spent = before[1]! - (await local.balanceOf(weth, trader));
    expect(spent >= quote.amountIn && spent <= quote.amountIn + ROUNDINGS).toBe(true);
    expect(maxAmountIn! >= spent).toBe(true);
  });

  it("has a permit that a wallet signs in place of an approval", async () => {
    const { engine, chain } = local;
    const [usdc, weth] = [local.addressOf("USDC"), local.addressOf("WETH")];
    const amountIn = 300n * 10n ** 6n;
    // The one account whose key the node has.
    const [sender] = await chain.call<[string]>("eth_accounts");
    await local.give(sender, usdc, amountIn);
    const quote = await engine.quote({ tokenIn: usdc, tokenOut: weth, amountIn });
    const deadline = Math.floor(engine.health().block.timestampMs / 1_000) + 1_800;
    const { kind, typedData } = await engine.permit(quote, { sender, deadline });
    expect(kind).toBe("PERMIT2");
    const { message } = typedData as { message: { details: Record<string, string> } };
    const { amount, nonce, expiration } = message.details;
    const terms: SwapTerms = {
      ...{ sender, deadline },
      permit: {
        signature: await chain.call<string>("eth_signTypedData_v4", sender, typedData),
        ...{ amount: BigInt(amount!), nonce: BigInt(nonce!), expiration: BigInt(expiration!) },
        deadline: BigInt(deadline),
      },
    };
    const { transactions, simulated } = await engine.swap(quote, terms);
    const before = await local.balanceOf(weth, sender);
    await local.send(transactions);
    expect(simulated).toBe(true);
    expect((await local.balanceOf(weth, sender)) - before).toBe(quote.amountOut);
  });

  it("refuses a swap whose terms make no sense, or whose quote is not true", async () => {
    const { engine, trader: sender } = local;
    const quote = await engine.quote({ tokenIn: "WETH", tokenOut: "USDC", amountIn: ETHER });
    const { universalRouter } = local.chain.devnet.contracts;
    const more = { ...quote, amountOut: quote.amountOut * 2n };
    const cases: ReadonlyArray<readonly [unknown, unknown, string]> = [
      [quote, { sender: "0x12" }, "INVALID_REQUEST"],
      [quote, { sender: "WETH" }, "INVALID_REQUEST"],
      [quote, {}, "INVALID_REQUEST"],
      [quote, null, "INVALID_REQUEST"],
      [quote, { sender, slippage: -1 }, "INVALID_REQUEST"],
      [quote, { sender, slippage: 101 }, "INVALID_REQUEST"],
      [quote, { sender, slippage: Number.NaN }, "INVALID_REQUEST"],
      [quote, { sender, slipage: 1 }, "INVALID_REQUEST"],
      [quote, { sender, publicKey: RECIPIENT }, "INVALID_REQUEST"],
      [quote, { sender, recipient: universalRouter }, "INVALID_REQUEST"],
      [quote, { sender, deadline: 1 }, "INVALID_REQUEST"],
      [more, { sender }, "PRICE_MOVED"],
      [{ ...quote, steps: [] }, { sender }, "INVALID_REQUEST"],
      [{ ...quote, steps: [{ ...quote.steps[0], pool: RECIPIENT }] }, { sender }, "UNKNOWN_POOL"],
    ];
    const codes: string[] = [];
    for (const [given, terms] of cases) {
      codes.push(await codeOf(engine.swap(given as never, terms as never)));
    }
    expect(codes).toEqual(cases.map(([, , code]) => code));
    const signal = AbortSignal.abort();
    expect(await codeOf(engine.swap(quote, { sender }, { signal }))).toBe("ABORTED");
  });

  it("streams each block's answer once, the newest to who reads slowly, and nothing after its end", async () => {
    const updates = local.engine.quotes({ tokenIn: "WETH", tokenOut: "USDC", amountIn: ETHER });
    const first = await read(updates);
    const pending = updates.next();
    await swapOne(2n * ETHER);
    const second = amountOf(await pending);
    expect(second < first).toBe(true);
    // A block that changes nothing of it, and three that do, while nobody reads.
    await local.mine(1);
    for (let swap = 0; swap < 3; swap++) await swapOne(ETHER);
    const newest = await read(updates);
    expect(newest).toBe((await local.engine.quote(ASKED)).amountOut);
    // There is no backlog: the next waits for a block, and `return` ends it.
    const waiting = updates.next();
    await updates.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await updates.next()).toEqual({ done: true, value: undefined });
  });

  it("goes with a reorganisation: blocks, quotes and readings are of the chain that stands", async () => {
    const { engine, chain } = local;
    const before = await engine.quote(ASKED);
    const updates = engine.quotes(ASKED);
    expect(await read(updates)).toBe(before.amountOut);
    // What was asked: another amount may go by other pools, and move nothing.
    await swapOne(ETHER);
    const moved = await read(updates);
    expect(moved < before.amountOut).toBe(true);
    const heads: AppliedHead[] = [];
    const stop = engine.onBlock((head) => heads.push(head));
    await chain.call("anvil_reorg", 1, []);
    await chain.call("anvil_dropAllTransactions");
    await local.caughtUp();
    expect((await engine.quote(ASKED)).amountOut).toBe(before.amountOut);
    expect(await read(updates)).toBe(before.amountOut);
    await updates.return();
    stop();
    // Each block once: the one that stands instead has another hash.
    const hashes = heads.map(({ hash }) => hash);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashes.at(-1)).toBe(engine.health().block.hash);
    expect(heads.at(-1)!.changedPools.length).toBeGreaterThan(0);
  });

  it("is closed once and for all, and refuses what comes after as closed", async () => {
    const { engine, trader: sender } = local;
    const quote = await engine.quote(ASKED);
    const swapping = codeOf(engine.swap(quote, { sender }));
    const reading = engine.quotes(ASKED);
    await read(reading);
    const waiting = reading.next();
    await Promise.all([engine.close(), engine.close()]);
    expect(["none", "CLOSED"]).toContain(await swapping);
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await codeOf(engine.quote(ASKED))).toBe("CLOSED");
    expect(await codeOf(engine.swap(quote, { sender }))).toBe("CLOSED");
    expect(await codeOf(engine.permit(quote, { sender }))).toBe("CLOSED");
    const calls: ReadonlyArray<() => unknown> = [
      () => engine.quotes(ASKED),
      () => engine.onBlock(() => {}),
      () => engine.cycles("WETH"),
      () => engine.prices(),
      () => engine.tokens(),
      () => engine.pools(),
      () => engine.health(),
    ];
    for (const call of calls) expect(call).toThrow("the engine is closed");
    expect(engine.obstacle()).toBe("the engine is closed");
  });
});

const ASKED = { tokenIn: "WETH", tokenOut: "USDC", amountIn: ETHER };

/** Somebody sells ether; the price falls. */
async function swapOne(amountIn: bigint): Promise<void> {
  const quote = await local.engine.quote({ ...ASKED, amountIn });
  const terms = { sender: local.trader, recipient: RECIPIENT, slippage: 5 };
  await local.send((await local.engine.swap(quote, terms)).transactions);
}

async function read(updates: AsyncGenerator<QuoteUpdate, void, void>): Promise<bigint> {
  return amountOf(await updates.next());
}

function amountOf({ value }: IteratorResult<QuoteUpdate, void>): bigint {
  if (value?.kind !== "quote") throw new Error("no quote");
  return value.quote.amountOut;
}
