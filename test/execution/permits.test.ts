import type { Address } from "@millrace/core";
import {
  approvalsFor,
  type BuiltSwap,
  type ChainAccess,
  ChainAccessError,
  type Permit,
  type PermitRequest,
  permitFor,
  type SwapCall,
  type SwapOrder,
  simulateSwap,
} from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { Effect, Result } from "effect";
import {
  concat,
  encodeAbiParameters,
  hashTypedData,
  keccak256,
  recoverAddress,
  stringToHex,
  type TypedDataDefinition,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChainFixtures } from "../live/ChainFixtures.ts";

const SEED = 20_261_128;
const PATIENCE_MS = 300_000;
const AMOUNT = 2_000n * 10n ** 6n;
const PERMIT_TYPE =
  "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)";
type Via = "universal-router" | "executor";

describe("a permit", { timeout: PATIENCE_MS }, () => {
  let fixtures: ChainFixtures;
  let permit2: Address;
  let usdc: Address;
  beforeAll(async () => {
    fixtures = await ChainFixtures.open(SEED);
    permit2 = fixtures.desk.table.universalRouter!.permit2;
    usdc = fixtures.token("USDC");
  }, PATIENCE_MS);
  afterAll(() => fixtures?.close());

  type Account = Awaited<ReturnType<ChainFixtures["account"]>>;

  const ask = ({ intent, router }: BuiltSwap, chain: ChainAccess = fixtures.access().chain) =>
    permitFor(intent, router, { table: fixtures.desk.table, chain });
  const request = (...args: Parameters<typeof ask>) => Effect.runPromise(ask(...args));

  async function saleOrder(via: Via, sender: Address, more: Partial<SwapOrder> = {}) {
    const { wrappedNative: tokenOut } = fixtures.desk;
    await fixtures.desk.live.caughtUp();
    return fixtures.order({ sender, tokenIn: usdc, tokenOut, amount: AMOUNT, via }, more);
  }

  /** A wallet's permit; the request passes through JSON, as on the wire. */
  async function sign(account: Account, { typedData }: PermitRequest): Promise<Permit> {
    const wire = JSON.parse(JSON.stringify(typedData)) as TypedDataDefinition;
    const signature = await account.signTypedData(wire);
    const message = wire.message as Record<string, string> & { details?: Record<string, string> };
    const { details } = message;
    return {
      signature,
      amount: BigInt(details?.["amount"] ?? message["value"]!),
      deadline: BigInt(message["sigDeadline"] ?? message["deadline"]!),
      nonce: BigInt(details?.["nonce"] ?? message["nonce"]!),
      ...(details && { expiration: BigInt(details["expiration"]!) }),
    };
  }

  const approvals = ({ intent, router }: BuiltSwap, hasPermit: boolean) =>
    Effect.runPromise(
      approvalsFor(intent, router, hasPermit, {
        ...{ table: fixtures.desk.table, resetTokens: new Set<Address>() },
        chain: fixtures.access().chain,
      }),
    );
  const simulate = ({ intent }: BuiltSwap, swap: SwapCall, calls: ReadonlyArray<SwapCall> = []) =>
    Effect.runPromise(simulateSwap(intent, calls, swap, fixtures.access().chain));

  for (const via of ["executor", "universal-router"] as const) {
    it(`saves the approval of the ${via}, once, and for its signer only`, async () => {
      const account = await fixtures.account();
      const { address: sender } = account;
      await fixtures.mint(usdc, sender, AMOUNT * 4n);
      const order = await saleOrder(via, sender);
      const built = fixtures.build(order);
      const asked = await request(built);
      expect(asked.kind).toBe(via === "executor" ? "EIP-2612" : "PERMIT2");
      expect(asked.spender).toBe(built.router.address);
      const permit = await sign(account, asked);
      expect(permit).toMatchObject({ amount: AMOUNT, deadline: BigInt(built.intent.deadline) });
      const { swap, intent } = fixtures.build({ ...order, permit });
      const before = await approvals(built, true);
      expect(before.map(({ to }) => to)).toEqual(via === "executor" ? [] : [usdc]);
      const { amountIn, amountOut } = intent;
      // The simulation has other code at the sender's address, which Permit2 calls.
      expect(await simulate(built, swap, before)).toMatchObject({
        ...{ kind: "done", amountIn, amountOut },
      });
      for (const call of before) await fixtures.mustSend(sender, call);

      // Another account's signature fails, and so do other terms than the signed ones.
      const stranger = await fixtures.account();
      const forged = await sign(stranger, asked);
      const more = { ...permit, amount: permit.amount + 1n };
      const later = { ...permit, deadline: permit.deadline + 1n };
      for (const wrong of [forged, more, later]) {
        const call = built.router.encode(built.intent, wrong);
        expect(
          await simulate(built, call),
          JSON.stringify(wrong.deadline.toString()),
        ).toMatchObject({
          kind: "failed",
        });
        expect((await fixtures.send(sender, call)).status).toBe("0x0");
      }

      await fixtures.mustSend(sender, swap);
      expect(await fixtures.read(usdc, "balanceOf", [sender])).toBe(AMOUNT * 3n);
      const left = await fixtures.read(usdc, "allowance", [sender, built.router.address]);
      expect(left).toBe(0n);

      // The permit is used up: it does not work again, and the next one has another nonce.
      if (via === "universal-router")
        for (const call of await approvals(built, true)) await fixtures.mustSend(sender, call);
      expect((await fixtures.send(sender, swap)).status).toBe("0x0");
      const next = fixtures.build(await saleOrder(via, sender));
      const again = await sign(account, await request(next));
      expect(again.nonce).toBe(permit.nonce + 1n);
      await fixtures.mustSend(sender, next.router.encode(next.intent, again));
      expect(await fixtures.read(usdc, "balanceOf", [sender])).toBe(AMOUNT * 2n);
    });

    it(`of the ${via} is of no use after its deadline`, async () => {
      const account = await fixtures.account();
      const { address: sender } = account;
      await fixtures.mint(usdc, sender, AMOUNT);
      const built = fixtures.build(await saleOrder(via, sender));
      const { timestampMs } = await fixtures.chain.head();
      const past = Math.floor(timestampMs / 1_000) - 1;
      const asked = await request({ ...built, intent: { ...built.intent, deadline: past } });
      const permit = await sign(account, asked);
      expect(permit.deadline).toBe(BigInt(past));
      for (const call of await approvals(built, true)) await fixtures.mustSend(sender, call);
      const swap = built.router.encode(built.intent, permit);
      expect(await simulate(built, swap)).toMatchObject({ kind: "failed" });
      expect((await fixtures.send(sender, swap)).status).toBe("0x0");
      // Until then it is valid.
      const good = await sign(account, await request(built));
      await fixtures.mustSend(sender, built.router.encode(built.intent, good));
    });
  }

  it("is of the most that may go in, with exact output", async () => {
    const { address: sender } = await fixtures.account();
    for (const via of ["executor", "universal-router"] as const) {
      const amount = 10n ** 17n;
      const { wrappedNative: tokenOut } = fixtures.desk;
      const wish = { sender, tokenIn: usdc, tokenOut, amount, via };
      const built = fixtures.build(fixtures.order(wish, { kind: "exactOut" }));
      const { message } = (await request(built)).typedData!;
      const details = message["details"] as Record<string, string> | undefined;
      const { amountInMax, amountIn } = built.intent;
      expect(amountInMax).toBeGreaterThan(amountIn);
      expect(details?.["amount"] ?? message["value"]).toBe(amountInMax.toString());
    }
  });

  it("is what a wallet signs by eth_signTypedData_v4", async () => {
    const [wallet] = await fixtures.chain.request<ReadonlyArray<Address>>("eth_accounts");
    const sender = wallet!.toLowerCase() as Address;
    for (const via of ["executor", "universal-router"] as const) {
      const { typedData } = await request(fixtures.build(await saleOrder(via, sender)));
      const signature = await fixtures.chain.request<Hex>("eth_signTypedData_v4", [
        sender,
        typedData,
      ]);
      const hash = hashTypedData(typedData as unknown as TypedDataDefinition);
      expect((await recoverAddress({ hash, signature })).toLowerCase()).toBe(sender);
    }
  });

  const text = (words: string) => encodeAbiParameters([{ type: "string" }], [words]);
  const TYPEHASH = keccak256(stringToHex(PERMIT_TYPE));

  /** The request to a wallet for a token with this name and version. */
  async function askOf(
    [name, version]: readonly [string, string],
    { typehash = TYPEHASH, nameSaid = text(name) as Hex, versionSaid = "0x" as Hex, tells = false },
  ) {
    const token = await fixtures.deploy("PermitTeller", [
      ...[name, version, typehash, nameSaid, versionSaid, tells],
    ]);
    const { address: sender } = await fixtures.account();
    const built = fixtures.build(await saleOrder("executor", sender));
    const asked = await request({ ...built, intent: { ...built.intent, tokenIn: token } });
    if (asked.typedData === undefined) return asked.kind;
    const { domain, types, message } = asked.typedData;
    const { chainId } = fixtures.desk.table;
    expect(domain).toMatchObject({ chainId, verifyingContract: token });
    expect(types["EIP712Domain"]!.map((member) => member.name)).toEqual(Object.keys(domain));
    expect(message["nonce"]).toBe("7");
    return [domain["name"], domain["version"]];
  }

  it("has the domain that the token's separator proves, however it is told", async () => {
    const odd = ["Odd (née Tókên) 💧", "2.7"] as const;
    const cases = [
      [["Token", "1"], {}, ["Token", "1"]],
      [["USD Coin", "2"], {}, ["USD Coin", "2"]],
      [odd, { versionSaid: text("2.7") }, odd],
      [odd, {}, "NONE"],
      // EIP-5267 gives another name than `name()`.
      [odd, { nameSaid: text("renamed"), tells: true }, odd],
      [odd, { nameSaid: text("renamed"), versionSaid: text("2.7") }, "NONE"],
      [["Plain", ""], {}, ["Plain", undefined]],
      [["Plain", ""], { versionSaid: text("3") }, ["Plain", undefined]],
    ] as const;
    for (const [domain, said, expected] of cases)
      expect(await askOf(domain, said), JSON.stringify([domain, said])).toEqual(expected);
  });

  it("is not asked for where the token's is another, or it says nonsense", async () => {
    const daiType =
      "Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)";
    const word = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);
    const nonsense: ReadonlyArray<Parameters<typeof askOf>[1]> = [
      { typehash: keccak256(stringToHex(daiType)) },
      // One byte: a megabyte.
      { nameSaid: "0x00" },
      { nameSaid: word(7n) },
      { nameSaid: word(2n ** 256n - 1n) },
      { nameSaid: concat([word(32n), word(2n ** 255n)]) },
      { nameSaid: concat([word(32n), word(64n), word(1n)]) },
      { nameSaid: text("x".repeat(257)) },
      { nameSaid: concat([word(32n), word(2n), "0xc328"]) },
      { nameSaid: "0x" },
    ];
    for (const said of nonsense)
      expect(await askOf(["Token", "1"], said), JSON.stringify(said).slice(0, 200)).toBe("NONE");
  });

  it("is not asked for where the token takes none, or the input is native", async () => {
    const { address: sender } = await fixtures.account();
    const { wrappedNative: tokenIn } = fixtures.desk;
    const wish = { sender, tokenIn, tokenOut: usdc, amount: 10n ** 18n };
    for (const via of ["executor", "universal-router"] as const) {
      const spendsNative = fixtures.build(fixtures.order({ ...wish, via }, { isNativeIn: true }));
      expect(await request(spendsNative)).toEqual({
        ...{ spender: spendsNative.router.address, kind: "NONE" },
      });
    }
    const wrapped = fixtures.build(fixtures.order({ ...wish, via: "executor" }));
    expect((await request(wrapped)).kind).toBe("NONE");
    const byPermit2 = fixtures.build(fixtures.order({ ...wish, via: "universal-router" }));
    expect((await request(byPermit2)).kind).toBe("PERMIT2");
    const vast = { ...byPermit2, intent: { ...byPermit2.intent, amountInMax: 2n ** 160n } };
    expect((await request(vast)).kind).toBe("NONE");
  });

  it("is not asked for when a node answers nonsense, and not denied when none answers", async () => {
    const { address: sender } = await fixtures.account();
    const gone = new ChainAccessError({ reason: "Unavailable", detail: "timed out" });
    for (const via of ["executor", "universal-router"] as const) {
      const built = fixtures.build(await saleOrder(via, sender));
      const huge = `0x${"ff".repeat(1_000_000)}`;
      for (const answer of ["0x", "0x01", null, {}, 7, "nonsense", huge, `0x${"ff".repeat(96)}`])
        expect((await request(built, () => Effect.succeed(answer))).kind).toBe("NONE");
      const result = await Effect.runPromise(Effect.result(ask(built, () => Effect.fail(gone))));
      expect(Result.isFailure(result) && result.failure).toBe(gone);
    }
  });

  it("of Permit2 has the domain of the Permit2 that is there", async () => {
    const { address: sender } = await fixtures.account();
    const { typedData } = await request(
      fixtures.build(await saleOrder("universal-router", sender)),
    );
    const separator = await fixtures.chain.request<Hex>("eth_call", [
      { to: permit2, data: selectorOf("DOMAIN_SEPARATOR()") },
      "latest",
    ]);
    const { domain, types } = typedData!;
    const own = hashTypedData({
      ...{ domain, types: { EIP712Domain: types["EIP712Domain"]! }, primaryType: "EIP712Domain" },
    } as never);
    expect(own).toBe(keccak256(concat(["0x1901", separator])));
  });
});

const selectorOf = (signature: string): Hex =>
  keccak256(stringToHex(signature)).slice(0, 10) as Hex;
