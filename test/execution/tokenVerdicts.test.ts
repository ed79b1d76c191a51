import type { Address, QuoteRequest } from "@millrace/core";
import {
  type ChainAccess,
  ChainAccessError,
  executorCreationCode,
  makeTokenVerdicts,
  type TokenVerdict,
  type TokenVerdicts,
} from "@millrace/execution";
import { until } from "@millrace/testing";
import { Effect } from "effect";
import { encodeFunctionData, numberToHex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Chain } from "../live/Chain.ts";
import { type LiveMarket, openLiveMarket } from "../live/LiveMarket.ts";

const abi = parseAbi([
  "function owner() view returns (address)",
  "function setKind(uint8 kind)",
  "function transfer(address to, uint256 value)",
  "function sync()",
]);
const PLAIN = 0;
const TAXED = 1;
const PATIENCE_MS = 120_000;
/** A short interval, so that tests need not wait. */
const RETEST_MS = 300;

/** The verdict on each kind, with both taxes in basis points. */
const EXPECTED = {
  taxed: ["taxed", 500, 500],
  taxedOnSale: ["taxed", 0, 500],
  honeypot: ["unsellable", 0, 10_000],
  unbuyable: ["unbuyable", 10_000, 0],
  // Its pair's reserves exceed its balance.
  rebasing: ["unbuyable", 10_000, 0],
  noReturn: ["plain", 0, 0],
  falseOnFailure: ["plain", 0, 0],
  resetAllowance: ["plain", 0, 0],
  reentering: ["plain", 0, 0],
} as const;

const brief = ({ kind, buyTaxBps, sellTaxBps }: TokenVerdict) => [kind, buyTaxBps, sellTaxBps];

/** An engine on a devnet with hostile tokens, and running token tests until it is closed. */
class Court {
  readonly live: LiveMarket;
  readonly verdicts: TokenVerdicts;
  /** Requests of the verdicts to the node, in order. */
  readonly asked: string[] = [];
  /** While true, the node cannot be reached. */
  isSilent = false;

  constructor(live: LiveMarket, withExecutor: boolean) {
    this.live = live;
    const { devnet, engine, chain } = live;
    const access: ChainAccess = (method, params) =>
      Effect.suspend(() => {
        this.asked.push(method);
        if (this.isSilent)
          return Effect.fail(new ChainAccessError({ reason: "Unavailable", detail: "silence" }));
        return Effect.tryPromise({
          try: () => chain.request(method, params),
          catch: (cause) => new ChainAccessError({ reason: "Refused", detail: String(cause) }),
        });
      });
    const [executor] = devnet.deployed;
    this.verdicts = makeTokenVerdicts({
      engine,
      chain: access,
      table: {
        ...{ chainId: devnet.chainId, wrappedNative: devnet.wrappedNative },
        ...(withExecutor && { executor: executor! }),
      },
      plainTokens: new Set(),
      retestMs: RETEST_MS,
    });
  }

  static async open(withExecutor: boolean, dexIds?: ReadonlyArray<string>): Promise<Court> {
    const live = await openLiveMarket(
      "ETH",
      7,
      async ({ dexes }) => ({
        auditedPools: 0,
        dexes: dexes.filter(({ id }) => dexIds?.includes(id) ?? true) as never,
      }),
      {
        hostileTokens: true,
        deploy: ({ wrappedNative }) => [executorCreationCode(wrappedNative)],
      },
    );
    await live.chain.request("evm_mine", []);
    await live.caughtUp();
    return new Court(live, withExecutor);
  }

  start(): void {
    void this.live.run(Effect.forkScoped(this.verdicts.run));
  }

  hostile(kind: string): Address {
    return this.live.devnet.hostileTokens.find((token) => token.kind === kind)!.address;
  }

  /** Waits until a trial finds this verdict. */
  async finds(token: Address, kind: TokenVerdict["kind"]): Promise<TokenVerdict> {
    await until(
      () => this.verdicts.of(token)?.kind === kind,
      () => JSON.stringify(this.verdicts.of(token)),
    );
    return this.verdicts.of(token)!;
  }

  /** Waits until each token has been tried. */
  async hasTried(tokens: ReadonlyArray<Address>): Promise<void> {
    await until(
      () => tokens.every((token) => (this.verdicts.of(token)?.kind ?? "untested") !== "untested"),
      () => JSON.stringify([...this.verdicts.all()]),
    );
  }

  async setKind(token: Address, kind: number): Promise<void> {
    const { chain } = this.live;
    const owner = (await chain.request("eth_call", [
      { to: token, data: encodeFunctionData({ abi, functionName: "owner" }) },
      "latest",
    ])) as string;
    const data = encodeFunctionData({ abi, functionName: "setKind", args: [kind] });
    const from = `0x${owner.slice(-40)}`;
    await send(chain, { from, to: token, data });
    await this.live.caughtUp();
  }
}

/** By an account that the node signs for. */
async function send(chain: Chain, transaction: Readonly<Record<string, string>>): Promise<void> {
  const sent = { ...transaction, gas: numberToHex(1_000_000) };
  const receipt = await chain.request<{ status: string }>("eth_sendTransactionSync", [sent]);
  expect(receipt.status).toBe("0x1");
}

describe("verdicts on a devnet with hostile tokens", { timeout: PATIENCE_MS }, () => {
  let court: Court;
  let all: ReadonlyArray<Address>;

  beforeAll(async () => {
    court = await Court.open(true);
    const { tokens, hostileTokens, wrappedNative } = court.live.devnet;
    all = [...tokens, ...hostileTokens]
      .map(({ address }) => address)
      .filter((address) => address !== wrappedNative);
    court.start();
    await court.hasTried(all);
  }, PATIENCE_MS);
  afterAll(() => court?.live.close());

  it("say what each kind does, with its taxes to the basis point", () => {
    const found = Object.fromEntries(
      court.live.devnet.hostileTokens.map(({ address, kind }) => [
        kind,
        brief(court.verdicts.of(address)!),
      ]),
    );
    expect(found).toEqual(EXPECTED);
  });

  it("say that all others are plain, and nothing of the wrapped native token", () => {
    const { tokens, wrappedNative } = court.live.devnet;
    for (const { address } of tokens) {
      const verdict = court.verdicts.of(address);
      if (address === wrappedNative) expect(verdict).toBeUndefined();
      else expect(brief(verdict!), JSON.stringify(verdict)).toEqual(["plain", 0, 0]);
    }
    expect(new Set([...court.verdicts.all()].map(({ token }) => token))).toEqual(new Set(all));
  });

  it("exclude what bites from the middle of routes, where it would be best, and not from their ends", async () => {
    const { engine, devnet, chain } = court.live;
    const taxed = court.hostile("taxed");
    const pool = devnet.pools.find(
      ({ dexId, token0, token1 }) => dexId === "UNISWAP_V3" && [token0, token1].includes(taxed),
    )!;
    const dollar = pool.token0 === taxed ? pool.token1 : pool.token0;
    // The bait: its pair gives twice as many of it, so that the route through it is the best by
    // far.
    const pair = devnet.pools.find(
      ({ dexId, token0, token1 }) => dexId === "UNISWAP_V2" && [token0, token1].includes(taxed),
    )!;
    const functionName = "transfer";
    const data = encodeFunctionData({ abi, functionName, args: [pair.address, 10n ** 24n] });
    const [{ address: from }] = devnet.traders as never as [{ address: Address }];
    await send(chain, { from, to: taxed, data });
    await send(chain, {
      from,
      to: pair.address,
      data: encodeFunctionData({ abi, functionName: "sync" }),
    });
    await court.live.caughtUp();
    const [tokenIn, tokenOut, middle] = [devnet.wrappedNative, dollar, taxed].map(
      (token) => engine.graph.findToken(token)!,
    );
    const request: QuoteRequest = {
      ...{ tokenIn: tokenIn!, tokenOut: tokenOut!, kind: "exactIn" },
      ...{ amount: 10n ** 16n, maxHops: 3, maxSplits: 4 },
    };
    const passes = () => {
      const result = engine.quoteUnsafe(request);
      return result.found && result.steps.some((step) => step.tokenIn === middle);
    };
    expect(passes()).toBe(false);
    for (const hops of [1, 2, 3]) {
      const named = { ...request, tokenOut: middle!, maxHops: hops };
      expect(engine.quoteUnsafe(named).found).toBe(true);
      const back = { ...named, tokenIn: middle!, tokenOut: tokenOut!, amount: 10n ** 18n };
      expect(engine.quoteUnsafe(back).found).toBe(true);
    }
    // Without its exclusion, routes would take it: the bait works.
    engine.excludeFromTransit(new Set());
    expect(passes()).toBe(true);
    // The next token that turns hostile gets all of them excluded again.
    const turning = court.hostile("noReturn");
    await court.setKind(turning, TAXED);
    await court.finds(turning, "taxed");
    await until(
      () => !passes(),
      () => "still passed",
    );
    await court.setKind(turning, 6);
    await court.finds(turning, "plain");
    expect(passes()).toBe(false);
  });

  it("are no worse where somebody has left some of both tokens in the pair", async () => {
    const { devnet, chain } = court.live;
    const token = court.hostile("reentering");
    const pair = devnet.pools.find(({ token0, token1 }) => [token0, token1].includes(token))!;
    for (const amount of [1n, 10n ** 15n]) {
      for (const left of [token, devnet.wrappedNative]) {
        const args = [pair.address, amount] as const;
        const data = encodeFunctionData({ abi, functionName: "transfer", args });
        await send(chain, { from: devnet.traders[0]!.address, to: left, data });
      }
      await court.live.caughtUp();
      const { number } = court.live.engine.graph.stamp;
      await until(
        () => court.verdicts.of(token)!.blockNumber >= number,
        () => "not tried again",
      );
      expect(court.verdicts.of(token)!.kind).toBe("plain");
    }
  });

  it("change when a token turns, at the retest, with its block", async () => {
    const token = court.hostile("resetAllowance");
    const before = court.verdicts.of(token)!;
    expect(before.kind).toBe("plain");
    await court.setKind(token, TAXED);
    const taxed = await court.finds(token, "taxed");
    expect(brief(taxed)).toEqual(["taxed", 500, 500]);
    // While anvil mines a block, it answers for the one before with the new state, so the change
    // may be found on either. A later trial is of the block of the change.
    await until(
      () => court.verdicts.of(token)!.blockNumber > before.blockNumber,
      () => JSON.stringify(court.verdicts.of(token)),
    );
    expect(brief(court.verdicts.of(token)!)).toEqual(["taxed", 500, 500]);
    await court.setKind(token, PLAIN);
    await court.finds(token, "plain");
  });

  it("stand while no node answers, and go on when one does", async () => {
    const token = court.hostile("falseOnFailure");
    const before = [...court.verdicts.all()].map((verdict) => [verdict.token, verdict.kind]);
    court.isSilent = true;
    await court.setKind(token, TAXED);
    const asked = court.asked.length;
    await until(
      () => court.asked.length > asked + 16,
      () => "nothing is asked",
    );
    expect(new Map([...court.verdicts.all()].map(({ token, kind }) => [token, kind]))).toEqual(
      new Map(before as never),
    );
    court.isSilent = false;
    await court.finds(token, "taxed");
  });

  it("come of questions only: no transaction is sent", () => {
    expect(new Set(court.asked)).toEqual(new Set(["eth_call", "eth_getBlockByNumber"]));
  });
});

describe("verdicts where only concentrated pools are followed", { timeout: PATIENCE_MS }, () => {
  let court: Court;

  beforeAll(async () => {
    // Nothing of the executor is deployed or configured.
    court = await Court.open(false, ["UNISWAP_V3"]);
    await court.live.chain.request("anvil_mine", [numberToHex(300)]);
    await court.live.caughtUp();
    court.start();
    await court.hasTried(["taxed", "honeypot", "rebasing"].map((kind) => court.hostile(kind)));
  }, PATIENCE_MS);
  afterAll(() => court?.live.close());

  it("say that a taxed token cannot be sold: a pool counts what it gets", () => {
    const verdict = court.verdicts.of(court.hostile("taxed"))!;
    expect(brief(verdict)).toEqual(["unsellable", 500, 10_000]);
  });

  it("say that a honeypot cannot be sold", () => {
    const verdict = court.verdicts.of(court.hostile("honeypot"))!;
    expect(brief(verdict)).toEqual(["unsellable", 0, 10_000]);
  });

  it("find out a pool that promises what a rebase took away, though small trades go well", () => {
    const verdict = court.verdicts.of(court.hostile("rebasing"))!;
    expect(verdict.kind).toBe("taxed");
    expect(verdict.buyTaxBps).toBeGreaterThanOrEqual(3);
    expect(verdict.buyTaxBps).toBeLessThan(10);
    expect(verdict.detail).toMatch(/less of it than it needs/);
  });
});
