import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { encodeFunctionData, multicall3Abi, numberToHex } from "viem";
import type { Call } from "../live/Chain.ts";
import type { TracedCall } from "./callTraces.ts";
import { approval, MAX_UINT256, tokenAbi } from "./ExecutorFixture.ts";
import { FamilyPools, wrapping } from "./FamilyPools.ts";
import { ManyTokenPools } from "./ManyTokenPools.ts";
import { NATIVE, type OrderLeg } from "./orders.ts";
import { back, ONE, PoolFixture } from "./PoolFixture.ts";
import { hookParts, must, performData, SWAP_HOOK, scriptData } from "./scriptedContracts.ts";

/** The effects of a mined transaction. */
export interface Mined {
  readonly succeeded: boolean;
  readonly costWei: bigint;
  /** Amounts of each token and the native one that scripted contracts gave the executor. */
  readonly gifts: ReadonlyMap<Address, bigint>;
  readonly trace: TracedCall;
}

/** Balances of all participants, of `tokens` and, last, of the native one. */
export type Wealth = ReadonlyMap<Address, ReadonlyArray<bigint>>;

interface Log {
  readonly address: Address;
  readonly topics: ReadonlyArray<Hex>;
  readonly data: Hex;
}

interface Receipt {
  readonly transactionHash: Hex;
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  readonly logs: ReadonlyArray<Log>;
}

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** Scripted contracts keep their scripts in storage, which is long. */
const GAS = numberToHex(1_000_000_000);

/**
 * Honest pools and tokens, two hostile tokens and three scripted contracts, third parties who have
 * approved the executor without limit but take no part, a customer who does take part, and an
 * attacker.
 */
export class HostileFixture {
  readonly stage: PoolFixture;
  readonly hostileToken: Address;
  readonly scriptedContracts: ReadonlyArray<Address>;
  readonly thirdParties: ReadonlyArray<Address>;
  readonly attacker: Address;
  /** A scripted contract that returns arbitrary balances. */
  readonly fakeToken: Address;
  /** A hook of Uniswap V4 that is a scripted contract too. */
  readonly hook: Address = SWAP_HOOK;
  readonly manager: Address;
  /** Honest ones, and the hostile one last. */
  readonly tokens: ReadonlyArray<Address>;
  readonly legs: ReadonlyArray<OrderLeg>;
  readonly #allowances: ReadonlyArray<{
    readonly token: Address;
    readonly spender: Address;
    readonly call: Call;
  }>;
  #snapshot: Hex = "0x";

  private constructor(
    stage: PoolFixture,
    people: Pick<
      HostileFixture,
      "hostileToken" | "fakeToken" | "scriptedContracts" | "thirdParties" | "attacker" | "manager"
    >,
    hostileLegs: ReadonlyArray<OrderLeg>,
  ) {
    this.stage = stage;
    this.hostileToken = people.hostileToken;
    this.fakeToken = people.fakeToken;
    this.scriptedContracts = people.scriptedContracts;
    this.thirdParties = people.thirdParties;
    this.attacker = people.attacker;
    this.manager = people.manager;
    const { a, b, c, arena } = stage;
    this.tokens = [a, b, c, arena.wrappedNative, people.hostileToken];
    const there = [...Object.values(stage.legs), ...Object.values(stage.wrapped), ...hostileLegs];
    this.legs = [...there, ...there.map(back)];
    const spenders = new Set([...this.scriptedContracts, ...this.legs.map(({ pool }) => pool)]);
    this.#allowances = this.tokens.flatMap((token) =>
      [...spenders].map((spender) => {
        const allowance = { functionName: "allowance", args: [arena.executor, spender] } as const;
        const data = encodeFunctionData({ abi: tokenAbi, ...allowance });
        return { token, spender, call: { to: token, data } };
      }),
    );
  }

  static async open(seed: number): Promise<HostileFixture> {
    const stage = await PoolFixture.open(seed);
    const { arena, a, b, sender } = stage;
    const hostileToken = await arena.token();
    const depth = 1_000n * ONE;
    const pair = await arena.pair([hostileToken, depth], [a, depth]);
    const pool = await arena.concentratedPool([hostileToken, b], 3_000, depth);
    const scripted = () => arena.deploy("ScriptedContract");
    const scriptedContracts = [await scripted(), await scripted(), await scripted()];
    const code = await arena.chain.request("eth_getCode", [scriptedContracts[0], "latest"]);
    await arena.chain.request("anvil_setCode", [SWAP_HOOK, code]);
    for (const part of hookParts({})) {
      const data = scriptData(...part);
      await arena.mustSend({ from: arena.operator, to: SWAP_HOOK, data });
    }
    const families = await FamilyPools.open(arena);
    const many = await ManyTokenPools.open(arena);
    const { c } = stage;
    const terms = { feePips: 3_000, tickSpacing: 60 };
    const hostileLegs: ReadonlyArray<OrderLeg> = [
      { kind: "pair", pool: pair, tokenIn: hostileToken, tokenOut: a },
      { kind: "concentrated", pool, tokenIn: hostileToken, tokenOut: b },
      await families.managed([b, stage.c], terms, depth),
      await families.managed([NATIVE, a], terms, depth),
      await families.managed([a, b], { ...terms, hooks: SWAP_HOOK }, depth),
      await families.managed([hostileToken, stage.c], terms, depth),
      await families.stable([b, stage.c], depth, 500),
      await many.curve("CurvePool", [a, b, c], depth),
      await many.curve("CurveSilentPool", [hostileToken, c], depth),
      await many.curve("CurvePool", [NATIVE, b], depth),
      await many.curve("CurveIndexedPool", [arena.wrappedNative, hostileToken], depth),
      await many.weighted([b, c, hostileToken], depth),
      await many.weighted([a, b], depth),
      await many.weightedV3([a, c], depth),
      await many.weightedV3([c, hostileToken], depth),
      wrapping(arena)[0],
    ];
    const thirdParties = [await arena.account(), await arena.account()];
    const attacker = await arena.account();
    const fakeToken = await scripted();
    const { manager } = families;
    const people = { hostileToken, fakeToken, scriptedContracts, thirdParties, attacker, manager };
    const world = new HostileFixture(stage, people, hostileLegs);
    for (const token of world.tokens) {
      for (const holder of [...thirdParties, attacker])
        await arena.fund(token, holder, 5_000n * ONE);
      for (const holder of scriptedContracts) await arena.give(token, holder, 5_000n * ONE);
    }
    await arena.fund(hostileToken, sender, 5_000n * ONE);
    await world.#approveByScripted();
    await world.#save();
    return world;
  }

  get customer(): Address {
    return this.stage.sender;
  }

  close(): Promise<void> {
    return this.stage.close();
  }

  /** Resets the chain to its state at the opening. */
  async rewind(): Promise<void> {
    const { chain } = this.stage.arena;
    await chain.request("evm_revert", [this.#snapshot]);
    // The node may still hold a mined transaction, and would mine it again.
    await chain.request("anvil_dropAllTransactions");
    await this.#save();
  }

  async #save(): Promise<void> {
    const { chain } = this.stage.arena;
    this.#snapshot = await chain.request<Hex>("evm_snapshot");
    // A snapshot does not include the gas limit.
    await chain.request("evm_setBlockGasLimit", [GAS]);
  }

  /** Scripted contracts send orders of their own too, so they approve the executor. */
  async #approveByScripted(): Promise<void> {
    const { arena } = this.stage;
    const approve = approval(arena.executor, MAX_UINT256);
    const data = performData(this.tokens.map((token) => must(token, approve)));
    for (const to of this.scriptedContracts) {
      await arena.endow(to);
      await arena.mustSend({ from: arena.operator, to, data });
    }
  }

  /** Sends all of these calls in one transaction, from a neutral account. */
  async prepare(calls: ReadonlyArray<readonly [target: Address, callData: Hex]>): Promise<void> {
    const { operator, devnet } = this.stage.arena;
    const aggregate = calls.map(([target, callData]) => ({
      target,
      callData,
      allowFailure: false,
    }));
    const data = encodeFunctionData({
      ...{ abi: multicall3Abi, functionName: "aggregate3", args: [aggregate] },
    });
    const { status } = await this.#mine(operator, devnet.contracts.multicall3, data, 0n);
    if (status !== "0x1") throw new Error("a preparation reverted");
  }

  #mine(from: Address, to: Address, data: Hex, value: bigint): Promise<Receipt> {
    const transaction = { from, to, data, value: numberToHex(value), gas: GAS };
    return this.stage.arena.chain.request("eth_sendTransactionSync", [transaction]);
  }

  async send(from: Address, to: Address, data: Hex, value: bigint): Promise<Mined> {
    const { chain, executor } = this.stage.arena;
    const receipt = await this.#mine(from, to, data, value);
    const gifts = new Map<Address, bigint>();
    for (const { address, topics, data: amount } of receipt.logs) {
      const [topic, giver, taker] = topics;
      if (topic !== TRANSFER || addressOf(taker) !== executor) continue;
      if (!this.scriptedContracts.includes(addressOf(giver))) continue;
      gifts.set(address, (gifts.get(address) ?? 0n) + BigInt(amount));
    }
    const trace = await chain.request<TracedCall>("debug_traceTransaction", [
      ...[receipt.transactionHash, { tracer: "callTracer" }],
    ]);
    gifts.set(NATIVE, this.#nativeGifts(trace));
    return {
      succeeded: receipt.status === "0x1",
      costWei: BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice),
      ...{ gifts, trace },
    };
  }

  /** Scripted managers may send native tokens while they are unlocked. */
  #nativeGifts({ error, from, to, input, value, calls = [] }: TracedCall): bigint {
    if (error !== undefined) return 0n;
    const isGift = to === this.stage.arena.executor && input === "0x";
    const own = isGift && this.scriptedContracts.includes(from) ? BigInt(value ?? 0) : 0n;
    return calls.reduce((sum, call) => sum + this.#nativeGifts(call), own);
  }

  /** Accounts with an allowance of the executor, among all contracts that legs call. */
  async allowed(): Promise<ReadonlyArray<string>> {
    const answers = await this.stage.arena.chain.callAll(this.#allowances.map(({ call }) => call));
    return this.#allowances.flatMap(({ token, spender }, at) =>
      BigInt(answers[at]!) === 0n ? [] : [`${token} by ${spender}`],
    );
  }

  async wealth(): Promise<Wealth> {
    const { arena } = this.stage;
    const holders = [
      ...[arena.executor, ...this.thirdParties, this.customer, this.attacker],
      ...this.scriptedContracts,
    ];
    const tokens = [...this.tokens, undefined];
    const balances = await arena.balances(
      holders.flatMap((holder) => tokens.map((token) => [token, holder] as const)),
    );
    const width = tokens.length;
    return new Map(
      holders.map((holder, index) => [holder, balances.slice(index * width, (index + 1) * width)]),
    );
  }
}

const addressOf = (topic: Hex | undefined): Address => `0x${(topic ?? "").slice(26)}`;
