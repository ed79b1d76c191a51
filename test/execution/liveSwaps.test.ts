import type { Address } from "@millrace/core";
import { approvalsFor, type BuiltSwap, type SwapOrder, simulateSwap } from "@millrace/execution";
import { law, RandomSource, surely, surelyBelow, TEST_SEED } from "@millrace/testing";
import { Effect } from "effect";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { erc20Abi } from "../live/abis.ts";
import type { DeployedPool } from "../live/paths.ts";
import { withDeployment } from "../live/paths.ts";
import { RandomTraders } from "../live/RandomTraders.ts";
import { readPools } from "../live/readPools.ts";
import { type Balances, NATIVE, type Receipt, SwapSender } from "../live/SwapSender.ts";
import { drawDust, drawManyTokenSwap, drawSwap, type SwapCase } from "../live/swapCases.ts";

// Random swaps are built, signed with a key, sent and mined. Balances before and after show their
// effects, independently of the package that built them.

/** Swaps of one market, before the crowd moves it on. */
const OF_ONE_MARKET = 100;
/** One of this many swaps is sent only after other trades have moved the prices. */
const MOVED_EVERY = 8;
const PATIENCE_MS = 900_000;
/** The native token as pools know it. */
const NATIVE_CURRENCY: Address = `0x${"0".repeat(40)}`;
/** Further families that swaps must pass on each network. */
const FAMILIES = {
  ETH: ["uniswap-v4", "pancake-v3", "algebra-integral"],
  BASE: ["uniswap-v4", "pancake-v3", "aerodrome-volatile", "slipstream"],
};
/** Legs of pools of many tokens. */
const MANY_TOKENS = {
  ETH: ["curve-stable", "curve-crypto", "erc4626", "lido", "balancer-v2", "balancer-v3"],
  BASE: ["curve-stable", "curve-crypto", "balancer-v2", "balancer-v3"],
};
/** Families whose fees depend on the time. */
const TIMED = ["algebra-integral", "slipstream"];

describe.each(["ETH", "BASE"] as const)("swaps on %s", { timeout: PATIENCE_MS }, (network) => {
  const random = new RandomSource(TEST_SEED);
  const tally = new Map<string, number>();
  let desk: SwapSender;
  let crowd: RandomTraders;
  let pools: ReadonlyArray<DeployedPool>;
  let richest: Balances;
  let tokens: ReadonlyArray<Address>;

  beforeAll(async () => {
    desk = await SwapSender.open(network, TEST_SEED);
    crowd = new RandomTraders(desk.live.chain, desk.live.devnet, TEST_SEED);
    tokens = desk.live.devnet.tokens.map(({ address }) => address);
    [richest] = (await desk.balances([desk.sender], tokens)) as [Balances];
  });
  afterAll(() => desk?.close());

  const count = (...names: ReadonlyArray<string>) => {
    for (const name of names) tally.set(name, (tally.get(name) ?? 0) + 1);
  };

  async function nextMarket(): Promise<void> {
    await crowd.blocks(1, 60);
    for (let block = 0; block < 3; block++) await desk.live.run(desk.live.devnet.traffic.block(4));
    await desk.live.caughtUp();
    const readings = await readPools(desk.live.chain, desk.live.devnet);
    pools = [...readings.values()].map((pool) => withDeployment(pool, desk.live.devnet));
  }

  /** A swap that the sender can pay. */
  function draw(drawOne: (...of: Parameters<typeof drawSwap>) => SwapCase | undefined): SwapCase {
    for (;;) {
      const drawn = drawOne(desk, pools, random);
      if (drawn === undefined) continue;
      const { amountIn, tokenIn } = drawn.order;
      if (amountIn * 8n < richest.get(tokenIn)!) return drawn;
    }
  }

  it("give what was quoted to the wei, and never less than the minimum", async () => {
    const { cases } = law(`swaps do what was quoted on ${network}`, 60);
    for (let done = 0; done < cases; ) {
      if (done % OF_ONE_MARKET === 0) await nextMarket();
      await desk.live.caughtUp();
      const { order } = draw(drawSwap);
      // Some swaps use the executor alone, since the Universal Router is preferred where it can
      // swap.
      const built = random.integer(3) === 0 ? desk.build(order, desk.ownTable) : desk.build(order);
      const told = describeOrder(order, built.refused ? undefined : built);
      if (built.refused) {
        // Only dust, and routes that no router supports, may be refused.
        expect(
          ["NO_ROUTER", "AMOUNT_TOO_SMALL"],
          `${built.code} ${built.detail}: ${told}`,
        ).toContain(built.code);
        count(built.code);
        continue;
      }
      const isMoved = done % MOVED_EVERY === MOVED_EVERY - 1;
      await execute(order, built, isMoved, told);
      done++;
    }
    const seen = Object.fromEntries([...tally].sort());
    console.log(JSON.stringify(seen));
    const areMet = (part: number, names: ReadonlyArray<string>) => {
      for (const name of names)
        expect(tally.get(name) ?? 0, name).toBeGreaterThanOrEqual(surely(part * cases));
    };
    areMet(0.2, ["executor", "universal-router", "exactIn", "exactOut", "fee", "mixed"]);
    areMet(0.06, ["nativeIn", "nativeOut", "split", "4 hops", "elsewhere", "approved"]);
    areMet(0.04, [...FAMILIES[network], "native pool"]);
    // Aerodrome's and Curve's pools have no exact output.
    expect(tally.get("NO_ROUTER") ?? 0).toBeLessThanOrEqual(surelyBelow(cases / 10));
  });

  it("through pools of many tokens give what was quoted to the wei, and leave no allowance", async () => {
    const { cases } = law(`swaps through pools of many tokens on ${network}`, 96);
    const { manyTokens } = desk.live.devnet.families!;
    const before = new Map(tally);
    for (let done = 0; done < cases; ) {
      if (done % OF_ONE_MARKET === 0) await nextMarket();
      await desk.live.caughtUp();
      // All pools take turns; at first each is swapped by itself.
      const pool = manyTokens[done % manyTokens.length]!;
      const isOwn = done < manyTokens.length || random.integer(2) === 0;
      const { order } = draw(() => drawManyTokenSwap(desk, pool, isOwn, random));
      const built = desk.build(order);
      const told = describeOrder(order, built.refused ? undefined : built);
      if (built.refused) {
        expect(["NO_ROUTER", "AMOUNT_TOO_SMALL"], `${built.code}: ${told}`).toContain(built.code);
        continue;
      }
      await execute(order, built, false, told);
      done++;
    }
    const added = (name: string) => (tally.get(name) ?? 0) - (before.get(name) ?? 0);
    const seen = MANY_TOKENS[network].map((name) => [name, added(name)] as const);
    console.log(JSON.stringify(Object.fromEntries(seen)));
    for (const [name, count] of seen) expect(count, name).toBeGreaterThan(0);
  });

  it("give dust exactly where they are built, whatever rounding costs on the way", async () => {
    const { cases } = law(`swaps of dust do what was quoted on ${network}`, 12);
    let refused = 0;
    for (let done = 0; done < cases; ) {
      if (done % OF_ONE_MARKET === 0) await nextMarket();
      await desk.live.caughtUp();
      const { order } = draw(drawDust);
      const built = desk.build(order, random.integer(2) === 0 ? desk.ownTable : desk.table);
      const told = describeOrder(order, built.refused ? undefined : built);
      if (!built.refused) {
        await execute(order, built, false, told);
        done++;
        continue;
      }
      expect(["NO_ROUTER", "AMOUNT_TOO_SMALL"], `${built.code}: ${told}`).toContain(built.code);
      if (built.code === "AMOUNT_TOO_SMALL") refused++;
    }
    expect(refused).toBeLessThan(cases / 4);
  });

  /** The remaining allowances of the executor for the pools and vaults of a swap. */
  async function allowancesOf(
    paths: BuiltSwap["intent"]["paths"],
  ): Promise<ReadonlyArray<string | undefined>> {
    const legs = paths.flatMap((path) => path.legs);
    const calls = legs.flatMap(({ pool, tokenIn }) => {
      const args = [desk.executor, pool] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args });
      return tokenIn === NATIVE_CURRENCY ? [] : [{ to: tokenIn, data }];
    });
    const answers = await desk.live.chain.callAll(calls);
    return answers.filter((answer) => BigInt(answer ?? 0n) !== 0n);
  }

  async function execute(order: SwapOrder, built: BuiltSwap, isMoved: boolean, told: string) {
    const { intent, router, swap } = built;
    const protocols = new Set(intent.paths.flatMap(({ legs }) => legs.map((leg) => leg.protocol)));
    // Some fees move with every second, so the swap is mined at the quoted block's time.
    const quotedAt = desk.live.engine.graph.stamp.timestampMs;
    const isTimed = [...protocols].some((name) => TIMED.includes(name));
    const { executor, sender, table } = desk;
    const universal = table.universalRouter!.address;
    const approvals = await Effect.runPromise(
      approvalsFor(intent, router, false, {
        ...{ table, resetTokens: new Set<Address>(), chain: desk.access },
      }),
    );
    if (!isMoved && !isTimed && random.integer(4) === 0) {
      const simulation = await Effect.runPromise(
        simulateSwap(intent, approvals, swap, desk.access),
      );
      expect(simulation, told).toMatchObject({
        kind: "done",
        amountIn: expect.any(BigInt) as bigint,
        amountOut:
          order.kind === "exactIn"
            ? intent.amountOut - intent.feeAmount
            : (expect.any(BigInt) as bigint),
      });
      count("simulated");
    }
    for (const approval of approvals) {
      expect((await desk.send(approval, quotedAt)).status, told).toBe("0x1");
      count("approved");
    }
    if (isMoved) await desk.live.run(desk.live.devnet.traffic.block(3));
    const feeTo = intent.fee?.recipient ?? NATIVE;
    const holders = [sender, intent.recipient, feeTo, executor, universal];
    const before = await desk.balances(holders, tokens);
    const receipt = await desk.send(swap, isMoved ? undefined : quotedAt);
    const after = await desk.balances(holders, tokens);
    const change = (holder: number, token: Address) =>
      after[holder]!.get(token)! - before[holder]!.get(token)!;
    // Routers keep nothing, whatever happens.
    for (const token of [...tokens, NATIVE]) {
      expect(after[3]!.get(token), told).toBe(0n);
      expect(change(4, token), told).toBe(0n);
    }
    if (router.kind === "executor") expect(await allowancesOf(intent.paths), told).toEqual([]);
    count(
      router.kind,
      order.kind,
      `${Math.max(...intent.paths.map(({ legs }) => legs.length))} hops`,
    );
    if (intent.paths.length > 1) count("split");
    if (protocols.size > 1) count("mixed");
    count(...protocols);
    const isNativePool = intent.paths.some(({ legs }) =>
      legs.some(({ tokenIn, tokenOut }) => [tokenIn, tokenOut].includes(NATIVE_CURRENCY)),
    );
    if (isNativePool) count("native pool");
    if (receipt.status !== "0x1") {
      // Only a swap whose market has moved may fail.
      expect(isMoved, `failed: ${told}`).toBe(true);
      count("reverted");
      return;
    }
    const assetIn = order.isNativeIn ? NATIVE : order.tokenIn;
    const assetOut = order.isNativeOut ? NATIVE : order.tokenOut;
    const own = intent.recipient === sender;
    const paid = -change(0, assetIn) - (order.isNativeIn ? feeOf(receipt) : 0n);
    const gained = change(1, assetOut) + (own && order.isNativeOut ? feeOf(receipt) : 0n);
    const feeGained = intent.fee === undefined ? 0n : change(2, order.tokenOut);
    const gross = gained + feeGained;
    if (intent.fee !== undefined) {
      expect(feeGained, told).toBe((gross * BigInt(intent.fee.bps)) / 10_000n);
      count("fee");
    }
    if (!own) count("elsewhere");
    if (order.isNativeIn) count("nativeIn");
    if (order.isNativeOut) count("nativeOut");
    expect(gained, told).toBeGreaterThanOrEqual(intent.amountOutMin);
    expect(paid, told).toBeLessThanOrEqual(intent.amountInMax);
    if (isMoved) return count("moved");
    if (order.kind === "exactIn") {
      expect([paid, gross], told).toEqual([order.amountIn, order.amountOut]);
      return;
    }
    // A contract's own exact output may need a little more than the least input.
    if (paid === order.amountIn) count("least input");
    expect(paid, told).toBeGreaterThanOrEqual(order.amountIn);
    if (gross === order.amountOut) count("exact output");
    expect(gross, told).toBeGreaterThanOrEqual(order.amountOut);
  }
});

const feeOf = ({ gasUsed, effectiveGasPrice }: Receipt): bigint =>
  BigInt(gasUsed) * BigInt(effectiveGasPrice);

function describeOrder(order: SwapOrder, built: BuiltSwap | undefined): string {
  const steps = order.steps.map(
    ({ pool, amountIn, amountOut }) => `${pool} ${amountIn} ${amountOut}`,
  );
  const flags = `${order.isNativeIn ? "native in " : ""}${order.isNativeOut ? "native out " : ""}`;
  const head = `${order.kind} ${flags}${order.tokenIn} ${order.amountIn} for ${order.tokenOut} ${order.amountOut}`;
  const fee = order.fee === undefined ? "" : `, fee ${order.fee.bps}`;
  return `${head}, ${order.slippagePpm} ppm${fee}, ${built?.router.kind}: ${steps.join("; ")}`;
}
