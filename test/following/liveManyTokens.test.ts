import { poolKey, REFUSED } from "@millrace/core";
import {
  curveCryptoAbi,
  curveNgPoolAbi,
  type ManyTokenPool,
  ManyTokenReader,
} from "@millrace/devnet";
import { budget, RandomSource, TEST_SEED, until } from "@millrace/testing";
import { type Address, encodeFunctionData, type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { batched } from "../live/batched.ts";
import { type LiveMarket, openLiveMarket } from "../live/LiveMarket.ts";
import { familyStateOf } from "../live/readFamilies.ts";
import { readManyTokens } from "../live/readManyTokens.ts";

// Pools of many tokens are governed and traded in. Their states in the graph are compared with the
// contracts, and quotes with the swaps themselves.

const PATIENCE_MS = 600_000;
const random = new RandomSource(TEST_SEED);
const tokenAbi = parseAbi(["function transfer(address to, uint256 amount) returns (bool)"]);
/** Inputs of swaps: a balance is divided by these. */
const SHARES = [10n ** 7n, 10n ** 5n, 1_000n, 50n, 3n, 1n];

/** A push follows only the first one. */
const NETWORKS = (["ETH", "BASE"] as const).slice(0, budget(2));

describe.each(NETWORKS)("pools of many tokens on %s", { timeout: PATIENCE_MS }, (network) => {
  let live: LiveMarket;
  let contracts: ManyTokenReader;
  beforeAll(async () => {
    // Without audits, so that errors of the follower persist and are found here.
    const following = async () => ({ auditedPools: 0 });
    live = await openLiveMarket(network, TEST_SEED, following, { families: true });
    const { families, traders } = live.devnet;
    const trader = traders[0]!.address;
    contracts = new ManyTokenReader(batched(live.chain), families!.contracts, trader);
  });
  afterAll(() => live?.close());

  const pools = () => live.devnet.families!.manyTokens;
  const ofKind = (kind: ManyTokenPool["kind"]) => pools().filter((pool) => pool.kind === kind);
  const trade = async (blocks: number) => {
    for (let block = 0; block < blocks; block++) await live.run(live.devnet.traffic.block(8));
  };

  async function send(from: Address, to: Address, data: Hex): Promise<void> {
    const sent = { from, to, data, gas: "0x1e8480" };
    const method = "eth_sendTransactionSync";
    const { status } = await live.chain.request<{ status: Hex }>(method, [sent]);
    expect(status).toBe("0x1");
  }
  const govern = (to: Address, data: Hex) =>
    send(live.devnet.families!.contracts.governor, to, data);

  /** Compares states byte for byte, and for each pool and direction a swap to the wei. */
  async function expectSameAsChain(): Promise<number> {
    await live.caughtUp();
    await until(
      () => live.source.status().waitingPools === 0,
      () => JSON.stringify(live.source.status().dexes),
    );
    const { engine, chain, devnet } = live;
    for (const { pool, state } of await readManyTokens(chain, devnet)) {
      const found = engine.graph.findPool(poolKey(pool.id));
      const told = `${pool.kind} ${pool.id}, ${JSON.stringify(live.source.status().dexes)}`;
      expect(found, told).toBeDefined();
      expect(familyStateOf(engine, found!), `${pool.kind} ${pool.id}`).toEqual(state);
    }
    const swaps = pools().flatMap((pool) => drawSwaps(pool));
    const answers = await Promise.all(swaps.map(({ pool, swap }) => contracts.quote(pool, swap)));
    let exchanged = 0;
    for (const [index, { pool, swap, quoted }] of swaps.entries()) {
      const answer = answers[index];
      const { positionIn, positionOut, amountIn } = swap;
      const told = `${pool.kind} ${pool.address}: ${amountIn} of ${positionIn} for ${positionOut}`;
      // The contract may still execute a refused swap, where the pool is nearly empty or full.
      if (quoted !== REFUSED) expect(quoted, told).toBe(answer);
      else if (isOrdinary(pool, swap)) expect(answer, told).toBeUndefined();
      if (quoted !== REFUSED) exchanged++;
    }
    return exchanged;
  }

  function drawSwaps(pool: ManyTokenPool) {
    const { graph, familyOf } = live.engine;
    const index = graph.findPool(poolKey(pool.id))!;
    const curve = familyOf(index);
    const held = curve.tokenAmounts(index);
    return pool.tokens.flatMap((_, positionIn) =>
      pool.tokens.flatMap((_, positionOut) => {
        if (positionIn === positionOut) return [];
        // A vault holds more than the payer has.
        const parts = random.pick(SHARES) * (pool.kind === "erc4626" ? 100n : 1n);
        const amountIn = held[positionIn]! / parts + BigInt(random.integer(100)) + 1n;
        const swap = { positionIn, positionOut, amountIn };
        return [
          { pool, swap, quoted: curve.quoteExactIn(index, positionIn, positionOut, amountIn) },
        ];
      }),
    );
  }

  /** Whether a swap has a size at which only the contract itself would refuse. */
  function isOrdinary(
    pool: ManyTokenPool,
    { positionIn, amountIn }: { positionIn: number; amountIn: bigint },
  ) {
    const { graph, familyOf } = live.engine;
    const index = graph.findPool(poolKey(pool.id))!;
    const held = familyOf(index).tokenAmounts(index)[positionIn]!;
    return amountIn < held / 20n && amountIn > held / 10n ** 6n && pool.kind.startsWith("curve");
  }

  it("are all in the market, and what their contracts say, block after block", async () => {
    await live.caughtUp();
    let exchanged = await expectSameAsChain();
    for (let round = 0; round < budget(3); round++) {
      await trade(3);
      exchanged += await expectSameAsChain();
    }
    expect(exchanged).toBeGreaterThan(2 * pools().length);
    expect(live.source.status().dexes.flatMap(({ refused }) => refused)).not.toContainEqual(
      expect.objectContaining({ reason: "an unknown version" }),
    );
  });

  it("are taken back with the blocks of a reorganisation", async () => {
    await trade(3);
    await expectSameAsChain();
    const { reorganisations } = live.source.status();
    await live.run(live.devnet.traffic.reorganise(3));
    await expectSameAsChain();
    expect(live.source.status().reorganisations).toBeGreaterThan(reorganisations);
  });

  it("have at every block of a ramp A and gamma as they are then, and after it", async () => {
    const { timestampMs } = await live.chain.head();
    const end = BigInt(timestampMs / 1_000 + 86_400 * 2);
    for (const { address } of ofKind("curve-stable-ng")) {
      const ramp = { functionName: "ramp_A", args: [350n, end] } as const;
      await govern(address, encodeFunctionData({ abi: curveNgPoolAbi, ...ramp }));
    }
    for (const { address } of ofKind("curve-crypto")) {
      const read = {
        to: address,
        data: encodeFunctionData({ abi: curveCryptoAbi, functionName: "A" }),
      };
      const [a] = await live.chain.callAll([read]);
      const gamma = encodeFunctionData({ abi: curveCryptoAbi, functionName: "gamma" });
      const [g] = await live.chain.callAll([{ to: address, data: gamma }]);
      const args = [(BigInt(a!) * 5n) / 4n, (BigInt(g!) * 5n) / 4n, end] as const;
      const ramp = { functionName: "ramp_A_gamma", args } as const;
      await govern(address, encodeFunctionData({ abi: curveCryptoAbi, ...ramp }));
    }
    for (const seconds of [600, 40_000, 80_000, 90_000]) {
      await live.chain.request("evm_increaseTime", [seconds]);
      await trade(1);
      await expectSameAsChain();
    }
  });

  it("charge what is changed of their fees, and keep what is given to them out of it", async () => {
    for (const { address } of ofKind("curve-stable-ng")) {
      const fees = { functionName: "set_new_fee", args: [7_000_000n, 30_000_000_000n] } as const;
      await govern(address, encodeFunctionData({ abi: curveNgPoolAbi, ...fees }));
    }
    for (const { address } of ofKind("curve-crypto")) {
      const terms = { midFee: 9_000_000n, outFee: 60_000_000n, feeGamma: 10n ** 16n };
      const rest = { allowedExtraProfit: 10n ** 10n, adjustmentStep: 10n ** 14n, maTime: 600n };
      const change = {
        functionName: "apply_new_parameters",
        args: [{ ...terms, ...rest }],
      } as const;
      await govern(address, encodeFunctionData({ abi: curveCryptoAbi, ...change }));
    }
    const trader = live.devnet.traders[1]!.address;
    for (const { address, tokens, kind } of pools()) {
      if (kind === "lido") continue;
      const args = [address, 12_345n] as const;
      const data = encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args });
      await send(trader, tokens[0]!, data);
    }
    await expectSameAsChain();
    await trade(2);
    await expectSameAsChain();
  });

  it("are byte for byte what is read of the whole chain anew", async () => {
    const { source, engine } = live;
    await live.caughtUp();
    const report = await live.run(source.verify(engine.snapshot()));
    expect(report).toMatchObject({ equal: true, differences: [] });
    expect(source.status()).toMatchObject({ driftedPools: 0, resynchronisations: 0, defects: 0 });
    expect(live.rejected).toEqual([]);
  });
});
